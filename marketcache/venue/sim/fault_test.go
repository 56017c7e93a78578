package sim

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestParseFaults(t *testing.T) {
	for _, good := range []string{"", "stall", "stall:BTC, cap:ETH", "slow:3s", "429:30", "500:userFees",
		"disconnect", "crossed,delist:SOL"} {
		if _, err := parseFaults(good); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{"nonsense", "slow:fast", "down:BTC", "stall:"} {
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
		{"crossed", 200, func(b string) bool { bid, ask := tops(b); return bid > ask && ask > 0 }},
		{"one-sided:BTC", 200, func(b string) bool { bid, ask := tops(b); return bid > 0 && ask == 0 }},
		{"delist:ETH", 200, func(b string) bool { bid, ask := tops(b); return bid > 0 && ask > bid }},
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

func TestListingFaults(t *testing.T) {
	r := start(t, Config{Seed: 4, Manual: true})
	if err := r.SetFaults("delist:ETH,cap:SOL"); err != nil {
		t.Fatal(err)
	}
	var both tuple2[metaIn, []assetContext]
	r.info(`{"type":"metaAndAssetCtxs"}`, &both)
	if u, c := both.first.Universe[1], both.second[1]; !u.IsDelisted || c.MidPx != nil {
		t.Errorf("%+v %+v", u, c)
	}
	var caps []string
	r.info(`{"type":"perpsAtOpenInterestCap"}`, &caps)
	if strings.Join(caps, ",") != "CANTO,SOL,MON,PURR" {
		t.Errorf("caps %v", caps)
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
	r := start(t, Config{Seed: 4})
	s := r.dial()
	s.send(subscribe(`{"type":"l2Book","coin":"BTC"}`))
	s.until("l2Book")
	_ = r.SetFaults("stall")
	s.send(`{"method":"ping"}`)
	if !s.silent(1200 * time.Millisecond) {
		t.Error("stall: the socket speaks")
	}

	_ = r.SetFaults("stall:BTC")
	s = r.dial()
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
