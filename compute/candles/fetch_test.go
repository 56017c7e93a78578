package candles

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"ballast/compute/vol"
	"ballast/marketcache"
	"ballast/marketcache/venue/sim"
)

// simulated starts the simulated venue and returns its address.
func simulated(t *testing.T) string {
	t.Helper()
	exchange, err := sim.Open(sim.Config{Seed: 3, Assets: 6})
	if err != nil {
		t.Fatal(err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- exchange.Serve(ln) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		exchange.Shutdown(ctx)
		<-done
	})
	return "http://" + ln.Addr().String()
}

// Fetch returns all closed bars of the simulated venue without the current one, and an existing
// file is extended.
func TestFetchSimulated(t *testing.T) {
	v := &Venue{Base: simulated(t) + "/", Client: http.DefaultClient}
	before := time.Now().UnixMilli()
	bars, dropped, err := v.Fetch(context.Background(), "BTC", 0)
	if err != nil || dropped != 0 || len(bars) < 4990 || len(bars) > 5000 {
		t.Fatalf("%d bars, %d dropped, %v", len(bars), dropped, err)
	}
	last := bars[len(bars)-1].OpenMs
	if now := time.Now().UnixMilli(); last+hourMs > now ||
		last+2*hourMs+int64(10*time.Second/time.Millisecond) < before {
		t.Errorf("the last bar opens at %d, now is %d", last, now)
	}
	for i, b := range bars {
		if err := vol.CheckBar(b); err != nil || i > 0 && b.OpenMs <= bars[i-1].OpenMs {
			t.Fatalf("bar %d: %+v, %v", i, b, err)
		}
	}
	from := bars[4000].OpenMs
	late, _, err := v.Fetch(context.Background(), "BTC", from)
	if err != nil || !slices.Equal(late[:900], bars[4000:4900]) {
		t.Errorf("%d bars from %d, %v", len(late), from, err)
	}
	path := filepath.Join(t.TempDir(), FileName("BTC"))
	if _, _, err := Extend(path, bars[:3000]); err != nil {
		t.Fatal(err)
	}
	if all, added, err := Extend(path, late); err != nil || added != len(late) || Missing(all) < 1000 {
		t.Errorf("%d added, %d missing, %v", added, Missing(all), err)
	}
	if _, _, err := v.Fetch(context.Background(), "btc", 0); !says(err, "case-sensitive") {
		t.Error(err)
	}
}

// longVenue answers candle requests with at most 5,000 bars, the newest of the requested range.
type longVenue struct {
	bars     []marketcache.Bar
	asked    int
	failures []func(http.ResponseWriter) // answers to the first requests
}

func (v *longVenue) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v.asked++
	if len(v.failures) > 0 {
		fail := v.failures[0]
		v.failures = v.failures[1:]
		fail(w)
		return
	}
	var q struct {
		Type string
		Req  struct {
			Coin, Interval     string
			StartTime, EndTime int64
		}
	}
	err := json.NewDecoder(r.Body).Decode(&q)
	if err != nil || r.URL.Path != "/info" || q.Type != "candleSnapshot" || q.Req.Interval != "1h" {
		http.Error(w, "Failed to deserialize the JSON body into the target type", http.StatusUnprocessableEntity)
		return
	}
	rows := []candle{}
	text := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	for _, b := range v.bars {
		if b.OpenMs+hourMs > q.Req.StartTime && b.OpenMs <= q.Req.EndTime {
			rows = append(rows, candle{OpenMs: b.OpenMs, CloseMs: b.OpenMs + hourMs - 1, Coin: q.Req.Coin,
				Period: "1h",
				Open:   text(b.Open), High: text(b.High), Low: text(b.Low), Close: text(b.Close),
				Volume: text(b.Volume)})
		}
	}
	json.NewEncoder(w).Encode(rows[max(0, len(rows)-5000):])
}

func serve(t *testing.T, v *longVenue) *Venue {
	t.Helper()
	s := httptest.NewServer(v)
	t.Cleanup(s.Close)
	return &Venue{Base: s.URL, Client: s.Client()}
}

