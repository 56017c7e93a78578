package hyperliquid

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"ballast/internal/reference"
	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// slow lets the fake venue answer a type of request only after a delay.
func slow(s scene, kind string, delay time.Duration) {
	s.v.script(func() { s.v.holdOf = map[string]time.Duration{kind: delay} })
}

// A setting that cannot be read in time, or at all, costs only itself.
func TestSettingIsOptional(t *testing.T) {
	play(t, replaying, func(s scene) {
		time.Sleep(3 * time.Second)
		eth := s.cache.Universe().LookupString("ETH")
		load := func(what string, w byte, read bool, leverage float64) {
			s.Helper()
			began := time.Now()
			a := s.load(w, eth)
			if took := time.Since(began); took > moreWait+100*time.Millisecond {
				s.Errorf("%s: took %v", what, took)
			}
			if setting, ok := a.Setting(eth); ok != read || setting.Leverage != leverage {
				s.Errorf("%s: %v %+v", what, ok, setting)
			}
		}
		setting := func(text string) {
			s.v.script(func() { s.v.replay(answers{"activeAssetData": json.RawMessage(text)}) })
		}
		load("none", 1, true, 0)
		setting(`{"ETH":{"coin":"ETH","leverage":{"type":"odd","value":3},"availableToTrade":["1"]}}`)
		load("kept", 1, true, 0)
		load("a mode of its own", 2, true, 3)
		two := wallet(2)
		a, _, _ := s.cache.Account(&two, marketcache.Now(), marketcache.Forever)
		if got, _ := a.Setting(eth); got.ModeKnown || got.HasAvailable {
			s.Errorf("%+v", got)
		}
		time.Sleep(marketcache.SettingMaxAge)
		load("renewed", 1, true, 3)
		setting(`{"ETH":{"coin":"ETH","leverage":{"type":"cross","value":"many"}}}`)
		load("unreadable", 3, false, 0)
		setting(`{"ETH":{"coin":"ETH","leverage":{"type":"cross","value":5}}}`)
		load("asked for again", 3, true, 5)
		slow(s, "activeAssetData", 3*time.Second)
		for n := range byte(10) { // more in a row than close a breaker
			load("slow", 10+n, false, 0)
		}
		load("known although slow", 3, true, 5)
		if s.cache.Venue.BreakerOpen.Load() {
			s.Error("settings that are slow keep wallets from being read")
		}
	})
}

// An address that holds nothing anywhere is asked what it is, once.
func TestRole(t *testing.T) {
	play(t, replaying, func(s scene) {
		time.Sleep(3 * time.Second)
		const nothing = `{"crossMarginSummary":{"accountValue":"0"},"withdrawable":"0","assetPositions":[]}`
		empty := func(role string) answers {
			return answers{"clearinghouseState": json.RawMessage(nothing), "userRole": json.RawMessage(role)}
		}
		load := func(what string, w byte, a answers, role string, asked int) *marketcache.Account {
			s.Helper()
			s.v.script(func() { s.v.replay(a); s.v.asked["userRole"] = 0 })
			got := s.load(w, marketcache.NoAsset)
			if n := s.v.count("userRole"); got.Role != role || n != asked {
				s.Errorf("%s: %q, asked %d times", what, got.Role, n)
			}
			return got
		}
		const agent = `{"role":"agent","data":{"user":"0x00000000000000000000000000000000000000aB"}}`
		if a := load("agent", 1, empty(agent), "agent", 1); a.Owner != wallet(0xab) {
			s.Errorf("owner %v", a.Owner)
		}
		time.Sleep(2 * time.Second)
		if a := load("known", 1, empty(`{"role":"user"}`), "agent", 0); a.Owner != wallet(0xab) {
			s.Errorf("owner %v", a.Owner)
		}
		aged := func(w byte, by time.Duration) {
			name := wallet(w)
			a, _, _ := s.cache.Account(&name, marketcache.Now(), marketcache.Forever)
			b := *a
			b.RoleRead = b.RoleRead.Add(-by)
			s.cache.StoreAccount(&b)
		}
		aged(1, 23*time.Hour)
		load("the same day", 1, empty(`{"role":"user"}`), "agent", 0)
		aged(1, 2*time.Hour)
		load("a day later", 1, empty(`{"role":"user"}`), "user", 1)
		load("missing", 2, empty(`{"role":"missing"}`), "missing", 1)
		aged(2, 9*time.Minute)
		load("still missing", 2, empty(agent), "missing", 0)
		aged(2, 2*time.Minute)
		load("no longer", 2, empty(agent), "agent", 1)
		if a := load("without data", 3, empty(`{"role":"agent"}`), "agent", 1); a.Owner != (marketcache.Wallet{}) {
			s.Errorf("owner %v", a.Owner)
		}
		load("a new word", 4, empty(`{"role":"council"}`), "council", 1)
		load("unreadable", 5, empty(`{"role":7}`), "unknown", 1)
		load("asked for again", 5, empty(`{"role":"vault"}`), "vault", 1)
		a := empty(agent)
		a["spotClearinghouseState"] = json.RawMessage(`{"balances":[{"coin":"HYPE","token":150,"total":"0.1"}]}`)
		load("a balance", 6, a, "", 0)
		a = empty(agent)
		a["dex"] = json.RawMessage(`{"xyz":{"crossMarginSummary":{"accountValue":"1"},"assetPositions":[]}}`)
		load("money on a dex", 7, a, "", 0)
		slow(s, "userRole", 3*time.Second)
		load("slow", 8, empty(agent), "unknown", 1)
		s.v.script(func() { s.v.holdOf = nil })
		load("quick again", 8, empty(agent), "agent", 1)
	})
}

