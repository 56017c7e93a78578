package risk

import (
	"fmt"
	"go/ast"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"
)

// worsened holds two answers; the second is for a state that is worse in one respect.
type worsened struct {
	before, after Assessment
	was, is       view    // of the first and of the second state
	acct          account // account of the second state
	score         float64 // second score minus first score
}

// worsen assesses a state, makes it worse, and assesses it again. ok is false for a trade that only
// reduces a position, whose score is limited.
func worsen(e *Engine, s *Scratch, in *Input, change func(in *Input)) (w worsened, ok bool) {
	w.before, w.was = *answer(e, s, in), s.view
	bad, owner := *in, *in.Account
	bad.Account = &owner
	change(&bad)
	w.after, w.is, w.acct = *answer(e, s, &bad), s.view, s.account
	w.score = w.after.RiskScore - w.before.RiskScore
	return w, w.was.plan.increaseUSD > 0
}

func (w *worsened) String() string {
	x, y := &w.before.Explanation, &w.after.Explanation
	return fmt.Sprintf("the score falls from %v to %v\nrules %v\n   to %v\nscores %v\n    to %v", w.before.RiskScore,
		w.after.RiskScore, x.HardRules, y.HardRules, x.Scores, y.Scores)
}

// fell reports whether the score of a hard rule is lower than before.
func (w *worsened) fell(rule int) bool {
	return w.after.Explanation.HardRules[rule] < w.before.Explanation.HardRules[rule]
}

// wantAtLeast fails a test in which too few random states reached the case to be tested.
func wantAtLeast(t *testing.T, what string, n, min int) {
	t.Helper()
	if n < min {
		t.Errorf("%s: %d states, want %d at least", what, n, min)
	}
}

// excuse is a reason for which a score may fall although a state is worse.
type excuse struct {
	why   string
	holds func(w *worsened, in *Input) bool
}

// mustNotGain fails the test when the score of an increasing trade falls with a change for the worse, other than
// for an excuse. unfit returns whether a state is not to be compared.
func mustNotGain(
	t *testing.T, change func(in *Input, r dice), unfit func(w *worsened) bool, excuses ...excuse,
) {
	t.Helper()
	compared, rose, excused := 0, 0, make([]int, len(excuses))
	must(t, 3*mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		w, ok := worsen(e, s, in, func(in *Input) { change(in, r) })
		if !ok || unfit(&w) {
			return ""
		}
		compared++
		if w.score > 1e-4 {
			rose++
		}
		if w.score >= -1e-4 {
			return ""
		}
		for i, x := range excuses {
			if x.holds(&w, in) {
				excused[i]++
				return ""
			}
		}
		return w.String()
	})
	wantAtLeast(t, "compared", compared, mustStates)
	wantAtLeast(t, "the score rises", rose, mustStates/4)
	for i, x := range excuses {
		wantAtLeast(t, x.why, excused[i], 1)
	}
}

// With less equity the pool's probabilities and stress load never fall, unless a deposit is assumed. The score
// falls from 95 on with negative equity, for which the terms relative to the equity are left out; or beside an
// isolated trade, when the cross pool has less to lose.
func TestMustNotGainFromLessEquity(t *testing.T) {
	mustNotGain(t, func(in *Input, r dice) {
		x := &in.Account.CrossAccountValueUSD
		*x -= r.log(1e-3, 1) * (math.Abs(*x) + r.one(0, 0, 1e3, 1e6, 1e9)*r.Float64())
	}, func(w *worsened) bool {
		x, y := &w.before.Liquidation, &w.after.Liquidation
		if !w.is.after.assumed && !w.was.after.assumed &&
			(y.Probability24h < x.Probability24h-1e-12 || y.Probability7d < x.Probability7d-1e-12 ||
				y.DistancePct > x.DistancePct+1e-9 ||
				w.after.Explanation.StressLoad < w.before.Explanation.StressLoad-1e-9) {
			t.Errorf("%+v with more equity, %+v with less", x, y)
		}
		return false
	},
		excuse{"empty account", func(w *worsened, _ *Input) bool { return w.acct.empty }},
		excuse{"negative equity", func(w *worsened, _ *Input) bool {
			return w.acct.negative && w.after.RiskScore >= floorNegative
		}},
		excuse{"less to lose", func(w *worsened, _ *Input) bool {
			return w.is.plan.mode == Isolated &&
				w.after.Explanation.PortfolioLoss99 < w.before.Explanation.PortfolioLoss99
		}})
}

