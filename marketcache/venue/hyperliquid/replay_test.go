package hyperliquid

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"ballast/internal/reference"
	"ballast/marketcache"
)

// answers are what the venue says about one wallet, by type of request; activeAssetData by coin, and the
// states on dexes other than the main one under "dex". The text "NOW" stands for the venue's time.
type answers map[string]json.RawMessage

// replayMarks are the marks of the assets of a venue that replays answers.
var replayMarks = map[string]float64{"BTC": 60000, "DOGE": 0.1, "ETH": 2000, "HYPE": 30, "SOL": 100,
	"xyz:XYZ100": 24657}

// replaying prepares a fake venue for replays: its assets stand at replayMarks.
func replaying(v *fakeVenue, _ *Config) {
	v.assets, v.dexes, v.every, v.noLists = nil, []string{"xyz"}, 8*time.Second, true
	for name := range replayMarks {
		v.assets = append(v.assets, name)
	}
	slices.Sort(v.assets)
	v.marks = func() string {
		var list []string
		for name, mark := range replayMarks {
			list = append(list, fmt.Sprintf(`%q:{"markPx":"%g","midPx":"%g"}`, name, mark, mark))
		}
		return "{" + strings.Join(list, ",") + "}"
	}
	v.closes = replayMarks
	v.replay(answers{})
}

// replay makes the venue answer about every wallet from a copy of a list of answers, and as it does otherwise
// where the list has none.
func (v *fakeVenue) replay(a answers) {
	a = maps.Clone(a)
	v.info = func(q infoRequest) reply {
		kind, text := q.Type, string(a[q.Type])
		switch {
		case kind == "metaAndAssetCtxs":
			var contexts []string
			for _, name := range v.listed(q.Dex) {
				contexts = append(contexts, contextJSON(replayMarks[name]))
			}
			meta, _, _ := strings.Cut(metaJSON(v.listed(q.Dex)...), `,[{"funding"`)
			return reply{status: 200, body: meta + ",[" + strings.Join(contexts, ",") + "]]"}
		case kind == "activeAssetData":
			var byCoin answers
			json.Unmarshal(a[kind], &byCoin)
			if text = string(byCoin[q.Coin]); text == "" {
				text = "null"
			}
		case kind == "clearinghouseState" && q.Dex != "":
			var byDex answers
			json.Unmarshal(a["dex"], &byDex)
			text = string(byDex[q.Dex])
		}
		if kind == "spotClearinghouseState" && text == "" {
			text = `{"balances":[]}`
		}
		if text == "" {
			return reply{}
		}
		now := fmt.Sprint(v.now().UnixMilli())
		if kind == "clearinghouseState" && !strings.Contains(text, `"time"`) {
			text = stamped(text, v.now())
		}
		return reply{status: 200, body: strings.ReplaceAll(text, `"NOW"`, now)}
	}
}

// oncePerCoin renames the second position in a coin, which a wallet cannot have, to one in SOL.
func oncePerCoin(state json.RawMessage) json.RawMessage {
	const btc = `"coin": "BTC"`
	text := string(state)
	if first := strings.Index(text, btc); first >= 0 && strings.Count(text, btc) == 2 {
		text = text[:first+len(btc)] + strings.Replace(text[first+len(btc):], btc, `"coin": "SOL"`, 1)
	}
	return json.RawMessage(text)
}

func equal9(got, want float64) bool { return math.Abs(got-want) <= 1e-9*max(1, math.Abs(want)) }

