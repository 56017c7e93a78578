package risk

import (
	"math"
	"testing"

	"ballast/compute/vol"
	"ballast/internal/reference"
	mc "ballast/marketcache"
)

func TestShockTiers(t *testing.T) {
	in := testInput(3, "THIN", 100)
	for _, r := range []struct {
		name   string
		change func()
		want   int
	}{
		{"liquid", func() {}, tierLiquid},
		{"just enough volume", func() { in.Model.VolumeUSD7d = 7 * 25e6 }, tierLiquid},
		{"not enough volume", func() { in.Model.VolumeUSD7d = 7*25e6 - 1 }, tierOther},
		{"too young", func() { in.Model.VolumeUSD7d, in.Model.Bars = 7e9, 4319 }, tierOther},
		{"old enough", func() { in.Model.Bars = 4320 }, tierLiquid},
		{"ETH", func() { in.Market.Asset.Name = "ETH" }, tierETH},
		{"BTC", func() { in.Market.Asset.Name = "BTC" }, tierBTC},
		{"of a builder's dex", func() { in.Market.Asset.Dex = "xyz" }, tierOther},
		{"nothing known", func() { in.Market.Asset, in.Model = nil, nil }, tierOther},
	} {
		r.change()
		if got := stressRuleOf(&in); got.column != &tierColumns[r.want] {
			t.Errorf("%s: another column than tier %d", r.name, r.want)
		}
	}
}

// index returns the index of a scenario.
func index(t *testing.T, id string) int {
	t.Helper()
	for i := range Scenarios {
		if Scenarios[i].ID == id {
			return i
		}
	}
	t.Fatalf("no scenario %s", id)
	return 0
}

// An asset of the main dex makes its own recorded move, whatever its variance, and that of its tier where it
// has none.
func TestRecordedShocks(t *testing.T) {
	in := testInput(3, "SOL", 100)
	in.Model.AverageVariance[mc.H24] = 1e-4 // at most 20 % by tier
	check := func(id string, extreme, mark float64) {
		t.Helper()
		rule := stressRuleOf(&in)
		e, m := rule.shock(index(t, id))
		about(t, id+" extreme", e, extreme, 1e-12)
		about(t, id+" mark", m, mark, 1e-12)
	}
	check("ftx_crash", -0.638, -0.638)
	check("flash_recovery", -0.136, -0.064)
	check("rebound_may_2021", 0.449, 0.449)
	check("black_thursday_2020", -0.20, -0.20) // by tier, with its limit
	if Scenarios[squeezeScenario].ID != "jelly_squeeze" {
		t.Errorf("the scenario in which one asset moves is %s", Scenarios[squeezeScenario].ID)
	}
	check("jelly_squeeze", 0, 0)
	in.Model.VolumeUSD7d = 0
	check("jelly_squeeze", 0.20, 0.20)
	check("ftx_crash", -0.638, -0.638)
	in.Market.Asset.Name = "kPEPE"
	check("october_2025_cascade", -0.71, -0.71)
	check("ftx_crash", -0.20, -0.20)
	in.Market.Asset.Name = "PEPE" // another asset
	check("october_2025_cascade", -0.20, -0.20)
	in.Market.Asset.Name, in.Market.Asset.Dex = "SOL", "xyz" // a builder's asset of the same name
	check("ftx_crash", -0.06, -0.06)
}

