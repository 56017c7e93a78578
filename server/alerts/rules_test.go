package alerts

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

const testWallet = "0x00000000000000000000000000000000000000aa"

// calm returns a position that causes no alert with the default thresholds.
func calm(asset string) Position {
	return Position{Asset: asset, RiskScore: 10, LiquidationDistancePct: 60}
}

func with(p Position, change func(*Position)) Position {
	change(&p)
	return p
}

func position(change func(*Position)) []Position { return []Position{with(calm("BTC"), change)} }

func score(x float64) []Position { return position(func(p *Position) { p.RiskScore = x }) }

func distance(x float64) []Position {
	return position(func(p *Position) { p.LiquidationDistancePct = x })
}

func drag(x float64) []Position { return position(func(p *Position) { p.FundingDragDailyPct = x }) }

func regime(from, to uint8) []Position {
	return position(func(p *Position) { p.HasRegime, p.PreviousRegime, p.Regime = true, from, to })
}

const none = -1.0 // no portfolio

var ruleTable = []struct {
	name      string
	positions []Position
	portfolio float64
	change    func(*Thresholds)
	want      []string // type severity asset current threshold
}{
	{"nothing held", nil, none, nil, nil},
	{"nothing wrong", []Position{calm("BTC")}, 20, nil, nil},

	{"score at the threshold", score(70), none, nil, nil},
	{"score just above", score(math.Nextafter(70, 71)), none, nil,
		[]string{"high_risk_score warning BTC 70.00000000000001 70"}},
	{"score just below critical", score(84.9999), none, nil, []string{"high_risk_score warning BTC 84.9999 70"}},
	{"score critical", score(85), none, nil, []string{"high_risk_score critical BTC 85 70"}},
	{"own threshold below", score(41), none, func(th *Thresholds) {
		th.MaxRiskScore = 40
	}, []string{"high_risk_score warning BTC 41 40"}},
	{"own threshold above every score", score(100), none, func(th *Thresholds) { th.MaxRiskScore = 255 }, nil},
	{"every score but 0", score(0), none, func(th *Thresholds) { th.MaxRiskScore = 0 }, nil},
	{"not a number", score(math.NaN()), none, nil, nil},
	{"infinite", score(math.Inf(1)), none, nil, []string{"high_risk_score critical BTC +Inf 70"}},

	{"distance at the threshold", distance(5), none, nil, nil},
	{"distance just below", distance(4.999), none, nil, []string{"liquidation_proximity warning BTC 4.999 5"}},
	{"distance at critical", distance(2), none, nil, []string{"liquidation_proximity warning BTC 2 5"}},
	{"distance critical", distance(1.999), none, nil, []string{"liquidation_proximity critical BTC 1.999 5"}},
	{"distance negative", distance(-3), none, nil, []string{"liquidation_proximity critical BTC -3 5"}},
	{"critical distance that this client does not ask for", distance(1.5), none, func(th *Thresholds) {
		th.MinLiquidationDistancePct = 1
	}, nil},
	{"no liquidation price, far threshold", distance(100), none, func(th *Thresholds) {
		th.MinLiquidationDistancePct = 101
	}, []string{"liquidation_proximity warning BTC 100 101"}},
	{"distance not a number", distance(math.NaN()), none, nil, nil},

	{"funding at the threshold", drag(1), none, nil, nil},
	{"funding above", drag(1.25), none, nil, []string{"funding_drag_excessive warning BTC 1.25 1"}},
	{"funding received", drag(-9), none, nil, nil},
	{"funding received, negative threshold", drag(-1), none, func(th *Thresholds) {
		th.MaxFundingDragDailyPct = -2
	}, []string{"funding_drag_excessive warning BTC -1 -2"}},
	{"funding enormous is a warning", drag(900), none, nil, []string{"funding_drag_excessive warning BTC 900 1"}},

	{"regime the same", regime(1, 1), none, nil, nil},
	{"regime worse", regime(0, 1), none, nil, []string{"regime_shift warning BTC 1 0"}},
	{"regime into crisis", regime(1, 2), none, nil, []string{"regime_shift critical BTC 2 1"}},
	{"regime straight into crisis", regime(0, 2), none, nil, []string{"regime_shift critical BTC 2 0"}},
	{"regime stays in crisis", regime(2, 2), none, nil, nil},
	{"regime out of crisis", regime(2, 1), none, nil, []string{"regime_shift warning BTC 1 2"}},
	{"regime back to normal", regime(2, 0), none, nil, []string{"regime_shift warning BTC 0 2"}},
	{"regime unknown", position(func(p *Position) { p.Regime = 2 }), none, nil, nil},

	{"portfolio at the threshold", []Position{calm("BTC")}, 50, nil, nil},
	{"portfolio above, one position", []Position{calm("BTC")}, 50.5, nil,
		[]string{"portfolio_var_breach warning - 50.5 50"}},
	{"portfolio far above is a warning", []Position{calm("BTC")}, 5000, nil,
		[]string{"portfolio_var_breach warning - 5000 50"}},
	{"portfolio not a number", []Position{calm("BTC")}, math.NaN(), nil, nil},

	{"everything, in order", []Position{
		{Asset: "BTC", RiskScore: 90, LiquidationDistancePct: 1, FundingDragDailyPct: 2, HasRegime: true, Regime: 2},
		calm("SOL"),
		{Asset: "ETH", RiskScore: 71, LiquidationDistancePct: 4, FundingDragDailyPct: 3, HasRegime: true, Regime: 1},
	}, 60, nil, []string{
		"high_risk_score critical BTC 90 70", "liquidation_proximity critical BTC 1 5",
		"funding_drag_excessive warning BTC 2 1", "regime_shift critical BTC 2 0",
		"high_risk_score warning ETH 71 70", "liquidation_proximity warning ETH 4 5",
		"funding_drag_excessive warning ETH 3 1", "regime_shift warning ETH 1 0",
		"portfolio_var_breach warning - 60 50",
	}},
}