// With more leverage the score falls only because less margin is posted: the margin fits into the free
// margin (H3), an isolated position holds less of the wallet (H8), or a smaller deposit is assumed (H12).
func TestMustNotGainFromLeverage(t *testing.T) {
	mustNotGain(t, func(in *Input, r dice) {
		if in.Trade.Leverage == 0 {
			in.Trade.Leverage = min(20, in.Target.Market.Asset.MaxLeverage)
		}
		in.Trade.Leverage *= 1 + r.log(0.05, 10)
	}, func(w *worsened) bool {
		return w.is.plan.leverage < w.was.plan.leverage // the venue refuses the lower one
	}, excuse{"less margin", func(w *worsened, _ *Input) bool {
		return w.fell(ruleMarginShort) || w.fell(ruleBigDeposit) || w.fell(ruleStress) && w.was.plan.mode == Isolated
	}})
}

// With a larger size the score falls only when some raw figure improves: a margin tier forces a
// lower leverage; the margin is short, which gives 85, and the assumed deposit grows with the size;
// an isolated position grows at a lower leverage than it had; the trade hedges other positions; or
// another scenario becomes the worst of the portfolio.
func TestMustNotGainFromSize(t *testing.T) {
	mustNotGain(t, func(in *Input, r dice) {
		in.Trade.SizeUSD = min(MaxSizeUSD, in.Trade.SizeUSD*(1+r.log(0.01, 30)))
	}, func(*worsened) bool { return false },
		excuse{"tier", func(w *worsened, _ *Input) bool { return w.is.plan.leverage < w.was.plan.leverage }},
		excuse{"margin short", func(w *worsened, _ *Input) bool {
			return w.is.after.marginShort && w.after.RiskScore >= floorMarginShort
		}},
		excuse{"isolated position at less leverage", func(w *worsened, _ *Input) bool {
			return w.is.plan.kind == increases && w.is.plan.mode == Isolated &&
				w.after.Liquidation.DistancePct > w.before.Liquidation.DistancePct
		}},
		excuse{"hedge", func(w *worsened, in *Input) bool {
			x, y := &w.before.Explanation, &w.after.Explanation
			return len(in.Account.Positions) > 0 && (y.HedgeWeight > 0 || y.Portfolio < x.Portfolio ||
				slices.ContainsFunc([]int{ruleLiquidation, ruleBookLoss, ruleProbability, ruleProbability7d,
					ruleStress}, w.fell))
		}})
}

