package photo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"ballast/compute/risk"
	"ballast/policy"
	"ballast/server/api"
)

// Replayer computes answers again, with this program. Create it with NewReplayer; not safe for concurrent use.
type Replayer struct {
	engine  *risk.Engine
	memory  *risk.Scratch
	largest risk.SizeAnswer
	facts   policy.Facts
	verdict policy.Verdict
}

// NewReplayer returns a Replayer.
func NewReplayer() *Replayer {
	return &Replayer{engine: risk.NewEngine(risk.DefaultAges()), memory: risk.NewScratch(64)}
}

// Answer returns the answer of this program to the inputs of a photograph.
func (r *Replayer) Answer(p *Photograph) ([]byte, error) {
	in, memory := &p.Inputs, r.memory
	memory.In, memory.Explain = in.In, in.Explain || in.Compact
	r.facts.Before(memory, in.Case.Policy)
	memory.Limits = in.Case.Limits(&r.facts, &r.verdict)
	if in.Sizes {
		r.engine.Size(memory, &in.Question, &r.largest)
	} else {
		r.engine.Assess(memory)
	}
	if memory.Refused != nil {
		return nil, errors.New("this version refuses what was asked: " + memory.Refused.Detail)
	}
	r.facts.OfTrade(memory)
	in.Case.Judge(&r.facts, &r.verdict)
	r.verdict.Forbid(&memory.Out.Recommendation, &memory.Out.Flags)
	envelope := api.Envelope{RequestID: p.RequestID, Venue: in.Venue, Started: time.Now(), Explain: in.Explain,
		Compact: in.Compact, Policy: &r.verdict}
	if in.Sizes {
		return api.AppendSizes(nil, &in.Question, &r.largest, &memory.Out, &envelope)
	}
	return api.AppendAssessment(nil, &memory.Out, &envelope)
}

// Difference is how two answers to the same inputs differ.
type Difference struct {
	Before, After Verdict
	// Moved are the members of the answer that differ, in the order of the answer; none when it is the order alone.
	Moved []string
}

// Verdict is an answer in short.
type Verdict struct {
	RiskScore      float64 `json:"risk_score"`
	Recommendation string  `json:"recommendation"`
}

// Compare compares an answer with a later one, the latency aside. It returns nil when they are the same byte for byte.
func Compare(before, after []byte) (*Difference, error) {
	before, after = withoutLatency(before), withoutLatency(after)
	if bytes.Equal(before, after) {
		return nil, nil
	}
	was, is := members{}, members{}
	if err := errors.Join(was.read(before), is.read(after)); err != nil {
		return nil, fmt.Errorf("the answer %w: it is no JSON", ErrDamaged)
	}
	d := &Difference{Before: was.verdict, After: is.verdict}
	for _, name := range slices.Concat(was.names, is.names) {
		if was.text[name] != is.text[name] && !slices.Contains(d.Moved, name) {
			d.Moved = append(d.Moved, name)
		}
	}
	return d, nil
}

func withoutLatency(answer []byte) []byte {
	start, rest := aroundLatency(answer)
	return slices.Concat(start, rest)
}

// members are the verdict of an answer and the text of each of its members, in their order. The names of members
// within "assessment" begin with "assessment.".
type members struct {
	verdict Verdict
	names   []string
	text    map[string]string
}

// nested is the member of the answer about the largest size that is an assessment.
const nested = "assessment"

func (m *members) read(answer []byte) error {
	m.text = map[string]string{}
	return m.object(answer, "")
}

func (m *members) object(text []byte, before string) error {
	if err := json.Unmarshal(text, &m.verdict); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if _, err := d.Token(); err != nil {
		return err
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return err
		}
		if name == nested {
			if err := m.object(value, nested+"."); err != nil {
				return err
			}
			continue
		}
		path := before + fmt.Sprint(name)
		m.names, m.text[path] = append(m.names, path), string(value)
	}
	return nil
}