func TestRules(t *testing.T) {
	for _, row := range ruleTable {
		t.Run(row.name, func(t *testing.T) {
			r := Result{ID: "a-1", Wallet: testWallet, AtMs: 1700000000123, Positions: row.positions,
				HasPortfolio: row.portfolio != none, PortfolioVaRPct: row.portfolio}
			th := DefaultThresholds()
			if row.change != nil {
				row.change(&th)
			}
			kept := Alert{Asset: "before"}
			got := Judge([]Alert{kept}, &r, &th)
			if got[0] != kept {
				t.Errorf("the existing content of dst became %+v", got[0])
			}
			got = got[1:]
			if len(got) != len(row.want) {
				t.Fatalf("%d alerts, want %d: %+v", len(got), len(row.want), got)
			}
			for i, a := range got {
				severity, asset := "warning", a.Asset
				if a.Critical {
					severity = "critical"
				}
				if asset == "" {
					asset = "-"
				}
				text := strings.Join([]string{kinds[a.Kind].name, severity, asset,
					strconv.FormatFloat(a.Current, 'g', -1, 64), strconv.FormatFloat(a.Threshold, 'g', -1, 64)}, " ")
				if text != row.want[i] {
					t.Errorf("alert %d is %q, want %q", i, text, row.want[i])
				}
				if a.Wallet != r.Wallet || a.AtMs != r.AtMs {
					t.Errorf("alert %d: wallet %q, time %d", i, a.Wallet, a.AtMs)
				}
			}
		})
	}
}

func TestAlertJSON(t *testing.T) {
	for _, row := range []struct {
		name  string
		alert Alert
		want  string
	}{
		{"position", Alert{Kind: HighRiskScore, Critical: true, Wallet: testWallet, Asset: "BTC", AtMs: 1700000000007,
			Current: 86.2, Threshold: 70}, `{"alert_type":"high_risk_score","wallet":"` + testWallet +
			`","asset":"BTC","severity":"critical","message":"BTC: risk score 86.2 is above 70",` +
			`"timestamp":"2023-11-14T22:13:20.007Z","current_value":86.2,"threshold":70}`},
		{"portfolio", Alert{Kind: PortfolioVaRBreach, Wallet: "0x00000000000000000000000000000000000000AA", AtMs: 0,
			Current: 61.5, Threshold: 50},
			`{"alert_type":"portfolio_var_breach","wallet":"` + testWallet + `","asset":null,"severity":"warning",` +
				`"message":"portfolio: VaR 99 % over 24 h is 61.5 % of the account value, more than 50 %",` +
				`"timestamp":"1970-01-01T00:00:00.000Z","current_value":61.5,"threshold":50}`},
		{"awkward asset", Alert{Kind: RegimeShift, Asset: "a\"\\\n\u2028<é>", AtMs: 1, Current: 2},
			`{"alert_type":"regime_shift","wallet":"","asset":"a\"\\\u000a\u2028<é>","severity":"warning",` +
				`"message":"a\"\\\u000a\u2028<é>: regime moved from normal to crisis",` +
				`"timestamp":"1970-01-01T00:00:00.001Z","current_value":2,"threshold":0}`},
	} {
		if got := string(row.alert.AppendJSON([]byte("x"))); got != "x"+row.want {
			t.Errorf("%s:\n got %s\nwant x%s", row.name, got, row.want)
		}
	}
}