// The change that an issue suggests removes that issue, and the suggested order size is a multiple
// of the venue's size step. An order of no size leaves no position.
func TestMustFixWhatTheVenueRefuses(t *testing.T) {
	fixed := [issueCodes]int{}
	byLeverage := 0
	has := func(a *Admissibility, code IssueCode) bool {
		return slices.ContainsFunc(a.Issues[:a.Count], func(i Issue) bool { return i.Code == code })
	}
	must(t, 5*mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		if r.chance(4) {
			in.Trade.SizeUSD = r.log(0.01, 30)
		}
		a := answer(e, s, in)
		if after := &a.Position.After; (after.Side != 0) != (after.SizeCoin > 0) {
			return fmt.Sprintf("a position of no size: %+v", *after)
		}
		out := a.Admissibility
		p, lot := &s.view.plan, math.Pow10(-in.Target.Market.Asset.SizeDigits)
		units, whole := math.Abs(p.units), p.kind == reduces && p.after == 0
		lots := out.OrderSizeCoin / lot
		if out.OrderSizeCoin > units || whole && out.OrderSizeCoin != units ||
			!whole && units < 1e12*lot && math.Abs(lots-math.Round(lots)) > 1.1e-3 {
			return fmt.Sprintf("an order of %v for %v units in lots of %v", out.OrderSizeCoin, units, lot)
		}
		if !whole && out.OrderSizeCoin < units-lot*(1+1e-9) {
			return fmt.Sprintf("an order of %v for %v units, a lot of %v less", out.OrderSizeCoin, units, lot)
		}
		if (out.Verdict == VerdictWillReject) != (out.Count > 0) {
			return fmt.Sprintf("%s with %d issues", out.Verdict, out.Count)
		}
		for _, issue := range out.Issues[:out.Count] {
			for _, leverage := range []bool{false, true} {
				again := *in
				switch {
				case leverage && issue.FixLeverage > 0:
					again.Trade.Leverage = issue.FixLeverage
					byLeverage++
				case leverage || issue.Fix == 0:
					continue
				case issue.Code.Field() == "leverage":
					again.Trade.Leverage = issue.Fix
				case issue.Code.Field() == "size":
					again.Trade.SizeUSD = issue.Fix
				default:
					return fmt.Sprintf("%s cannot be fixed", issue.Code)
				}
				if again.Trade.SizeUSD > max(MaxSizeUSD, in.Trade.SizeUSD) ||
					again.Trade.Leverage > max(in.Trade.Leverage, in.Target.Market.Asset.MaxLeverage) {
					return fmt.Sprintf("%+v is beyond what may be asked", issue)
				}
				fixed[issue.Code]++
				if b := &answer(e, s, &again).Admissibility; has(b, issue.Code) {
					return fmt.Sprintf("%s: %+v stays after it is fixed: %+v", issue.Code, issue, b.Issues[:b.Count])
				}
			}
		}
		return ""
	})
	for _, code := range []IssueCode{IssueLot, IssueMinNotional, IssueMaxLeverage, IssueTierLeverage,
		IssueInsufficientMargin} {
		wantAtLeast(t, code.String(), fixed[code], 10)
	}
	wantAtLeast(t, "fixed by leverage", byLeverage, 10)
}

// Goroutines that share an engine, snapshots and fits get the same answers as a single goroutine.
// The race detector reports writes to shared data.
func TestMustAnswerManyAtOnce(t *testing.T) {
	const states, goroutines = 100, 8
	e, s := NewEngine(DefaultAges()), NewScratch(4)
	inputs, want := make([]*Input, states), make([]Assessment, states)
	for i := range inputs {
		r := dice{rand.New(rand.NewPCG(uint64(i), 78))}
		inputs[i] = r.state()
		inputs[i].Trade.MonteCarlo = i%25 == 0
		fitPairs(inputs[i])
		want[i] = *answer(e, NewScratch(4), inputs[i])
	}
	var group sync.WaitGroup
	for g := range goroutines {
		group.Go(func() {
			s := NewScratch(g)
			for i := range inputs {
				i = (i + g*states/goroutines) % states
				if got := answer(e, s, inputs[i]); !alike(got, &want[i]) {
					t.Errorf("goroutine %d, state %d: %+v\nwant %+v", g, i, *got, want[i])
				}
			}
		})
	}
	group.Wait()
	for i := range inputs {
		if got := answer(e, s, inputs[i]); !alike(got, &want[i]) {
			t.Errorf("state %d was modified", i)
		}
	}
}

// An assessment never blocks and never fits a model: the package imports no locks, atomics or weak
// pointers, and uses only published fits of pairs.
func TestMustShareNothing(t *testing.T) {
	published, files := []string{"Pair", "PooledNu"}, sources(t)
	for path, file := range files {
		for _, spec := range file.Imports {
			switch name, _ := strconv.Unquote(spec.Path.Value); name {
			case "sync", "sync/atomic", "weak", "unique", "unsafe", "ballast/compute/calib":
				t.Errorf("%s imports %s", path, name)
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := sel.X.(*ast.Ident); ok && x.Name == "copula" && !slices.Contains(published, sel.Sel.Name) {
					t.Errorf("%s uses copula.%s", path, sel.Sel.Name)
				}
			}
			return true
		})
	}
	wantAtLeast(t, "files read", len(files), 20)
}
