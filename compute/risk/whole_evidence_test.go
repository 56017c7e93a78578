//go:build evidence

package risk

import (
	"fmt"
	"math"
	"testing"
	"time"

	"ballast/compute/calib"
	"ballast/compute/copula"
	"ballast/compute/mc"
	"ballast/internal/reference"
	"ballast/marketcache"
)

// candlesUntil returns the bars of a candle file from the first midnight of 2020 or later
// up to the one that opens at last, as the venue would give them.
func candlesUntil(t testing.TB, file string, last time.Time) (bars []marketcache.Bar) {
	t.Helper()
	midnight := func(at time.Time) bool { return at.Year() >= 2020 && at.Hour() == 0 }
	for _, row := range reference.Candles(t, file, midnight) {
		if row.OpenMs > last.UnixMilli() {
			break
		}
		bars = append(bars, marketcache.Bar(row))
	}
	return bars
}

// A book of five assets on a day of 2023, fitted by the code that the service runs.
func TestEvidencePortfolio(t *testing.T) {
	var g struct {
		Assets   []string
		Files    []string
		BarOpen  string    `json:"bar_open"`
		Notional []float64 `json:"notional_usd"`
		SqrtV24  []float64 `json:"sqrt_V24"`
		Kappa2   []float64
		Joint    struct {
			VaR         float64   `json:"var_99"`
			ES          float64   `json:"es_99"`
			Incremental []float64 `json:"incremental_var"`
			Alone       []float64 `json:"standalone_var"`
			Benefit     float64   `json:"diversification_benefit_pct"`
			Component   []float64 `json:"component_var"`
			Pct         []float64 `json:"component_pct"`
		} `json:"joint_fhs"`
		Correlation struct{ Matrix [][]float64 }
		Pairs       []struct {
			AssetA  string  `json:"asset_a"`
			AssetB  string  `json:"asset_b"`
			RhoTau  float64 `json:"rho_tau"`
			Pearson float64 `json:"pearson_rho"`
			Nu      float64
			LogLik  float64
			Lambda  float64 `json:"lambda_lower"`
		}
		CopulaNu float64     `json:"copula_nu"`
		Matrix   [][]float64 `json:"copula_matrix"`
		MC       struct {
			Mean map[string]float64
			One  map[string]float64 `json:"sd_of_one_run"`
		} `json:"copula_mc"`
	}
	reference.Golden(t, "portfolio", &g)
	last, err := time.Parse(time.DateTime, g.BarOpen)
	if err != nil {
		t.Fatal(err)
	}
	k := len(g.Assets)
	s := NewScratch(k)
	s.account.target = -1
	fits, ids := make([]*marketcache.AssetModel, k), make([]marketcache.AssetID, k)
	byName := map[string]marketcache.AssetID{}
	for i, name := range g.Assets {
		m, err := calib.Fit(marketcache.AssetID(i), name, candlesUntil(t, g.Files[i], last))
		if err != nil {
			t.Fatal(err)
		}
		same(t, name+" sqrt(V24)", math.Sqrt(m.Variance[marketcache.H24]), g.SqrtV24[i])
		same(t, name+" kappa2", m.Kappa2[marketcache.H24], g.Kappa2[i])
		fits[i], ids[i], byName[name] = m, marketcache.AssetID(i), marketcache.AssetID(i)
	}
	var pairs []marketcache.TailPair
	fitter := copula.NewFitter()
	for i := range fits {
		for j := range i {
			pairs = append(pairs, copula.FitModels(fitter, fits[i], fits[j]))
		}
	}
	model := calib.Publish("golden", fits, byName["BTC"])
	s.In.Rows, s.In.Correlations = model.Asset(byName["BTC"]), model.Correlations
	s.In.Pairs = marketcache.NewPairTable(ids, pairs)
	for i, name := range g.Assets {
		s.account.positions = append(s.account.positions, position{
			id: ids[i], name: name, units: g.Notional[i], mark: 1, leverage: 10,
			in: &AssetInput{Model: model.Asset(ids[i])}, tiers: tierTable{asset: marketcache.NewTiers([]float64{0}, []float64{20})},
		})
	}
	b := &s.book
	var none position
	s.replay.sum(s.account.positions, -1, s.In.Rows, s.In.Rows)
	s.bookAfter(b, &none)
	b.var99, b.es99 = s.portfolioLoss(&none, true)
	s.correlate(b)
	same(t, "VaR", b.var99, g.Joint.VaR)
	same(t, "ES", b.es99, g.Joint.ES)
	a := s.attribute(b)
	same(t, "total", a.TotalVaR99, g.Joint.VaR)
	same(t, "diversification", a.DiversificationPct, g.Joint.Benefit)
	for i, p := range a.Positions {
		same(t, p.Asset+" marginal", p.MarginalVaR, g.Joint.Incremental[i])
		same(t, p.Asset+" component", p.ComponentVaR, g.Joint.Component[i])
		same(t, p.Asset+" percent", p.ComponentPct, g.Joint.Pct[i])
		own, _ := b.positions[i].alone()
		same(t, p.Asset+" alone", own, g.Joint.Alone[i])
	}
	for i := range k {
		for j := range k {
			same(t, fmt.Sprint("correlation ", i, j), b.matrix[i*k+j], g.Correlation.Matrix[i][j])
		}
	}
	for _, want := range g.Pairs {
		p := s.In.Pairs.Get(byName[want.AssetA], byName[want.AssetB])
		name := want.AssetA + "-" + want.AssetB
		same(t, name+" rho", p.RhoTau, want.RhoTau)
		same(t, name+" pearson", p.Pearson, want.Pearson)
		about(t, name+" nu", p.Nu, want.Nu, 1e-6*want.Nu)
		about(t, name+" loglik", p.LogLik, want.LogLik, 1e-6*want.LogLik)
		about(t, name+" lambda", p.Lambda, want.Lambda, 1e-6)
	}
	memory := new(simulation)
	s.view.after.crossToppedUp = 1e6
	sim := simulateBook(s, memory, b, [32]byte{1})
	about(t, "copula nu", sim.Nu, g.CopulaNu, 1e-6*g.CopulaNu)
	for i := range k {
		for j := range k {
			about(t, "copula matrix", memory.matrix[i*k+j], g.Matrix[i][j], 1e-9)
		}
	}
	for name, got := range map[string]float64{"var_95": sim.VaR95, "var_99": sim.VaR99, "es_95": sim.ES95, "es_99": sim.ES99} {
		about(t, "simulated "+name, got, g.MC.Mean[name], 4*g.MC.One[name])
	}
	// At equal losses of the pool and its equity nobody is liquidated far from it.
	if sim.LiquidationProbability != 0 {
		t.Errorf("a pool of 1 M USD is liquidated: %v", sim.LiquidationProbability)
	}
	s.view.after.crossToppedUp = -1e6
	if p := simulateBook(s, memory, b, [32]byte{1}).LiquidationProbability; p != 1 {
		t.Errorf("a pool without equity survives: %v", p)
	}
	if mc.Draws != sim.Draws || len(sim.Positions) != k {
		t.Error("draws or positions are missing")
	}
}
