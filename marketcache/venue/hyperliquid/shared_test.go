package hyperliquid

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"ballast/marketcache"
)

// TestQuestionsWeighAsTheAdapterThinks has the adapter ask everything that it ever asks
// and compares what a relay reads of each question: the weight that the venue documents,
// room for the rows of the answer, and the adapter's own order of urgency.
func TestQuestionsWeighAsTheAdapterThinks(t *testing.T) {
	urgency := map[string]priority{
		"clearinghouseState": forWallet, "userAbstraction": forWallet, "userFees": forWallet, "activeAssetData": forWallet,
		"exchangeStatus": forLive, "metaAndAssetCtxs": forTables, "perpsAtOpenInterestCap": forTables,
		"predictedFundings": forTables, "candleSnapshot": forWarmUp, "fundingHistory": forWarmUp,
	}
	seen := map[string]bool{}
	setup := func(v *fakeVenue, _ *Config) {
		v.heard = func(body []byte, header string) {
			q, ok := ReadQuestion(body, time.Now().UnixMilli())
			if !ok {
				t.Errorf("not read: %s", body)
				return
			}
			want, light := weightOf[q.Type]
			if !light {
				want = 20
			}
			most := map[string]int{"candleSnapshot": 84, "fundingHistory": 25}[q.Type]
			if q.Weight != want || q.Most > most || most > 0 && q.Most == 0 {
				t.Errorf("%s weighs %d and at most %d more", body, q.Weight, q.Most)
			}
			if p, known := urgency[q.Type]; known && readPriority(header) != p && !seen[q.Type] {
				t.Errorf("%s comes with %q", body, header)
			}
			seen[q.Type] = true
		}
	}
	play(t, setup, func(s scene) {
		time.Sleep(3 * time.Second)
		if _, err := s.f.LoadAccount(s.Context(), wallet(1), 1); err != nil {
			s.Error(err)
		}
		s.v.script(func() {
			for kind := range urgency {
				if !seen[kind] {
					s.Errorf("%s was not asked", kind)
				}
			}
		})
	})
}

func TestReadQuestion(t *testing.T) {
	const now = 1_800_000_000_000
	for _, row := range []struct {
		body         string
		weight, most int // most -1: not a question
	}{
		{`{"type":"l2Book","coin":"BTC"}`, 2, 0},
		{`{"type":"userRole","user":"0x"}`, 60, 0},
		{`{"type":"never heard of"}`, 20, 0},
		{`{"type":"candleSnapshot","req":{"coin":"BTC","interval":"1h","startTime":0,"endTime":1800003600000}}`, 20, 84},
		{`{"type":"candleSnapshot","req":{"coin":"BTC","interval":"1h","startTime":1799996400000,"endTime":1800003600000}}`, 20, 1},
		{`{"type":"candleSnapshot","req":{"coin":"BTC","interval":"1m","startTime":1799996400000}}`, 20, 84},
		{`{"type":"candleSnapshot","req":{"coin":"BTC","interval":"1h","startTime":9000000000000}}`, 20, 1},
		{`{"type":"fundingHistory","coin":"BTC","startTime":0}`, 20, 25},
		{`{"type":"fundingHistory","coin":"BTC","startTime":1799996400000}`, 20, 1},
		{`{"type":"fundingHistory","coin":"BTC"}`, 20, 25},
		{`{"type":"candleSnapshot"}`, 0, -1},
		{`{"coin":"BTC"}`, 0, -1},
		{`[]`, 0, -1},
		{``, 0, -1},
	} {
		q, ok := ReadQuestion([]byte(row.body), now)
		if ok != (row.most >= 0) || ok && (q.Weight != row.weight || q.Most != row.most) {
			t.Errorf("%s: %d and at most %d more, %v", row.body, q.Weight, q.Most, ok)
		}
	}
	q, _ := ReadQuestion([]byte(`{"type":"fundingHistory","coin":"BTC","startTime":0}`), now)
	if w := q.Weighed([]byte("[" + strings.Repeat("{},", 20) + "{}]")); w != 22 {
		t.Errorf("21 rows weigh %d", w)
	}
}

func TestPriorityHeader(t *testing.T) {
	for p := range priorities {
		if got := readPriority(p.header()); got != p {
			t.Errorf("%v reads %v", p, got)
		}
	}
	for header, want := range map[string]priority{"": forTables, "i": forTables, "u=9": forTopUp, "i, u=0": forWallet, "u=-1": forTables, "u=x": forTables} {
		if got := readPriority(header); got != want {
			t.Errorf("%q reads %v, want %v", header, got, want)
		}
	}
}

func TestReadTopic(t *testing.T) {
	for _, row := range []struct {
		frame, channel, coin string
		ok                   bool
	}{
		{`{"channel":"l2Book","data":{"coin":"BTC","time":1,"levels":[[],[]]}}`, "l2Book", "BTC", true},
		{`{"channel":"l2Book","data":{"time":1,"coin":"BTC"}}`, "l2Book", "BTC", true},
		{`{"channel":"l2Book","data":{"coin":"BTC","lev`, "l2Book", "BTC", true}, // whose book it was to be is known
		{`{"channel":"allDexsAssetCtxs","data":{"ctxs":[["",[{}]]]}}`, "allDexsAssetCtxs", "", true},
		{`{"channel":"pong"}`, "pong", "", true},
		{`{"channel":"error","data":"text"}`, "error", "", true},
		{Greeting, "", "", false},
		{`{"data":{"x":1}}`, "", "", false},
		{`{"channel":"l2Book","data":{"coin":7}}`, "l2Book", "", false},
		{``, "", "", false},
	} {
		channel, coin, ok := ReadTopic([]byte(row.frame))
		if ok != row.ok || ok && (string(channel) != row.channel || string(coin) != row.coin) {
			t.Errorf("%s: %q %q %v", row.frame, channel, coin, ok)
		}
	}
}