// Assets of a builder's dex move by six daily sigmas, at least by the move of their class, and at most as the
// last tier.
func TestBuilderShocks(t *testing.T) {
	in := testInput(3, "xyz:ABC", 100)
	in.Market.Asset.Dex = "xyz"
	for _, r := range []struct {
		sigma float64
		class mc.Class
		want  float64
	}{
		{0.02, mc.ClassCrypto, -0.12}, {0.2, mc.ClassCrypto, -0.555}, {0, mc.ClassCrypto, 0},
		{0.02, mc.ClassEquity, -0.20}, {0.05, mc.ClassEquity, -0.30},
		{0.01, mc.ClassMetal, -0.10}, {0.01, mc.ClassEnergy, -0.20},
	} {
		in.Model.AverageVariance[mc.H24], in.Model.Class = r.sigma*r.sigma, r.class
		rule := stressRuleOf(&in)
		extreme, _ := rule.shock(index(t, "luna_collapse"))
		about(t, r.class.String(), extreme, r.want, 1e-12)
		up, _ := rule.shock(index(t, "rebound_may_2021"))
		about(t, r.class.String()+" up", up, min(max(6*r.sigma, -r.want), 0.599), 1e-12)
	}
}

// Other assets move by at most twenty daily sigmas in either direction, unless their price stands still.
func TestShockLimit(t *testing.T) {
	in := testInput(3, "THIN", 100)
	in.Model.VolumeUSD7d = 0 // the squeeze of a thinly traded listing: +400 % at the extreme
	for sigma, want := range map[float64]float64{0.02: 0.40, 0.15: 3, 0.25: 4, 0: 4} {
		in.Model.AverageVariance[mc.H24] = max(sigma*sigma, vol.AverageVariance(mc.H24, [4]float64{}, 0))
		rule := stressRuleOf(&in)
		extreme, _ := rule.shock(index(t, "jelly_squeeze"))
		about(t, "squeeze", extreme, want, 1e-12)
		down, mark := rule.shock(index(t, "flash_recovery"))
		about(t, "crash", down, -min(0.268, want), 1e-12)
		about(t, "recovery", mark, -min(0.123, want), 1e-12)
	}
	in.Model.AverageVariance[mc.H24] = 1e-8
	in.Market.Asset.Name = "BTC"
	rule := stressRuleOf(&in)
	extreme, _ := rule.shock(index(t, "luna_collapse"))
	about(t, "BTC", extreme, -0.23, 1e-12)
}

// goldenScenario is one window of the golden file of the scenarios, percent.
type goldenScenario struct {
	ID             string
	T1, T2, T3, T4 [2]float64
	Start          string
	LastBar        string `json:"last_bar"`
	Assets, More   map[string][3]any
}

func goldenScenarios(t *testing.T) (g struct {
	Tolerance struct{ Abs float64 }
	Scenarios []goldenScenario
}) {
	t.Helper()
	reference.Golden(t, "scenarios", &g)
	return g
}

// The shocks are those of the golden file: by tier, and of every recorded asset, no more and no fewer.
func TestGoldenScenarios(t *testing.T) {
	g := goldenScenarios(t)
	if len(g.Scenarios) != ScenarioCount-1 { // jelly_squeeze is not from candles
		t.Fatalf("%d scenarios", len(g.Scenarios))
	}
	for _, want := range g.Scenarios {
		sc := &Scenarios[index(t, want.ID)]
		for tier, w := range [][2]float64{want.T1, want.T2, want.T3, want.T4} {
			if got := sc.Shocks[tier]; got != (Shock{w[0], w[1]}) {
				t.Errorf("%s, tier %d: %v, want %v", want.ID, tier, got, w)
			}
		}
		n := 0
		for _, moves := range []map[string][3]any{want.Assets, want.More} {
			for name, w := range moves {
				if name == "BTC" || name == "ETH" {
					continue
				}
				n++
				got, known := sc.Recorded[name]
				extreme, final := w[0].(float64), w[1].(float64)
				// The figures are rounded to one decimal from two.
				far := max(math.Abs(got.Extreme-extreme), math.Abs(got.Final-final))
				if !known || far > g.Tolerance.Abs+1e-9 {
					t.Errorf("%s, %s: %v, want %v", want.ID, name, got, w)
				}
			}
		}
		if n != len(sc.Recorded) {
			t.Errorf("%s: %d recorded moves, want %d", want.ID, len(sc.Recorded), n)
		}
	}
}
