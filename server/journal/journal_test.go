package journal

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ballast/compute/risk"
	"ballast/internal/store"
	"ballast/marketcache"
	"ballast/policy"
)

var noon = time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)

// started is a journal whose writer runs, in a directory.
type started struct {
	*Journal
	t    *testing.T
	dir  string
	stop func()
}

// start starts a journal in a directory.
func start(t *testing.T, dir string, change func(*Config)) *started {
	t.Helper()
	db, err := store.OpenMain(dir)
	if err != nil {
		t.Fatal(err)
	}
	cfg := Config{Mode: Verdicts, Store: db, Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
	if change != nil {
		change(&cfg)
	}
	s := &started{Journal: New(cfg), t: t, dir: dir}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { s.Run(ctx) })
	s.stop = sync.OnceFunc(func() {
		cancel()
		wg.Wait()
		db.Close()
	})
	t.Cleanup(s.stop)
	return s
}

// opened returns the database of a directory, which is closed at the end of the test.
func opened(t testing.TB, dir string) *store.Main {
	t.Helper()
	db, err := store.OpenMain(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// entry is a decision about a trade.
func entry(id string, wallet byte, at time.Time) *Entry {
	e := &Entry{Kind: Validate, RequestID: []byte(id), KeyID: "key_1", Wallet: marketcache.Wallet{wallet},
		Request: []byte(`{"asset":"BTC"}`), assessed: true, asset: "BTC", action: risk.ActionLong,
		recommendation: risk.Proceed, side: 1, AtMs: at.UnixMilli()}
	for i := range e.figures {
		e.figures[i] = float64(i) + 0.5
	}
	for i := range e.facts {
		e.facts[i] = policy.NotKnown
	}
	return e
}

// page returns the request ids of a page, newest first.
func (s *started) page(q Query) (ids []string, next string, unreadable int) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	s.Flush(ctx)
	if q.Limit == 0 {
		q.Limit = 1000
	}
	p, err := s.Page(ctx, &q)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, d := range p.Decisions {
		ids = append(ids, d.RequestID)
	}
	return ids, p.Next, p.Unreadable
}

func (s *started) wants(name string, q Query, want ...string) {
	s.t.Helper()
	if got, _, _ := s.page(q); strings.Join(got, " ") != strings.Join(want, " ") {
		s.t.Errorf("%s: %v, want %v", name, got, want)
	}
}

// TestDecision: a decision reads back as it was recorded.
func TestDecision(t *testing.T) {
	s := start(t, t.TempDir(), nil)
	e := entry(`a"b`, 0xab, noon)
	e.Kind, e.Index, e.Request = Batch, 3, []byte("{\n\"size\": 1}")
	e.recommendation = risk.Abort
	var flags risk.FlagSet
	flags.Forbid(true, 2)
	e.flags = flags.Bits()
	e.figures[liquidation], e.figures[probability7d] = math.NaN(), math.NaN()
	e.facts[policy.MaxLeverage], e.facts[policy.DuplicateWindowS] = 12, math.Inf(1)
	e.issues = 1<<risk.IssueLot | 1<<risk.IssueInsufficientMargin
	e.Verdict = &policy.Verdict{Applies: true, Outcome: policy.Deny, Revision: 7, Violations: []policy.Violation{
		{Rule: policy.MaxLeverage, Limit: 10, Value: 12}, {Rule: policy.KillSwitch},
		{Rule: policy.MaxScore, Limit: 40, Value: math.NaN()}}}
	copy(e.calibration[:], strings.Repeat("ab", 32))
	e.Gate = Passage{Did: "refused", Class: "increase", Type: "order", Reason: `"no"`, Signer: "0x1", VenueStatus: 0}
	s.Record(e)
	copy(e.RequestID, "???") // the request's memory is used again
	copy(e.Request, "????????")
	s.Flush(t.Context())
	found, err := s.Find(t.Context(), `a"b`, "")
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	d := found[0]
	digest := d.InputsDigest
	if len(digest) != 64 || d.Policy.Facts["max_leverage"] != 12 {
		t.Errorf("digest %q, facts %v", digest, d.Policy.Facts)
	}
	want := `{"request_id":"a\"b","at":"2026-11-26T12:00:00Z","kind":"batch","index":3,"key_id":"key_1",` +
		`"wallet":"0xab00000000000000000000000000000000000000","asset":"BTC","action":"long","size_usd":0.5,` +
		`"size_coin":1.5,"leverage":2.5,"request":{"size":1},"recommendation":"abort","risk_score":3.5,` +
		`"probability_24h":4.5,"probability_7d":null,"liquidation_price":null,"side":"long","mark_price":7.5,` +
		`"position_usd":8.5,"margin_usd":9.5,"var_99_24h_usd":10.5,"variance_24h":11.5,` +
		`"flags":["kill_switch","policy_violation"],"venue_issues":["lot","insufficient_margin"],` +
		`"market_age_ms":12.5,"wallet_age_ms":13.5,` +
		`"facts":{"duplicate_window_s":1000000000,"max_leverage":12},` +
		`"policy":{"verdict":"deny","revision":7,"violations":[{"rule":"max_leverage","limit":10,"value":12},` +
		`{"rule":"kill_switch","limit":null,"value":1},{"rule":"max_score","limit":40,"value":null}]},` +
		`"gate":{"did":"refused","class":"increase","type":"order","reason":"\"no\"","signer":"0x1","venue_status":0},` +
		`"engine_version":"` + risk.EngineVersion + `","calibration_hash":"` + strings.Repeat("ab", 32) +
		`","inputs_digest":"` + digest + `","answer_digest":"","photographed":false}`
	var flagsOf struct{ Flags []string }
	if json.Unmarshal(d.JSON(), &flagsOf); len(flagsOf.Flags) == 2 && flagsOf.Flags[0] == "policy_violation" {
		want = strings.Replace(want, `"kill_switch","policy_violation"`, `"policy_violation","kill_switch"`, 1)
	}
	if got := string(d.JSON()); got != want {
		t.Errorf("read\n%s, want\n%s", got, want)
	}
}

// TestPages: queries find what they ask for, newest first, over several blocks and a restart.
func TestPages(t *testing.T) {
	dir := t.TempDir()
	s := start(t, dir, nil)
	const n = 2*blockCount + 10
	for i := range n {
		e := entry(fmt.Sprintf("r%04d", i), byte(1+i%3), noon.Add(time.Duration(i)*time.Second))
		if i%100 == 0 {
			e.KeyID, e.asset, e.recommendation = "key_2", "ETH", risk.Abort
		}
		s.Record(e)
		if i%200 == 0 {
			s.Flush(t.Context())
		}
	}
	s.wants("by key", Query{KeyID: "key_2"}, "r0500", "r0400", "r0300", "r0200", "r0100", "r0000")
	s.stop()
	s = start(t, dir, nil)
	s.Record(entry("after", 9, noon.Add(time.Hour)))
	s.wants("by asset", Query{Asset: "ETH"}, "r0500", "r0400", "r0300", "r0200", "r0100", "r0000")
	s.wants("by verdict", Query{Verdict: "abort", From: noon.Add(150 * time.Second), To: noon.Add(400 * time.Second)},
		"r0300", "r0200")
	s.wants("by id", Query{RequestID: "r0256"}, "r0256")
	s.wants("by wallet", Query{Wallet: marketcache.Wallet{9}.String()}, "after")
	s.wants("of nobody", Query{Wallet: marketcache.Wallet{77}.String()})
	var all []string
	q := Query{Limit: 100}
	for pages := 0; ; pages++ {
		ids, next, _ := s.page(q)
		all = append(all, ids...)
		if next == "" {
			break
		}
		if !ValidCursor(next) || pages > 10 {
			t.Fatalf("cursor %q", next)
		}
		q.Cursor = next
	}
	if len(all) != n+1 || all[0] != "after" || all[1] != fmt.Sprintf("r%04d", n-1) || all[n] != "r0000" {
		t.Errorf("%d decisions in pages, %v ...", len(all), all[:3])
	}
	var up []string
	if _, err := s.Each(noon.Add(time.Second), noon.Add(4*time.Second), func(d *Decision) bool {
		up = append(up, d.RequestID)
		return len(up) < 3
	}); err != nil || strings.Join(up, " ") != "r0001 r0002 r0003" {
		t.Errorf("each: %v %v", up, err)
	}
	stats := s.Stats()
	if stats.Recorded != 1 || stats.Dropped != 0 || !stats.Oldest.Equal(noon) || stats.Bytes < 1000 {
		t.Errorf("%+v", stats)
	}
}

// TestBatchIsFoundWhole: all trades of the newest batch with an id.
func TestBatchIsFoundWhole(t *testing.T) {
	s := start(t, t.TempDir(), nil)
	for round := range 2 {
		for i := range 3 {
			e := entry("same", 1, noon)
			e.Kind, e.Index, e.figures[score] = Batch, i+1, float64(10*round+i)
			s.Record(e)
		}
	}
	s.Flush(t.Context())
	found, err := s.Find(t.Context(), "same", "key_1")
	if err != nil || len(found) != 3 || *found[0].RiskScore != 10 || *found[2].RiskScore != 12 {
		t.Errorf("%v %v", found, err)
	}
	if found, err = s.Find(t.Context(), "same", "key_other"); err != nil || found != nil {
		t.Errorf("of another key: %v %v", found, err)
	}
}

// TestDropped: what finds no room is counted, and what found room is written.
func TestDropped(t *testing.T) {
	db := opened(t, t.TempDir())
	j := New(Config{Mode: Verdicts, Store: db, Log: slog.Default()})
	for i := range len(j.front) + 7 {
		j.Record(entry(fmt.Sprint(i), 1, noon))
	}
	j.cycle()
	if s := j.Stats(); s.Dropped != 7 || s.Recorded != uint64(len(j.front)) {
		t.Errorf("%+v", s)
	}
	long := entry("long", 1, noon)
	long.Request = []byte(`{"asset":"` + strings.Repeat("x", spillBytes/4) + `"}`)
	for range 6 {
		j.Record(long)
	}
	j.cycle()
	if s := j.Stats(); s.Dropped != 9 {
		t.Errorf("of long requests: %+v", s)
	}
	if found, err := j.Find(t.Context(), "long", ""); err != nil || len(found) != 1 ||
		len(found[0].Request) != len(long.Request) {
		t.Error("the long request is not as it was", err)
	}
}

// behind changes the database behind the program's back.
func behind(t *testing.T, dir, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, store.MainFile))
	if err == nil {
		_, err = db.Exec(statement)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// middleOf returns some bytes from the middle of a block of the file.
func middleOf(t *testing.T, path string, id int) (some []byte) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err == nil {
		err = db.QueryRow("SELECT substr(data, length(data)/2, 16) FROM decision_blocks WHERE id = ?", id).Scan(&some)
		err = errors.Join(err, db.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	return some
}

// TestDamagedBlock: a damaged block costs its decisions, is counted, and is no obstacle to anything else.
func TestDamagedBlock(t *testing.T) {
	for name, spoil := range map[string]string{
		"altered":        "CAST(substr(data, 1, 20) || x'00' || substr(data, 22) AS BLOB)",
		"cut":            "substr(data, 1, 100)",
		"empty":          "x''",
		"another format": "CAST(x'09' || substr(data, 2) AS BLOB)",
	} {
		dir := t.TempDir()
		s := start(t, dir, nil)
		for i := range 3 * blockCount {
			s.Record(entry(fmt.Sprintf("r%04d", i), 1, noon.Add(time.Duration(i)*time.Second)))
		}
		s.stop()
		behind(t, dir, "UPDATE decision_blocks SET data = "+spoil+" WHERE id = 2")
		s = start(t, dir, nil)
		s.Record(entry("later", 1, noon.Add(time.Hour)))
		ids, _, unreadable := s.page(Query{})
		if len(ids) != 2*blockCount+1 || ids[0] != "later" || unreadable != 1 {
			t.Errorf("%s: %d decisions, %d unreadable", name, len(ids), unreadable)
		}
		if bad, err := s.Each(noon, noon.Add(time.Hour), func(*Decision) bool { return true }); bad != 1 || err != nil {
			t.Errorf("%s: each: %d unreadable, %v", name, bad, err)
		}
		if st := s.Stats(); st.Unreadable == 0 || st.LastError == nil || !strings.Contains(st.LastError.Text,
			"block 2") {
			t.Errorf("%s: %+v", name, st)
		}
		s.stop()
	}
}

// TestDamagedPages: the file opens, with its keys, when pages of decisions are overwritten, and says what is lost.
func TestDamagedPages(t *testing.T) {
	dir := t.TempDir()
	s := start(t, dir, nil)
	for i := range 10 * blockCount {
		e := entry(fmt.Sprintf("r%04d", i), 1, noon)
		e.Request = []byte(fmt.Sprintf(`{"n":"%x"}`, math.Sin(float64(i)))) // compresses badly
		s.Record(e)
		if i%blockCount == 0 {
			s.Flush(t.Context())
		}
	}
	s.stop()
	path := filepath.Join(dir, store.MainFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.Index(text, middleOf(t, path, 5))
	if at < 0 {
		t.Fatal("block 5 is not in the file")
	}
	for i := range 4096 { // its page; pages begin at multiples of their size
		text[at&^4095+i] = 0xff
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	s = start(t, dir, nil)
	ids, _, unreadable := s.page(Query{Limit: 5000})
	if unreadable == 0 || len(ids) == 0 || len(ids)+unreadable*blockCount < 10*blockCount {
		t.Errorf("%d decisions, %d unreadable", len(ids), unreadable)
	}
}

// TestRecordAllocs: recording allocates nothing.
func TestRecordAllocs(t *testing.T) {
	db := opened(t, t.TempDir())
	j := New(Config{Mode: Verdicts, Store: db, Log: slog.Default()})
	e := entry("req_01", 1, noon)
	e.Verdict = &policy.Verdict{Applies: true, Outcome: policy.Deny,
		Violations: []policy.Violation{{Rule: policy.MaxLeverage, Limit: 10, Value: 12}}}
	if n := testing.AllocsPerRun(1000, func() { j.Record(e) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkRecord(b *testing.B) {
	db := opened(b, b.TempDir())
	j := New(Config{Mode: Verdicts, Store: db, Log: slog.Default()})
	e := entry("req_01ABCDEFGHJKMNPQRSTVWXYZ00", 1, noon)
	for i := range e.facts {
		e.facts[i] = float64(i) / 7
	}
	for b.Loop() {
		e.figures[score] += 0.123
		if j.Record(e); j.used == len(j.front) {
			j.cycle()
		}
	}
}

// TestPublished: each decision is told once, after it is on disk.
func TestPublished(t *testing.T) {
	var mu sync.Mutex
	var told []string
	var s *started
	s = start(t, t.TempDir(), func(c *Config) {
		c.Publish = func(account string, text []byte) {
			var d Decision
			if err := json.Unmarshal(text, &d); err != nil || d.Wallet != account {
				t.Errorf("%s: %s %v", account, text, err)
			}
			if found, err := s.Find(context.Background(), d.RequestID, ""); err != nil || len(found) != 1 {
				t.Errorf("%s is told and not found: %v", d.RequestID, err)
			}
			mu.Lock()
			told = append(told, d.RequestID)
			mu.Unlock()
		}
	})
	for i := range 3 {
		s.Record(entry(fmt.Sprint(i), 1, noon))
		s.Flush(t.Context())
	}
	mu.Lock()
	defer mu.Unlock()
	if strings.Join(told, " ") != "0 1 2" {
		t.Errorf("told %v", told)
	}
}