func TestGoldenOrders(t *testing.T) {
	var golden struct {
		Orders []struct {
			Name  string
			Input struct {
				Orders json.RawMessage `json:"frontendOpenOrders"`
			}
			Output struct{ Count int }
		}
	}
	reference.Golden(t, "account_truth", &golden)
	f := bareFeed()
	f.learn([]byte(metaJSON("BTC", "ETH", "SOL")))
	for _, c := range golden.Orders {
		var list marketcache.OpenOrders
		reason := parseOrders(c.Input.Orders, f.cache.Universe(), "", &list)
		count := 0
		for _, o := range list.Orders {
			if !o.Child {
				count++
			}
			if o.Asset == marketcache.NoAsset || o.Whole != (o.Units == 0) || o.Trigger != (o.TriggerPrice > 0) {
				t.Errorf("%s: %+v", c.Name, o)
			}
		}
		if reason != "" || count != c.Output.Count {
			t.Errorf("%s: %q, %d orders, want %d", c.Name, reason, count, c.Output.Count)
		}
	}
}

func orderJSON(coin, more string) string {
	return fmt.Sprintf(`{"coin":%q,"side":"B","limitPx":"2","sz":"3","isTrigger":false,"triggerPx":"0.0",`+
		`"reduceOnly":false,"isPositionTpsl":false,"orderType":"Limit"%s}`, coin, more)
}

func TestParseOrders(t *testing.T) {
	f := bareFeed()
	f.learn([]byte(metaJSON("A")))
	const stop = `{"coin":"A","side":"A","limitPx":"1","sz":"0","isTrigger":true,"triggerPx":"1.5","reduceOnly":true,` +
		`"isPositionTpsl":true,"orderType":"Stop Limit","children":[]}`
	list := "[" + orderJSON("@1", "") + "," + orderJSON("PURR/USDC", "") + "," + orderJSON("#7", "") + "," +
		orderJSON("A", `,"children":[`+stop+`]`) + "," + orderJSON("NEW", `,"children":null`) + "]"
	var got marketcache.OpenOrders
	reason := parseOrders([]byte(list), f.cache.Universe(), "", &got)
	want := []marketcache.OpenOrder{
		{Asset: 0, Buy: true, Units: 3, LimitPrice: 2},
		{Asset: 0, LimitPrice: 1, Trigger: true, Stop: true, StopLimit: true, TriggerPrice: 1.5, ReduceOnly: true,
			Whole: true, Child: true},
		{Asset: marketcache.NoAsset, Buy: true, Units: 3, LimitPrice: 2},
	}
	if reason != "" || !got.Spot || fmt.Sprint(got.Orders) != fmt.Sprint(want) {
		t.Errorf("%q %+v", reason, got)
	}
	for _, odd := range []string{
		`{}`, `[null]`, `[{}]`, `["A"]`, `[{"coin":"A","side":"B","limitPx":"2"}]`,
		`[{"coin":"A","side":"B","sz":"2"}]`, `[{"side":"B","limitPx":"2","sz":"2"}]`,
		`[{"coin":"A","side":"X","limitPx":"2","sz":"2"}]`, `[{"coin":"A","side":"B","limitPx":"2","sz":"0"}]`,
		`[{"coin":"A","side":"B","limitPx":"-2","sz":"1"}]`,
		`[{"coin":"A","side":"B","limitPx":"2","sz":"1","isTrigger":true}]`, "[" + orderJSON("A", `,"children":[{}]`) +
			"]",
	} {
		if reason := parseOrders([]byte(odd), f.cache.Universe(), "", &got); reason != marketcache.OrdersError {
			t.Errorf("%s: %q", odd, reason)
		}
	}
	for _, of := range []string{"A", "xyz:D", "@1"} {
		for dex, want := range map[string]string{"": "A @1", "xyz": "xyz:D"} {
			reason := parseOrders([]byte("["+orderJSON(of, "")+"]"), f.cache.Universe(), dex, &got)
			if (reason == "") != strings.Contains(want, of) {
				t.Errorf("%s on dex %q: %q", of, dex, reason)
			}
		}
	}
}