// When the venue has more bars than one answer holds, Fetch pages back to the beginning and returns
// each hour once.
func TestFetchPages(t *testing.T) {
	now := time.Now().UnixMilli() / hourMs
	bars := hours(now-12_344, 12_345) // the last bar is not closed yet
	venue := &longVenue{bars: bars}
	v := serve(t, venue)
	got, dropped, err := v.Fetch(context.Background(), "BTC", 0)
	if err != nil || dropped != 0 || !slices.Equal(got, bars[:12_344]) || venue.asked != 4 {
		t.Errorf("%d bars in %d answers, %d dropped, %v", len(got), venue.asked, dropped, err)
	}
	venue.asked = 0
	if got, _, err = v.Fetch(context.Background(), "BTC", bars[9000].OpenMs-5); err != nil ||
		!slices.Equal(got, bars[9000:12_344]) || venue.asked != 1 {
		t.Errorf("%d bars in %d answers, %v", len(got), venue.asked, err)
	}
	venue.bars = nil
	if got, _, err = v.Fetch(context.Background(), "BTC", 0); err != nil || len(got) != 0 {
		t.Error(len(got), err)
	}
	// Invalid bars are dropped and counted.
	venue.bars = slices.Clone(bars[12_000:])
	venue.bars[5].Low, venue.bars[9].OpenMs = -1, venue.bars[9].OpenMs+1
	if got, dropped, err = v.Fetch(context.Background(), "BTC", 0); err != nil || dropped != 2 || len(got) != 342 {
		t.Errorf("%d bars, %d dropped, %v", len(got), dropped, err)
	}
}

// A busy venue is asked again. Other failures return an error that names the asset and the remedy.
func TestFetchFailures(t *testing.T) {
	now := time.Now().UnixMilli() / hourMs
	busy := func(status int) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "0")
			http.Error(w, "busy", status)
		}
	}
	venue := &longVenue{bars: hours(now-99, 99), failures: []func(http.ResponseWriter){
		busy(429), busy(502), busy(429)}}
	v := serve(t, venue)
	waits := 0
	v.Waiting = func(time.Duration) { waits++ }
	if got, _, err := v.Fetch(context.Background(), "BTC", 0); err != nil || len(got) != 99 || waits != 3 {
		t.Errorf("%d bars after %d waits, %v", len(got), waits, err)
	}
	for range maxRetries + 1 {
		venue.failures = append(venue.failures, busy(429))
	}
	if _, _, err := v.Fetch(context.Background(), "BTC", 0); !says(err, "again in some minutes") {
		t.Error(err)
	}
	answer := func(status int, text string) []func(http.ResponseWriter) {
		return []func(http.ResponseWriter){func(w http.ResponseWriter) {
			w.WriteHeader(status)
			fmt.Fprint(w, text)
		}}
	}
	for _, c := range []struct {
		status     int
		text, says string
	}{
		{500, "null", "no such asset"}, {404, "not found", "--venue"}, {200, "<html>", "--venue"},
		{200, `{"a":1}`, "--venue"},
		{200, `[{"t":0,"T":3599999,"s":"ETH","i":"1h"}]`, `candles of "ETH"`},
	} {
		venue.failures = answer(c.status, c.text)
		if _, _, err := v.Fetch(context.Background(), "BTC", 0); !says(err, c.says, "BTC: ") {
			t.Errorf("%d %s: %v", c.status, c.text, err)
		}
	}
	nobody := &Venue{Base: "http://127.0.0.1:1", Client: http.DefaultClient}
	if _, _, err := nobody.Fetch(context.Background(), "BTC", 0); !says(err, "check the network") {
		t.Error(err)
	}
	// A cancelled context ends the wait.
	venue.failures = answer(http.StatusTooManyRequests, "busy")
	ctx, cancel := context.WithCancel(context.Background())
	v.Waiting = func(time.Duration) { cancel() }
	if _, _, err := v.Fetch(ctx, "BTC", 0); !says(err, "canceled") {
		t.Error(err)
	}
}
