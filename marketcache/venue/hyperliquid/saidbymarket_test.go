package hyperliquid

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"ballast/marketcache"
)

// randomContext returns a valid context, as the venue makes one of a market.
func randomContext(r *rand.Rand) map[string]any {
	oracle := math.Exp(r.Float64()*20 - 8)
	mid := oracle * (1 + 0.02*(r.Float64()-0.5))
	bid, ask := mid*(1-0.04*r.Float64()), mid*(1+0.04*r.Float64())
	premium := (max(0, bid-oracle) - max(0, oracle-ask)) / oracle
	units, prev := math.Exp(r.Float64()*20), mid*math.Exp(r.Float64()-0.5)
	text := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	return map[string]any{"funding": text(1e-4 * (r.Float64() - 0.5)), "openInterest": text(1e6 / oracle),
		"prevDayPx": text(prev), "dayNtlVlm": text(units * (mid + r.Float64()*(prev-mid))), "dayBaseVlm": text(units),
		"premium": text(premium + 0.01*(r.Float64()-0.5)), "oraclePx": text(oracle), "markPx": text(mid),
		"midPx": text(mid), "impactPxs": []any{text(bid), text(ask)}}
}

// TestContextSaidTwice: no number of a context that follows from others can be in another unit. Numbers that are
// valid together are taken, also all in another unit.
func TestContextSaidTwice(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	usable := func(c map[string]any) bool {
		b, _ := json.Marshal(c)
		s := scan(b)
		return parseContext(&s, new(marketcache.Context)) && s.end()
	}
	seen := map[string]bool{}
	for range 200 {
		c := randomContext(r)
		if !usable(c) {
			t.Fatalf("not usable: %v", c)
		}
		eachNumber("", c, nil, func(path string, x float64, set func(any)) {
			for _, factor := range []float64{1e-3, 1e-2, 0.25, 4, 25, 100, 1000} {
				switch path {
				case ".funding", ".openInterest", ".prevDayPx", ".markPx": // not of this moment, or compared elsewhere
					continue
				case ".premium":
					if math.Abs(x*factor) < 0.08 {
						continue
					}
				case ".impactPxs.0", ".impactPxs.1": // of a thin book they may be far apart
					if factor > 0.01 && factor < 25 {
						continue
					}
				}
				if set(fmt.Sprint(x * factor)); usable(c) {
					t.Errorf("%s: %v in place of %v is taken: %v", path, x*factor, x, c)
				}
				seen[path] = true
			}
			set(fmt.Sprint(x))
		})
		for _, name := range []string{"prevDayPx", "dayNtlVlm", "oraclePx", "markPx", "midPx"} {
			x, _ := parseDecimal([]byte(c[name].(string)))
			c[name] = strconv.FormatFloat(x/1000, 'f', -1, 64)
		}
		impact := c["impactPxs"].([]any)
		for i := range impact {
			x, _ := parseDecimal([]byte(impact[i].(string)))
			impact[i] = strconv.FormatFloat(x/1000, 'f', -1, 64)
		}
		if !usable(c) {
			t.Fatalf("all in another unit: not usable: %v", c)
		}
	}
	if len(seen) != 7 {
		t.Errorf("changed: %v", seen)
	}
}

// TestContextLacks: a context without a figure that answers state is not used.
func TestContextLacks(t *testing.T) {
	for _, name := range []string{"markPx", "oraclePx", "funding", "openInterest", "dayNtlVlm"} {
		c := randomContext(rand.New(rand.NewPCG(5, 6)))
		c[name] = nil
		for range 2 {
			b, _ := json.Marshal(c)
			s := scan(b)
			if parseContext(&s, new(marketcache.Context)) {
				t.Errorf("taken: %s", b)
			}
			delete(c, name)
		}
	}
}

// saidCase changes one figure of an asset in what one source says, or both.
type saidCase struct {
	figure, from, to string
	stream, rest     bool
	held             func(*marketcache.Context) float64
}

func saidCases() (list []saidCase) {
	interest := func(c *marketcache.Context) float64 { return c.OpenInterestUnits }
	volume := func(c *marketcache.Context) float64 { return c.DayVolumeUSD }
	funding := func(c *marketcache.Context) float64 { return c.FundingRateHourly }
	oracle := func(c *marketcache.Context) float64 { return c.OraclePrice }
	before := func(c *marketcache.Context) float64 { return c.PrevDayPrice }
	for _, c := range []saidCase{
		{figure: "openInterest", from: "1000.0", to: "1300.0", held: interest},
		{figure: "openInterest", from: "1000.0", to: "1.0", held: interest},
		{figure: "openInterest", from: "1000.0", to: "1000000.0", held: interest},
		{figure: "dayNtlVlm", from: "50000.0", to: "70000.0", held: volume},
		{figure: "dayNtlVlm", from: "50000.0", to: "5.0", held: volume},
		{figure: "funding", from: "0.0000125", to: "0.0125", held: funding},
		{figure: "funding", from: "0.0000125", to: "-0.001", held: funding},
		{figure: "funding", from: "0.0000125", to: "-0.0000125", held: funding},
		{figure: "funding", from: "0.0000125", to: "0.0", held: funding},
		{figure: "funding", from: "0.0000125", to: "0.00004", held: funding},
		{figure: "oraclePx", from: "100", to: "103", held: oracle},
		{figure: "oraclePx", from: "100", to: "97", held: oracle},
		{figure: "prevDayPx", from: "99.0", to: "128.0", held: before},
	} {
		for side := range 3 {
			c.stream, c.rest = side != 0, side != 1
			list = append(list, c)
		}
	}
	return list
}