// With OrdersFull, resting orders are read every ten seconds and when something has changed, and a failure
// costs only them.
func TestOpenOrders(t *testing.T) {
	play(t, func(v *fakeVenue, cfg *Config) {
		replaying(v, cfg)
		cfg.OpenOrders, cfg.Dexes = OrdersFull, []string{"xyz"}
	}, func(s scene) {
		time.Sleep(3 * time.Second)
		state := func(units float64) answers {
			return answers{
				"clearinghouseState": json.RawMessage(fmt.Sprintf(`{"crossMarginSummary":{"accountValue":"1000",`+
					`"totalNtlPos":"%g","totalMarginUsed":"%g"},"withdrawable":"%g","assetPositions":[{"position":`+
					`{"coin":"SOL","szi":"%g","leverage":{"type":"cross","value":10},"positionValue":"%g",`+
					`"marginUsed":"%g","maxLeverage":10}}]}`,
					100*units, 10*units, 1000-10*units, units, 100*units, 10*units)),
				"frontendOpenOrders": json.RawMessage("[" + orderJSON("SOL", "") + "]"),
			}
		}
		load := func(what string, a answers, asked, orders int, reason string) {
			s.Helper()
			s.v.script(func() { s.v.replay(a); s.v.asked["frontendOpenOrders"] = 0 })
			got := s.load(1, marketcache.NoAsset)
			if n := s.v.count("frontendOpenOrders"); n != asked || got.Orders == nil ||
				len(got.Orders.Orders) != orders || got.Orders.Reason != reason {
				s.Errorf("%s: asked %d times, %+v", what, n, got.Orders)
			}
		}
		load("first", state(1), 1, 1, "")
		time.Sleep(2 * time.Second)
		load("known", state(1), 0, 1, "")
		load("a fill", state(2), 1, 1, "")
		time.Sleep(11 * time.Second)
		broken := state(2)
		broken["frontendOpenOrders"] = json.RawMessage(`[{}]`)
		load("kept", broken, 1, 1, "")
		if n := s.f.Stats().SetAside[asideOrders]; n != 1 {
			s.Errorf("%d counted", n)
		}
		load("not asked at once again", broken, 0, 1, "")
		time.Sleep(marketcache.OrdersMaxAge)
		load("too old", broken, 1, 0, "error")
		time.Sleep(11 * time.Second)
		slow(s, "frontendOpenOrders", 2*time.Second)
		load("slow", state(2), 1, 0, "timeout")
		s.v.script(func() { s.v.holdOf = nil })
		time.Sleep(11 * time.Second)
		many := state(2)
		list := []byte("[" + orderJSON("SOL", ""))
		for range maxOrders {
			list = append(list, ","+orderJSON("SOL", "")...)
		}
		many["frontendOpenOrders"] = append(list, ']')
		load("too many", many, 1, 0, "too_many")
		time.Sleep(11 * time.Second)
		both := state(2)
		both["dex"] = json.RawMessage(`{"xyz":{"crossMarginSummary":{"accountValue":"1"},"withdrawable":"1",` +
			`"assetPositions":[]}}`)
		time.Sleep(time.Minute) // all dexes are read
		load("a coin of another dex", both, 2, 0, "error")
		time.Sleep(11 * time.Second)
		both["frontendOpenOrders"] = json.RawMessage("[]")
		load("on two dexes", both, 2, 0, "")
	})
}

// The leverage setting of an asset in which an order rests is read once, unless the wallet has a position there or the
// order enlarges nothing; one that does not come costs a second.
func TestOrdersSettings(t *testing.T) {
	play(t, func(v *fakeVenue, cfg *Config) {
		replaying(v, cfg)
		cfg.OpenOrders = OrdersFull
	}, func(s scene) {
		time.Sleep(3 * time.Second)
		list := strings.Join([]string{orderJSON("ETH", ""), orderJSON("ETH", ""), orderJSON("SOL", ""),
			strings.Replace(orderJSON("BTC", ""), `"reduceOnly":false`, `"reduceOnly":true`, 1)}, ",")
		const state = `{"crossMarginSummary":{"accountValue":"1000","totalNtlPos":"100","totalMarginUsed":"10"},` +
			`"withdrawable":"900","assetPositions":[{"position":{"coin":"SOL","szi":"1","positionValue":"100",` +
			`"leverage":{"type":"cross","value":10},"marginUsed":"10","maxLeverage":10}}]}`
		const setting = `{"ETH":{"coin":"ETH","leverage":{"type":"isolated","value":3}}}`
		s.v.script(func() {
			s.v.replay(answers{
				"clearinghouseState": json.RawMessage(state),
				"frontendOpenOrders": json.RawMessage("[" + list + "]"),
				"activeAssetData":    json.RawMessage(setting),
			})
			s.v.asked["activeAssetData"] = 0
		})
		for range 2 {
			a := s.load(1, marketcache.NoAsset)
			set, _ := a.Setting(s.cache.Universe().LookupString("ETH"))
			if n := s.v.count("activeAssetData"); n != 1 || len(a.Settings) != 1 || set.Leverage != 3 || !set.Isolated {
				s.Errorf("asked %d times, %+v", n, a.Settings)
			}
			time.Sleep(11 * time.Second)
		}
		slow(s, "activeAssetData", time.Minute)
		began := time.Now()
		a := s.load(2, marketcache.NoAsset)
		if took := time.Since(began); took > moreWait+100*time.Millisecond || len(a.Settings) != 0 ||
			len(a.Orders.Orders) != 4 {
			s.Errorf("took %v, %+v", took, a)
		}
	})
}