func TestMessages(t *testing.T) {
	for _, row := range []struct {
		alert Alert
		want  string
	}{
		{Alert{Kind: LiquidationProximity, Asset: "ETH", Current: 1.4567, Threshold: 5},
			"ETH: liquidation is 1.46 % away, less than 5 %"},
		{Alert{Kind: FundingDragExcessive, Asset: "ETH", Current: 1.3, Threshold: 1},
			"ETH: funding costs 1.3 % of margin a day, more than 1 %"},
		{Alert{Kind: RegimeShift, Asset: "ETH", Current: 1, Threshold: 2}, "ETH: regime moved from crisis to stressed"},
		{Alert{Kind: RegimeShift, Asset: "ETH", Current: 7, Threshold: 0}, "ETH: regime moved from normal to crisis"},
		// A rounded value must not contradict the sentence that contains it.
		{Alert{Kind: HighRiskScore, Asset: "ETH", Current: 70.0012, Threshold: 70},
			"ETH: risk score 70.0012 is above 70"},
		{Alert{Kind: HighRiskScore, Asset: "ETH", Current: 70.0000000001, Threshold: 70},
			"ETH: risk score 70.0000000001 is above 70"},
		{Alert{Kind: LiquidationProximity, Asset: "ETH", Current: 4.996, Threshold: 4.997},
			"ETH: liquidation is 4.996 % away, less than 4.997 %"},
	} {
		if got := string(row.alert.AppendMessage(nil)); got != row.want {
			t.Errorf("got  %s\nwant %s", got, row.want)
		}
	}
}

// For all numbers an alert is valid JSON with the eight keys, and its numbers parse back to the
// same values.
func TestAlertJSONReadsBack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		a := Alert{
			Kind: Kind(random.IntN(len(kinds))), Wallet: testWallet, Asset: "BTC", AtMs: int64(random.Uint64()),
			Current: math.Float64frombits(random.Uint64()), Threshold: math.Float64frombits(random.Uint64()),
		}
		if a.Kind == RegimeShift {
			a.Current, a.Threshold = 2, 1
		}
		text := a.AppendJSON(nil)
		var got map[string]any
		if err := json.Unmarshal(text, &got); err != nil || len(got) != 8 {
			t.Fatalf("%s: %v", text, err)
		}
		if got["current_value"] != finite(a.Current)+0 || got["threshold"] != finite(a.Threshold)+0 {
			t.Fatalf("%g and %g: %s", a.Current, a.Threshold, text)
		}
		at, err := time.Parse("2006-01-02T15:04:05.000Z", got["timestamp"].(string))
		if err != nil || (a.AtMs >= 0 && a.AtMs <= maxMs && at.UnixMilli() != a.AtMs) {
			t.Fatalf("%d: %s", a.AtMs, text)
		}
		for _, key := range []string{`"current_value":`, `"threshold":`} {
			number := string(text[strings.Index(string(text), key)+len(key):])
			number = number[:strings.IndexAny(number, ",}")]
			if strings.ContainsAny(number, "eE") || number == "-0" {
				t.Fatalf("number %s", number)
			}
		}
	}
}

func bigResult() *Result {
	return &Result{ID: "a-1", Wallet: testWallet, AtMs: 1700000000123, HasPortfolio: true, PortfolioVaRPct: 62.5,
		Positions: []Position{
			{Asset: "BTC", RiskScore: 86.2, LiquidationDistancePct: 1.4}, calm("SOL"), calm("DOGE"),
			{Asset: "ETH", RiskScore: 40, LiquidationDistancePct: 30, HasRegime: true, Regime: 1},
		}}
}

func TestJudgeAllocs(t *testing.T) {
	r, th := bigResult(), DefaultThresholds()
	dst := make([]Alert, 0, 16)
	if n := testing.AllocsPerRun(100, func() { dst = Judge(dst[:0], r, &th) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	text := make([]byte, 0, 1024)
	if n := testing.AllocsPerRun(100, func() { text = dst[0].AppendJSON(text[:0]) }); n != 0 {
		t.Errorf("%v allocations to encode", n)
	}
}