// TestSourcesOfContexts: a figure that only the stream or only REST changes is never used, and the asset is flagged
// as old; what both change together is used and never old. Injects the fault market-said-twice of docs/faults.md.
func TestSourcesOfContexts(t *testing.T) {
	takesLong(t)
	cases, changed := saidCases(), false
	contexts := func(v *fakeVenue, rest bool) string {
		var list []string
		for i := range v.assets {
			text := replaceOne(t, contextJSON(100), `"dayNtlVlm":"5000.0"`, `"dayNtlVlm":"50000.0"`)
			if c := cases[i]; changed && (rest && c.rest || !rest && c.stream) {
				text = replaceOne(t, text, fmt.Sprintf("%q:%q", c.figure, c.from), fmt.Sprintf("%q:%q", c.figure, c.to))
			}
			list = append(list, text)
		}
		return strings.Join(list, ",")
	}
	play(t, func(v *fakeVenue, _ *Config) {
		v.assets, v.every = many(len(cases)), 500*time.Millisecond
		v.marks = func() string {
			var list []string
			for _, a := range v.assets {
				list = append(list, fmt.Sprintf(`%q:{"markPx":"100"}`, a))
			}
			return "{" + strings.Join(list, ",") + "}"
		}
		v.allData = func() string { return `{"ctxs":[["",[` + contexts(v, false) + `]]]}` }
		v.info = func(q infoRequest) reply {
			if q.Type != "metaAndAssetCtxs" {
				return reply{}
			}
			head, _, _ := strings.Cut(metaJSON(v.assets...), contextJSON(100))
			return reply{status: 200, body: head + contexts(v, true) + "]]"}
		}
	}, func(s scene) {
		time.Sleep(50 * time.Second)
		s.v.script(func() { changed = true })
		for at := range 150 {
			time.Sleep(time.Second)
			for i, c := range cases {
				m := s.market(marketcache.AssetID(i))
				limit := m.SlowCadence + 950*time.Millisecond
				want, _ := parseDecimal([]byte(c.from))
				if both := c.stream && c.rest; both && at > 60 {
					want, _ = parseDecimal([]byte(c.to))
				} else if both {
					want = c.held(m.Context)
				}
				if old := m.SlowAge > limit; old != (at > 100 && !(c.stream && c.rest)) && (old || at > 100) &&
					(at > 100 || c.stream && c.rest) {
					s.Errorf("%+v after %d s: %v old", c, at, m.SlowAge)
				}
				if held := c.held(m.Context); held != want {
					s.Errorf("%+v after %d s: %v is used", c, at, held)
				}
			}
			if s.Failed() {
				return
			}
		}
	})
}

// TestPredictedFunding: the venue's own rate in the list of predicted fundings is that of the context. One changed
// alone makes the asset old, both changed together are used. Injects the fault market-said-twice of docs/faults.md.
func TestPredictedFunding(t *testing.T) {
	var list, both [3]string
	play(t, func(v *fakeVenue, _ *Config) {
		newChanges(v)
		for i := range list {
			list[i], both[i] = "0.0000125", "0.0000125"
		}
		contexts := func() string {
			var all []string
			for _, rate := range both {
				all = append(all, strings.Replace(contextJSON(100), "0.0000125", rate, 1))
			}
			return strings.Join(all, ",")
		}
		v.allData = func() string { return `{"ctxs":[["",[` + contexts() + `]]]}` }
		v.info = func(q infoRequest) reply {
			switch q.Type {
			case "metaAndAssetCtxs":
				head, _, _ := strings.Cut(metaJSON(v.assets...), contextJSON(100))
				return reply{status: 200, body: head + contexts() + "]]"}
			case "predictedFundings":
				var rows []string
				for i, a := range v.assets {
					rows = append(rows, fmt.Sprintf(`[%q,[["HlPerp",{"fundingRate":%q,"fundingIntervalHours":1}]]]`,
						a, list[i]))
				}
				return reply{status: 200, body: "[" + strings.Join(rows, ",") + "]"}
			}
			return reply{}
		}
	}, func(s scene) {
		time.Sleep(100 * time.Second)
		s.v.script(func() { list[0], both[1], list[2], both[2] = "0.0125", "-0.0125", "0.0125", "0.0125" })
		for at := range 300 {
			time.Sleep(time.Second)
			for i := range list {
				m := s.market(marketcache.AssetID(i))
				old := m.SlowAge > m.SlowCadence+950*time.Millisecond
				if i == 2 && old || i != 2 && at > 130 && !old {
					s.Fatalf("%d after %d s: %v old", i, at, m.SlowAge)
				}
			}
		}
		if rate := s.market(2).Context.FundingRateHourly; rate != 0.0125 {
			s.Errorf("rate %v", rate)
		}
		s.v.script(func() { list[0], both[1] = "0.0000125", "0.0000125" })
		time.Sleep(3 * time.Minute)
		for i := range list {
			if m := s.market(marketcache.AssetID(i)); m.SlowAge > m.SlowCadence+950*time.Millisecond {
				s.Errorf("%d after all: %v old", i, m.SlowAge)
			}
		}
	})
}