// TestAnswerOutOfACache: contexts of an answer that has lain in a cache for 20 s are 20 s
// old, and the Date beside it, which is as old, does not touch the clock.
func TestAnswerOutOfACache(t *testing.T) {
	play(t, func(v *fakeVenue, _ *Config) {
		v.noMarks, v.noLists = true, true
		v.info = func(kind string, _ infoRequest) (int, string, map[string]string) {
			if kind != "metaAndAssetCtxs" {
				return 0, "", nil
			}
			return 200, metaJSON(v.assets...), map[string]string{
				"Age": "20", "Date": time.Now().Add(-20 * time.Second).UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT"),
			}
		}
	}, func(s scene) {
		time.Sleep(30 * time.Second)
		if a := s.contextAge(0); a < 20*time.Second || a > 40*time.Second {
			s.Errorf("context is %v old", a)
		}
		if skew := s.cache.Venue.ClockSkewMs.Load(); skew < -1000 || skew > 1000 {
			s.Errorf("the venue's clock seems to be off by %d ms", skew)
		}
		if a := s.bookAge(0); a < 0 || a > time.Second {
			s.Errorf("book is %v old", a)
		}
	})
}

// TestRefusalOfARelay: a relay that refuses histories slows down histories and nothing
// else.
func TestRefusalOfARelay(t *testing.T) {
	play(t, func(v *fakeVenue, cfg *Config) {
		cfg.Budget = 1200
		v.info = func(kind string, _ infoRequest) (int, string, map[string]string) {
			if kind != "candleSnapshot" {
				return 0, "", nil
			}
			return 429, "null", map[string]string{"Retry-After": "30", HeaderRefusal: "1"}
		}
	}, func(s scene) {
		time.Sleep(90 * time.Second)
		for n := range 20 {
			began := time.Now()
			if _, err := s.f.LoadAccount(s.Context(), wallet(byte(n)), marketcache.NoAsset); err != nil {
				s.Error(err)
			}
			if took := time.Since(began); took > 500*time.Millisecond {
				s.Errorf("wallet read took %v", took)
			}
		}
		// Three assets, each asked again after the time it was told.
		if n := s.v.count("candleSnapshot"); n < 6 || n > 20 {
			s.Errorf("%d candle questions", n)
		}
		if used := s.f.budget.used(); used > 1100 {
			s.Errorf("%d weight for what never reached the venue", used)
		}
		s.fresh(time.Second, 0, 1, 2)
	})
}

// TestMeter: what a relay grants stays within its budget, the more urgent first.
func TestMeter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		toTheFuture()
		m := NewMeter(100)
		defer m.Close()
		m.Assume(60, marketcache.Now())
		heavy, _ := ReadQuestion([]byte(`{"type":"userFees","user":"0x"}`), 0)
		g, err := m.Take(t.Context(), "u=0", &heavy, time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Take(t.Context(), "u=5", &heavy, time.Second); !errors.Is(err, ErrBudget) {
			t.Errorf("beyond the share of histories: %v", err)
		}
		g.Settle(20)
		g.Settle(20)
		if m.Used() != 80 {
			t.Errorf("%d used", m.Used())
		}
		if _, err := m.Take(t.Context(), "u=0", &heavy, 0); err != nil {
			t.Errorf("the last of it is for wallets: %v", err)
		}
		_, err = m.Take(t.Context(), "u=0", &heavy, time.Second)
		if wait, ok := RetryAfter(err); !ok || wait < 30*time.Second || wait > 62*time.Second {
			t.Errorf("wait %v, %v", wait, err)
		}
		time.Sleep(2 * time.Minute)
		m.Refused("40")
		if _, err := m.Take(t.Context(), "u=0", &heavy, 30*time.Second); !errors.Is(err, ErrBudget) {
			t.Errorf("after a 429: %v", err)
		}
		if _, err := m.Take(t.Context(), "u=0", &heavy, 50*time.Second); err != nil {
			t.Errorf("after its Retry-After: %v", err)
		}
		m.Accepted()
	})
}

// TestAnswersOfARelayWeighNothing: a relay that has nobody to ask costs no weight.
func TestAnswersOfARelayWeighNothing(t *testing.T) {
	play(t, func(v *fakeVenue, cfg *Config) {
		cfg.Budget = 1200
		v.info = func(string, infoRequest) (int, string, map[string]string) {
			return 503, "relay: no replica holds the lease", map[string]string{HeaderRefusal: "1"}
		}
	}, func(s scene) {
		time.Sleep(30 * time.Second)
		if clock, meta := s.v.count("exchangeStatus"), s.v.count("metaAndAssetCtxs"); clock+meta < 5 || meta == 0 {
			s.Errorf("asked %d and %d times", clock, meta)
		}
		// Half of the first minute is taken as spent by a former process. What is being
		// asked at this very moment weighs something until it is answered.
		s.f.budget.mu.Lock()
		defer s.f.budget.mu.Unlock()
		if settled := s.f.budget.settled; settled > 600 {
			s.Errorf("%d weight", settled)
		}
	})
}
