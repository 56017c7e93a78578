package sim

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestParseFaults(t *testing.T) {
	for _, good := range []string{"", "stall", "stall:BTC, cap:ETH", "slow:3s", "skew:-5s", "429:30", "500:userFees",
		"disconnect", "crossed,nan:SOL"} {
		if _, err := parseFaults(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{"nonsense", "slow:fast", "down:BTC", "stall:", "half-open:x"} {
		if _, err := parseFaults(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
	f, _ := parseFaults("stall:BTC,cap")
	if !f.on("stall", "BTC") || f.on("stall", "ETH") || f.on("stall", "") || !f.on("cap", "ETH") {
		t.Error("stall:BTC must apply to BTC only, cap to every coin")
	}
}

func TestAnswerFaults(t *testing.T) {
	r := start(t, Config{Seed: 4, Manual: true})
	rows := []struct {
		fault  string
		status int
		check  func(body string) bool
	}{
		{"429", 429, func(b string) bool { return strings.Contains(b, "429 Too Many") }},
		{"500", 500, func(b string) bool { return b == "null" }},
		{"garbage", 200, func(b string) bool { return !json.Valid([]byte(b)) }},
		{"truncated", 200, func(b string) bool { return len(b) > 100 && !json.Valid([]byte(b)) }},
		{"crossed", 200, func(b string) bool { bid, ask := tops(b); return bid > ask && ask > 0 }},
		{"one-sided:BTC", 200, func(b string) bool { bid, ask := tops(b); return bid > 0 && ask == 0 }},
		{"empty-book:BTC", 200, func(b string) bool { return strings.Contains(b, `"levels":[[],[]]`) }},
		{"empty-book:ETH", 200, func(b string) bool { bid, ask := tops(b); return bid > 0 && ask > bid }},
		{"nan", 200, func(b string) bool { return strings.Contains(b, `"px":"NaN","sz":"Infinity"`) }},
		{"stale-time", 200, func(b string) bool { age := bookAge(r, b); return age > 59_000 && age < 90_000 }},
		{"skew:+5s", 200, func(b string) bool { age := bookAge(r, b); return age < -4_000 && age > -6_000 }},
		{"delist:BTC", 200, func(b string) bool { return strings.Contains(b, `"levels":[[],[]]`) }},
		{"500:userFees", 200, func(b string) bool { bid, ask := tops(b); return ask > bid }},
	}
	for _, row := range rows {
		t.Run(row.fault, func(t *testing.T) {
			r.t = t
			if err := r.SetFaults(row.fault); err != nil {
				t.Fatal(err)
			}
			if status, b := r.post(`{"type":"l2Book","coin":"BTC"}`); status != row.status || !row.check(string(b)) {
				t.Errorf("%d %.300s", status, b)
			}
		})
	}
}

// tops returns the best bid and ask of a book; 0: the side is empty.
func tops(body string) (bid, ask float64) {
	var b book
	if json.Unmarshal([]byte(body), &b) != nil {
		return 0, 0
	}
	var best [2]float64
	for side, levels := range b.Levels {
		if len(levels) > 0 {
			best[side], _ = strconv.ParseFloat(levels[0]["px"].(string), 64)
		}
	}
	return best[0], best[1]
}

// bookAge returns the current time minus the book's time, in ms.
func bookAge(r *running, body string) int64 {
	var b struct{ Time int64 }
	if json.Unmarshal([]byte(body), &b) != nil {
		return 0
	}
	return r.market.nowMs - b.Time
}

func TestListingFaults(t *testing.T) {
	r := start(t, Config{Seed: 4, Manual: true})
	meta := func() (u []map[string]any, contexts []map[string]any) {
		var both [2]json.RawMessage
		r.info(`{"type":"metaAndAssetCtxs"}`, &both)
		var m struct{ Universe []map[string]any }
		if json.Unmarshal(both[0], &m) != nil || json.Unmarshal(both[1], &contexts) != nil {
			t.Fatal("unreadable")
		}
		return m.Universe, contexts
	}
	set := func(f string) {
		if err := r.SetFaults(f); err != nil {
			t.Fatal(err)
		}
	}
	set("delist:ETH,isolated:SOL,nan:BTC")
	u, c := meta()
	if u[1]["isDelisted"] != true || c[1]["midPx"] != nil || u[3]["marginMode"] != "strictIsolated" ||
		c[0]["markPx"] != "NaN" {
		t.Errorf("%v %v %v %v", u[0], u[1], c[1], u[3])
	}
	set("cap:SOL")
	var caps []string
	r.info(`{"type":"perpsAtOpenInterestCap"}`, &caps)
	if strings.Join(caps, ",") != "CANTO,SOL,MON,PURR" {
		t.Errorf("caps %v", caps)
	}
}

// The venue's status has the time of the wall clock plus the skew, regardless of the age of the
// market state.
func TestExchangeStatusTellsTheClock(t *testing.T) {
	now, advance := movedClock()
	r := start(t, Config{Seed: 4, Assets: 12, Manual: true, Now: now})
	advance(321 * time.Millisecond) // between two steps
	var s struct{ Time int64 }
	r.info(`{"type":"exchangeStatus"}`, &s)
	if s.Time != now().UnixMilli() {
		t.Errorf("%d, want %d", s.Time, now().UnixMilli())
	}
	if err := r.SetFaults("skew:-5s"); err != nil {
		t.Fatal(err)
	}
	r.info(`{"type":"exchangeStatus"}`, &s)
	if s.Time != now().UnixMilli()-5000 {
		t.Errorf("skewed %d, want %d", s.Time, now().UnixMilli()-5000)
	}
}

func TestNotices(t *testing.T) {
	r := start(t, Config{Seed: 4, Assets: 12, Manual: true})
	for fault, want := range map[string]string{"": "", "notice": "Withdrawals are delayed.",
		"notice:Be patient": "Be patient"} {
		if err := r.SetFaults(fault); err != nil {
			t.Fatal(err)
		}
		s := struct{ SpecialStatuses *string }{}
		if r.info(`{"type":"exchangeStatus"}`, &s); (s.SpecialStatuses == nil) != (want == "") || want != "" &&
			*s.SpecialStatuses != want {
			t.Errorf("%s: %v", fault, s)
		}
	}
}

func TestRetryAfterAndSlow(t *testing.T) {
	r := start(t, Config{Seed: 4, Manual: true, Faults: "429:7"})
	status, header, _ := r.postTo("/info", "application/json", `{"type":"meta"}`)
	if status != 429 || header.Get("Retry-After") != "7" {
		t.Errorf("%d %q", status, header.Get("Retry-After"))
	}
	if err := r.SetFaults("slow:300ms"); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	r.post(`{"type":"meta"}`)
	if d := time.Since(began); d < 300*time.Millisecond {
		t.Errorf("answered after %v", d)
	}
}

func TestSocketFaults(t *testing.T) {
	r := start(t, Config{Seed: 4, Every: map[string]time.Duration{"l2Book": 40 * time.Millisecond}})
	quiet := func(name string) {
		s := r.dial()
		s.send(subscribe(`{"type":"l2Book","coin":"BTC"}`))
		s.until("l2Book")
		if err := r.SetFaults(name); err != nil {
			t.Fatal(err)
		}
		s.send(`{"method":"ping"}`)
		if !s.silent(400 * time.Millisecond) {
			t.Errorf("%s: the socket speaks", name)
		}
	}
	quiet("stall")
	_ = r.SetFaults("")
	quiet("half-open")

	_ = r.SetFaults("stall:BTC")
	s := r.dial()
	s.send(subscribe(`{"type":"l2Book","coin":"BTC"}`))
	s.send(subscribe(`{"type":"l2Book","coin":"ETH"}`))
	for range 3 {
		if f := s.until("l2Book"); !strings.Contains(string(f.Data), `"ETH"`) {
			t.Errorf("stall:BTC lets %.40s through", f.Data)
		}
	}

	_ = r.SetFaults("disconnect:100ms")
	s = r.dial()
	s.ws.SetReadDeadline(time.Now().Add(5 * time.Second))
	for {
		if _, _, err := s.ws.ReadMessage(); err != nil {
			if strings.Contains(err.Error(), "timeout") {
				t.Error("disconnect: still open")
			}
			break
		}
	}

	_ = r.SetFaults("down")
	if _, err := client.Get("http://" + r.addr + "/info"); err == nil {
		t.Error("down: an answer")
	}
	_ = r.SetFaults("")
	r.post(`{"type":"meta"}`)
}

func TestFaultsOverHTTP(t *testing.T) {
	r := start(t, Config{Seed: 4, Manual: true})
	post := func(body string) int {
		status, _, _ := r.postTo("/sim/fault", "application/json", body)
		return status
	}
	if post(`{"fault":"cap:ETH"}`) != 200 || r.Faults() != "cap:ETH" {
		t.Errorf("faults %q", r.Faults())
	}
	if post(`{"fault":"nonsense"}`) != 400 || r.Faults() != "cap:ETH" {
		t.Errorf("an unknown fault changed the set to %q", r.Faults())
	}
	if post(`{"fault":""}`) != 200 || r.Faults() != "" {
		t.Errorf("faults %q", r.Faults())
	}
}