// TestGoldenReading reads the wallets of the reference through the adapter.
func TestGoldenReading(t *testing.T) {
	var golden struct {
		Reading []struct {
			Name   string
			Input  struct{ Answers answers }
			Output struct {
				Equity     float64 `json:"A_before"`
				Held       float64 `json:"held_usd"`
				Most       float64 `json:"held_most_usd"`
				Free       float64 `json:"certain_free_usd"`
				Collateral []struct {
					Asset string
					Coins float64
				}
				Positions []struct {
					Asset    string
					Entry    *float64 `json:"entry_price"`
					Mode     string
					Leverage float64
				}
			}
		}
	}
	reference.Golden(t, "account_truth", &golden)
	play(t, replaying, func(s scene) {
		time.Sleep(3 * time.Second)
		for i, c := range golden.Reading {
			c.Input.Answers["clearinghouseState"] = oncePerCoin(c.Input.Answers["clearinghouseState"])
			s.v.script(func() { s.v.replay(c.Input.Answers) })
			a, err := s.f.LoadAccount(s.Context(), wallet(byte(1+i)), marketcache.NoAsset)
			if err != nil {
				s.Errorf("%s: %v", c.Name, err)
				continue
			}
			want, pool := c.Output, a.Pools[0]
			if !equal9(pool.EquityUSD, want.Equity) || !equal9(pool.HeldUSD, want.Held) ||
				!equal9(pool.HeldMostUSD, want.Most) {
				s.Errorf("%s: %+v, want %v, held %v to %v", c.Name, pool, want.Equity, want.Held, want.Most)
			}
			if lent := a.Mode == marketcache.ModePortfolioMargin; lent {
				initial := 1800.0 // of the only position
				if free := max(0, pool.CashUSD-initial-pool.HeldMostUSD); !equal9(free, want.Free) ||
					pool.Unreadable != (len(spotAvailable(c.Input.Answers)) == 0) {
					s.Errorf("%s: %+v, %v certainly free, want %v", c.Name, pool, free, want.Free)
				}
			}
			if len(a.Collateral) != len(want.Collateral) || len(a.Positions) != len(want.Positions) {
				s.Errorf("%s: %+v", c.Name, a)
				continue
			}
			for k, w := range want.Collateral {
				u := s.cache.Universe()
				if got := a.Collateral[k]; got.Name != w.Asset || got.Asset != u.LookupString(w.Asset) ||
					!equal9(got.Units, w.Coins) || got.Mark != replayMarks[w.Asset] || got.Pool != 0 {
					s.Errorf("%s: %+v, want %+v", c.Name, got, w)
				}
			}
			for k, w := range want.Positions {
				got, entry := a.Positions[k], 0.0
				if w.Entry != nil {
					entry = *w.Entry
				}
				if !equal9(got.EntryPrice, entry) || got.Isolated != (w.Mode == "isolated") ||
					got.Leverage != w.Leverage {
					s.Errorf("%s: %+v, want %+v with entry %v", c.Name, got, w, entry)
				}
			}
		}
	})
}

func spotAvailable(a answers) (list []any) {
	var spot struct {
		Available []any `json:"tokenToAvailableAfterMaintenance"`
	}
	json.Unmarshal(a["spotClearinghouseState"], &spot)
	return spot.Available
}

//go:embed testdata/accounts.json
var accountCases []byte

// isAsReported reports whether a wallet was read as a public report describes it.
func isAsReported(name string, a *marketcache.Account, setting marketcache.LeverageSetting) bool {
	p, q := a.Pools[0], marketcache.Position{}
	if len(a.Positions) > 0 {
		q = a.Positions[0]
	}
	switch name {
	case "agent-address-monitor":
		return a.Role == marketcache.RoleAgent && a.Owner.String() == "0x"+strings.Repeat("1", 40)
	case "close-in-cents":
		x := a.Pools[1]
		return a.Role == "" && p.EquityUSD == 0 && x.Dex == "xyz" && x.EquityUSD == 500 && equal9(x.HeldUSD, 0) &&
			len(a.Positions) == 1 && q.Pool == 1
	case "entry-null-long":
		return len(a.Positions) == 1 && q.EntryPrice == 0 && p.HeldUSD == 0
	case "flip-isolated-no-mode":
		return p.EquityUSD == 20000 && q.Isolated && q.RawUSD == -26800 && q.Leverage == 10
	case "isolated-lower-leverage":
		return p.EquityUSD == 1000 && q.Isolated && equal9(q.RawUSD+q.ValueUSD, 6.1)
	case "pm-hype":
		return p.EquityUSD == 29750 && p.CashUSD == 5000 && len(a.Collateral) == 1 && a.Collateral[0].Units == 825 &&
			!p.Unreadable
	case "pm-no-usdc":
		return p.EquityUSD == 24750 && p.CashUSD == 0 && len(a.Collateral) == 1 && a.Collateral[0].Mark == 30 &&
			a.PortfolioMarginRatio == 0.05
	case "resting-cross":
		return equal9(p.HeldUSD, 16.25) && p.HeldMostUSD == p.HeldUSD
	case "resting-isolated":
		return equal9(p.HeldUSD, 9500) && p.HeldMostUSD == p.HeldUSD
	case "resting-spot-hold":
		return a.Mode == marketcache.ModeUnified && equal9(p.EquityUSD-p.HeldMostUSD, 50508.22272667)
	case "setting-isolated-nothing-named":
		return setting.Isolated && setting.ModeKnown && setting.Leverage == 25 && setting.HasAvailable &&
			setting.AvailableUSD == [2]float64{50000, 50000} && p.HeldUSD == 0
	}
	return false
}

// TestAccountCases reads wallets as public reports describe them.
func TestAccountCases(t *testing.T) {
	var cases []struct {
		Name    string
		Answers answers
	}
	if err := json.Unmarshal(accountCases, &cases); err != nil {
		t.Fatal(err)
	}
	play(t, replaying, func(s scene) {
		time.Sleep(3 * time.Second)
		eth := s.cache.Universe().LookupString("ETH")
		for i, c := range cases {
			s.v.script(func() { s.v.replay(c.Answers) })
			a := s.load(byte(1+i), eth)
			if setting, read := a.Setting(eth); !read || !isAsReported(c.Name, a, setting) {
				s.Errorf("%s: %+v, setting read %v: %+v", c.Name, a, read, setting)
			}
		}
	})
}
