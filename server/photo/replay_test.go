package photo

import (
	"bytes"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"ballast/compute/risk"
	mc "ballast/marketcache"
	"ballast/policy"
	"ballast/server/api"
)

// photographs are what TestReplayWithoutAssembly gives to another build of this package.
type photographs struct {
	Files [][]byte
	Parts shelf
}

// photographsName is the environment variable with the name of their file.
const photographsName = "BALLAST_TEST_PHOTOGRAPHS"

func TestMain(m *testing.M) {
	path := os.Getenv(photographsName)
	if path == "" {
		os.Exit(m.Run())
	}
	if err := replayAll(path); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// replayAll computes the answers of photographs in a file again.
func replayAll(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var taken photographs
	if err := gob.NewDecoder(bytes.NewReader(text)).Decode(&taken); err != nil {
		return err
	}
	d, r := Decoder{Parts: taken.Parts.part}, NewReplayer()
	for i, file := range taken.Files {
		p, err := d.Decode(file)
		if err != nil {
			return err
		}
		again, err := r.Answer(p)
		if err != nil {
			return err
		}
		if difference, err := Compare(p.Answer, again); difference != nil || err != nil {
			return fmt.Errorf("answer %d: %+v %v\n%s\n%s", i, difference, err, p.Answer, again)
		}
	}
	fmt.Printf("%d answers are the same\n", len(taken.Files))
	return nil
}

// answer answers as the service does, and returns the photograph.
func (m *market) answer(memory *risk.Scratch, sizes bool) *Photograph {
	p := &Photograph{RequestID: m.id(), Inputs: m.inputs(memory)}
	in := &p.Inputs
	memory.Explain = in.Explain || in.Compact
	var facts policy.Facts
	var verdict policy.Verdict
	facts.Before(memory, in.Case.Policy)
	memory.Limits = in.Case.Limits(&facts, &verdict)
	var largest risk.SizeAnswer
	if in.Sizes = sizes; sizes {
		in.Question = risk.SizeQuestion{Target: risk.SizeTarget(m.IntN(int(risk.SizeTargets))), Limit: 40, Curve: true,
			Ladder: m.IntN(2) == 0}
		m.engine.Size(memory, &in.Question, &largest)
	} else if m.engine.Assess(memory); memory.Refused != nil {
		return nil
	}
	facts.OfTrade(memory)
	in.Case.Judge(&facts, &verdict)
	verdict.Forbid(&memory.Out.Recommendation, &memory.Out.Flags)
	envelope := api.Envelope{RequestID: p.RequestID, Venue: in.Venue, Started: time.Now(), Explain: in.Explain,
		Compact: in.Compact, Policy: &verdict}
	var err error
	if sizes {
		p.Answer, err = api.AppendSizes(nil, &in.Question, &largest, &memory.Out, &envelope)
	} else {
		p.Answer, err = api.AppendAssessment(nil, &memory.Out, &envelope)
	}
	if err != nil {
		m.t.Fatal(err)
	}
	return p
}

// answers returns photographs of answers, about a fourth of them elements of batches.
func (m *market) answers(n int) (all []*Photograph) {
	memory := risk.NewScratch(8)
	keep := func(p *Photograph) {
		if p != nil {
			all = append(all, p)
		}
	}
	for len(all) < n {
		if m.IntN(60) == 0 {
			m.fit()
		}
		if m.IntN(5) == 0 {
			m.tick()
		}
		account, now := m.account(), mc.Now()
		wallMs := m.hour*3_600_000 + m.Int64N(3_600_000)
		if m.IntN(8) == 0 {
			batch := m.engine.NewBatch(m.cache, account, 0, now, wallMs)
			for range 4 {
				t := m.trade(account.Wallet)
				if batch.Fill(&memory.In, &t).Reason != risk.Complete {
					break
				}
				p := m.answer(memory, false)
				keep(p)
				if p != nil {
					batch.Apply(memory)
				}
			}
			continue
		}
		t := m.trade(account.Wallet)
		sizes := m.IntN(16) == 0 && t.Action != risk.ActionClose
		missing := m.engine.Fill(&memory.In, m.cache, &t, account, time.Millisecond, now, wallMs)
		if missing.Reason == risk.Complete {
			keep(m.answer(memory, sizes))
		}
	}
	return all[:n]
}

// Answers are the same byte for byte when they are computed again from what was kept, after all others.
func TestReplay(t *testing.T) {
	n := 1000
	if testing.Short() {
		n = 200
	}
	m := newMarket(t)
	m.tick()
	all := m.answers(n)
	kept, files := shelf{}, make([][]byte, len(all))
	var e Encoder
	own, parts := 0, 0
	for i, p := range all {
		encoded := e.Encode(p)
		kept.keep(encoded.Parts)
		files[i] = encoded.Data
		own += len(encoded.Data)
	}
	for _, data := range kept {
		parts += len(data)
	}
	t.Logf("%d answers: %d bytes each, %d parts of %d bytes", len(all), own/len(all), len(kept),
		parts)
	d, r := Decoder{Parts: kept.part}, NewReplayer()
	seen := map[string]int{}
	for i, file := range files {
		p, err := d.Decode(file)
		if err != nil {
			t.Fatal(err)
		}
		again, err := r.Answer(p)
		if err != nil {
			t.Fatal(err)
		}
		difference, err := Compare(all[i].Answer, again)
		if difference != nil || err != nil {
			t.Fatalf("answer %d: %+v %v\n%s\n%s", i, difference, err, all[i].Answer, again)
		}
		in := &p.Inputs
		for name, is := range map[string]bool{"compact": in.Compact, "explained": in.Explain, "sizes": in.Sizes,
			"simulated": in.In.Trade.MonteCarlo, "denied": bytes.Contains(again, []byte(`"verdict":"deny"`)),
			"taken": in.In.Target.TakenAsks > 0, "joint": in.In.Target.Model.Joint != nil,
			"matrix from returns": in.In.Correlations == nil && len(in.In.Held) > 2,
			"matrix from sums":    in.In.Correlations != nil && len(in.In.Held) > 2} {
			if is {
				seen[name]++
			}
		}
	}
	if len(seen) != 9 {
		t.Errorf("kinds of answers: %v", seen)
	}
}

// A photograph of which anything is missing or changed is an error that says what.
func TestDamaged(t *testing.T) {
	m := newMarket(t)
	m.tick()
	var e Encoder
	var encoded Encoded
	kept := shelf{}
	for _, p := range m.answers(samples + 1) { // the last one is compressed with a dictionary
		encoded = e.Encode(p)
	}
	kept.keep(encoded.Parts)
	decode := func() error { _, err := (&Decoder{Parts: kept.part}).Decode(encoded.Data); return err }
	if err := decode(); err != nil {
		t.Fatal(err)
	}
	for digest, data := range kept {
		delete(kept, digest)
		if err := decode(); !errors.Is(err, ErrMissing) {
			t.Errorf("a part that is missing: %v", err)
		}
		kept[digest] = append(bytes.Clone(data), 0)
		if err := decode(); !errors.Is(err, ErrDamaged) {
			t.Errorf("a part that is changed: %v", err)
		}
		kept[digest] = data
	}
	whole := encoded.Data
	for i := 0; i < len(whole); i += 97 {
		if encoded.Data = bytes.Clone(whole); i > 0 {
			encoded.Data = encoded.Data[:i]
		} else {
			encoded.Data[len(whole)/2] ^= 1
		}
		if err := decode(); !errors.Is(err, ErrDamaged) {
			t.Errorf("%d of %d bytes: %v", i, len(whole), err)
		}
	}
}

// A difference is told by the member of the answer that moved.
func TestCompare(t *testing.T) {
	before := []byte(`{"risk_score":12,"recommendation":"proceed","var":{"a":1},"meta":{"latency_ms":3,"x":1}}`)
	after := []byte(`{"risk_score":80,"recommendation":"abort","var":{"a":2},"meta":{"latency_ms":4,"x":1},"new":1}`)
	d, err := Compare(before, after)
	want := []string{"risk_score", "recommendation", "var", "new"}
	if err != nil || d == nil || !slices.Equal(d.Moved, want) || d.Before != (Verdict{12, "proceed"}) ||
		d.After != (Verdict{80, "abort"}) {
		t.Errorf("%+v %v", d, err)
	}
	same := strings.Replace(string(before), `"latency_ms":3`, `"latency_ms":5.25`, 1)
	if d, err := Compare(before, []byte(same)); d != nil || err != nil {
		t.Errorf("%+v %v", d, err)
	}
	nestedIn := func(s []byte) []byte { return append(append([]byte(`{"size_usd":1,"assessment":`), s...), '}') }
	d, err = Compare(nestedIn(before), nestedIn(after))
	if err != nil || d.Moved[0] != "assessment.risk_score" || d.After.RiskScore != 80 {
		t.Errorf("%+v %v", d, err)
	}
	if _, err := Compare(before, []byte(`{"risk`)); !errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
}