func TestOrdersOff(t *testing.T) {
	play(t, func(v *fakeVenue, cfg *Config) { replaying(v, cfg); cfg.OpenOrders = OrdersOff }, func(s scene) {
		time.Sleep(3 * time.Second)
		a := s.load(1, marketcache.NoAsset)
		if a.Orders != nil || a.Pools[0].HeldUSD != 0 || !math.IsInf(a.Pools[0].HeldMostUSD, 1) {
			s.Errorf("%+v", a)
		}
	})
}

// While weight is short, an account goes out without what it can do without.
func TestMoreWithinTheBudget(t *testing.T) {
	setup := func(v *fakeVenue, cfg *Config) {
		replaying(v, cfg)
		cfg.OpenOrders, cfg.Budget, cfg.Dexes, v.limit = OrdersFull, 600, []string{AllDexes}, 600
	}
	play(t, setup, func(s scene) {
		s.within(time.Hour, "all histories", func() bool {
			time.Sleep(time.Second)
			return s.f.history.Phase() == feed.Warm
		})
		time.Sleep(time.Minute) // weight grows back from the last history
		eth := s.cache.Universe().LookupString("ETH")
		load := func(what string, w byte, orders string, setting bool) {
			s.Helper()
			ctx := marketcache.WithCaller(s.Context(), marketcache.Caller{ID: "key"})
			began := time.Now()
			a, err := s.f.LoadAccount(ctx, wallet(w), eth)
			if err != nil {
				s.Fatalf("%s: %v", what, err)
			}
			if took := time.Since(began); took > 200*time.Millisecond {
				s.Errorf("%s: took %v", what, took)
			}
			if _, read := a.Setting(eth); read != setting || a.Orders == nil || a.Orders.Reason != orders {
				s.Errorf("%s: setting read %v, orders %+v", what, read, a.Orders)
			}
		}
		load("with weight", 1, "", true)
		a, _, _ := s.cache.Account(&first, marketcache.Now(), marketcache.Forever)
		bare := *a
		bare.Settings, bare.Orders = nil, nil
		s.cache.StoreAccount(&bare)
		s.f.queue.Refused(feed.ForWallet, 30*time.Second) // the venue wants nothing about wallets until then
		load("without weight", 1, "budget", false)
	})
}

func TestWhatHasLeftTheOrders(t *testing.T) {
	order := func(oid uint64, units float64) marketcache.OpenOrder {
		return marketcache.OpenOrder{Asset: 1, OID: oid, Units: units, LimitPrice: 5}
	}
	list := func(second marketcache.Instant, orders ...marketcache.OpenOrder) *marketcache.OpenOrders {
		return &marketcache.OpenOrders{Read: second * marketcache.Instant(time.Second), Orders: orders}
	}
	stop := order(4, 9)
	stop.ReduceOnly = true
	first := list(10, order(1, 5), order(2, 6), order(3, 7), stop)
	second := list(11, order(1, 5), order(2, 4))
	second.Left = leftOf(first, second)
	if want := []marketcache.OpenOrder{order(2, 2), order(3, 7)}; !reflect.DeepEqual(second.Left, want) {
		t.Errorf("%+v, want %+v", second.Left, want)
	}
	for at, want := range map[marketcache.Instant][]marketcache.OpenOrder{
		12: {order(2, 2), order(3, 7), order(1, 5)}, 13: {order(1, 5)},
	} {
		if got := leftOf(second, list(at, order(2, 4))); !reflect.DeepEqual(got, want) {
			t.Errorf("second %d: %+v, want %+v", at, got, want)
		}
	}
	unread := list(10)
	unread.Reason = marketcache.OrdersError
	for _, old := range []*marketcache.OpenOrders{nil, unread} {
		if got := leftOf(old, second); got != nil {
			t.Errorf("%+v", got)
		}
	}
}
