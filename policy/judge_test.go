package policy

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

func randomFacts(random *rand.Rand) *Facts {
	f := &Facts{
		Subject: Subject(random.IntN(3)), Reduces: random.IntN(8) == 0, NowMs: 1 + random.Int64N(4),
		Asset: []string{"BTC", "ETH", "SOL"}[random.IntN(3)],
	}
	for i := range f.Values {
		if f.Values[i] = math.Floor(random.Float64() * 5); random.IntN(20) == 0 {
			f.Values[i] = NotKnown
		}
	}
	if random.IntN(12) == 0 {
		f.Halts = []LossHalt{{Rule: MaxDrawdownPct, Limit: 20, Value: 21}}
	}
	return f
}

// restated is the verdict in other words, one rule after the other.
func restated(r *Rules, on bool, f *Facts) Outcome {
	if f.Reduces {
		return Pass
	}
	trade, wallet := f.Subject == Trade, f.Subject == Account
	broken, missing := false, false
	most := func(applies bool, rule Rule) {
		if limit, has := r.Limit(rule); has && applies {
			broken = broken || f.Values[rule] > limit
			missing = missing || math.IsNaN(f.Values[rule])
		}
	}
	least := func(applies bool, rule Rule) {
		if limit, has := r.Limit(rule); has && applies {
			broken = broken || f.Values[rule] < limit
			missing = missing || math.IsNaN(f.Values[rule])
		}
	}
	most(!wallet, MaxLeverage)
	most(trade, MaxOrderUSD)
	most(!wallet, MaxPositionUSD)
	most(true, MaxGrossLeverage)
	most(!wallet, MaxAssetSharePct)
	most(f.Subject != Position, MaxDailyLossPct)
	most(f.Subject != Position, MaxDrawdownPct)
	most(!wallet, MaxScore)
	most(!wallet, MaxProbability24h)
	most(!wallet, MaxProbability7d)
	least(!wallet, MinLiquidationDistancePct)
	most(trade, PriceCollarPct)
	most(f.Subject != Position, OrdersPerMinute)
	most(f.Subject != Position, TradesPerDay)
	least(trade, DuplicateWindowS)
	if !wallet {
		broken = broken || r.OnlyAllowed && !slices.Contains(r.Allowed, f.Asset) || slices.Contains(r.Denied, f.Asset)
	}
	if f.Subject != Position {
		broken = broken || on || r.Halt || len(f.Halts) > 0 || r.ExpiresAt > 0 && r.ExpiresAt <= f.NowMs
	}
	switch {
	case broken:
		return Deny
	case missing:
		return Unknown
	}
	return Pass
}

// judged asks for the verdict with new memory.
func judged(r *Rules, on bool, f *Facts) *Verdict {
	var v Verdict
	Judge(&Policy{*r, 1}, &Switch{On: on}, f, &v)
	return &v
}

func TestTheVerdictIsThatOfThePlainRules(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	seen := map[Outcome]int{}
	for range 100_000 {
		r, f, on := randomRules(random), randomFacts(random), random.IntN(20) == 0
		v, want := judged(&r, on, f), restated(&r, on, f)
		if seen[want]++; v.Outcome != want {
			t.Fatalf("%v, want %v: %s on %+v, switch %t", v.Outcome, want, r.AppendJSON(nil), f, on)
		}
		if (v.Outcome == Pass) != (len(v.Violations) == 0) || !v.Applies || v.Revision != 1 {
			t.Fatalf("verdict %+v", v)
		}
	}
	if seen[Pass] < 1000 || seen[Deny] < 1000 || seen[Unknown] < 500 {
		t.Errorf("the cases are one-sided: %v", seen)
	}
}

func TestEachRuleAtItsLimitAndBeyond(t *testing.T) {
	for rule := range Numbers {
		var r Rules
		r.SetLimit(rule, 10)
		f := &Facts{Asset: "BTC"}
		beyond := 10.001
		if RuleTable[rule].Least {
			beyond = 9.999
		}
		for _, row := range []struct {
			value float64
			want  Outcome
		}{{10, Pass}, {beyond, Deny}, {20 - beyond, Pass}, {NotKnown, Unknown}} {
			f.Values[rule] = row.value
			v := judged(&r, false, f)
			if v.Outcome != row.want {
				t.Errorf("%v of %g: %v", rule, row.value, v.Outcome)
			}
			if row.want != Pass && (len(v.Violations) != 1 || v.Violations[0].Rule != rule ||
				v.Violations[0].Limit != 10 || v.Violations[0].Known() != (row.want == Deny)) {
				t.Errorf("%v of %g: %+v", rule, row.value, v.Violations)
			}
		}
	}
}

func TestWhatReducesPassesWhateverHolds(t *testing.T) {
	r, bad := DecodeJSON([]byte(every))
	if bad != nil {
		t.Fatal(bad)
	}
	f := &Facts{Asset: "DOGE", NowMs: math.MaxInt64, Halts: []LossHalt{{Rule: MaxDailyLossPct}}}
	for i := range f.Values {
		f.Values[i] = NotKnown
	}
	if v := judged(&r, true, f); v.Outcome != Deny || !v.Has(KillSwitch) || !v.Has(ExpiresAt) || !v.Has(Halt) {
		t.Errorf("an increase: %+v", v)
	}
	f.Reduces = true
	if v := judged(&r, true, f); v.Outcome != Pass || !v.Applies || v.Revision != 1 {
		t.Errorf("a reduction: %+v", v)
	}
}

func TestNothingAppliesWithoutPolicyHaltAndSwitch(t *testing.T) {
	var v Verdict
	if Judge(nil, nil, &Facts{}, &v); v.Applies {
		t.Error("without anything")
	}
	if Judge(nil, &Switch{Reason: "was on"}, &Facts{}, &v); v.Applies {
		t.Error("with a switch that is off")
	}
	if Judge(nil, &Switch{On: true}, &Facts{}, &v); !v.Applies || v.Outcome != Deny {
		t.Error("with a switch that is on")
	}
	if Judge(nil, nil, &Facts{Unread: true}, &v); !v.Applies || v.Outcome != Unknown {
		t.Errorf("before anything was read: %+v", v)
	}
	if Judge(nil, nil, &Facts{Unread: true, Reduces: true}, &v); v.Outcome != Pass {
		t.Errorf("a reduction before anything was read: %+v", v)
	}
	halts := []LossHalt{{Rule: MaxDailyLossPct, Limit: 5, Value: 6}}
	Judge(nil, nil, &Facts{Halts: halts}, &v)
	want := []Violation{{Rule: MaxDailyLossPct, Limit: 5, Value: 6}}
	if !v.Applies || v.Outcome != Deny || !reflect.DeepEqual(v.Violations, want) {
		t.Errorf("with a halt that outlives its policy: %+v", v)
	}
}

func TestJudgingAllocatesNothing(t *testing.T) {
	r, bad := DecodeJSON([]byte(every))
	if bad != nil {
		t.Fatal(bad)
	}
	p, turned, f, v := &Policy{r, 1}, &Switch{On: true}, &Facts{Asset: "DOGE", NowMs: math.MaxInt64}, &Verdict{}
	f.Values[MaxScore] = 100
	Judge(p, turned, f, v)
	if n := testing.AllocsPerRun(100, func() { Judge(p, turned, f, v) }); n != 0 {
		t.Errorf("%g allocations", n)
	}
}
