package risk

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
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

// With less equity the pool's probabilities and stress load never fall. The score falls only when the
// account counts as empty and a deposit is assumed; from a score of 95 on with negative equity, for which
// the terms relative to the equity are left out; or beside an isolated trade, when the cross pool has
// less to lose.
func TestMustNotGainFromLessEquity(t *testing.T) {
	sequential(t)
	compared, rose, empty, negative, less := 0, 0, 0, 0, 0
	must(t, 3*mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		w, ok := worsen(e, s, in, func(in *Input) {
			x := &in.Account.CrossAccountValueUSD
			*x -= r.log(1e-3, 1) * (math.Abs(*x) + r.one(0, 0, 1e3, 1e6, 1e9)*r.Float64())
		})
		if !ok {
			return ""
		}
		compared++
		if x, y := &w.before.Liquidation, &w.after.Liquidation; !w.is.after.assumed && !w.was.after.assumed &&
			(y.Probability24h < x.Probability24h-1e-12 || y.Probability7d < x.Probability7d-1e-12 ||
				y.DistancePct > x.DistancePct+1e-9 ||
				w.after.Explanation.StressLoad < w.before.Explanation.StressLoad-1e-9) {
			return fmt.Sprintf("%+v with more equity, %+v with less", x, y)
		}
		switch {
		case w.score > 1e-4:
			rose++
		case w.score >= -1e-4:
		case w.acct.empty:
			empty++
		case w.acct.negative && w.after.RiskScore >= floorNegative:
			negative++
		case w.is.plan.mode == Isolated && w.after.Explanation.PortfolioLoss99 < w.before.Explanation.PortfolioLoss99:
			less++
		default:
			return w.String()
		}
		return ""
	})
	wantAtLeast(t, "compared", compared, mustStates)
	wantAtLeast(t, "the score rises", rose, mustStates/4)
	wantAtLeast(t, "empty account", empty, 1)
	wantAtLeast(t, "negative equity", negative, 1)
	wantAtLeast(t, "less to lose", less, 1)
}

// With more leverage the score falls only because less margin is posted: the margin fits into the free
// margin (H3), an isolated position holds less of the wallet (H8), or a smaller deposit is assumed (H12).
func TestMustNotGainFromLeverage(t *testing.T) {
	sequential(t)
	compared, rose, less := 0, 0, 0
	must(t, 3*mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		if in.Trade.Leverage == 0 {
			in.Trade.Leverage = float64(1 + r.IntN(20))
		}
		w, ok := worsen(e, s, in, func(in *Input) { in.Trade.Leverage *= 1 + r.log(0.05, 10) })
		if !ok || w.is.plan.leverage < w.was.plan.leverage { // the venue refuses the lower one
			return ""
		}
		compared++
		switch {
		case w.score > 1e-4:
			rose++
		case w.score >= -1e-4:
		case w.fell(ruleMarginShort) || w.fell(ruleBigDeposit) || w.fell(ruleStress) && w.was.plan.mode == Isolated:
			less++
		default:
			return w.String()
		}
		return ""
	})
	wantAtLeast(t, "compared", compared, mustStates)
	wantAtLeast(t, "the score rises", rose, mustStates/4)
	wantAtLeast(t, "less margin", less, 1)
}

// With a larger size the score falls only when some raw figure improves: a margin tier forces a
// lower leverage; the margin is short, which gives 85, and the assumed deposit grows with the size;
// an isolated position grows at a lower leverage than it had; the trade hedges other positions; or
// another scenario becomes the worst of the portfolio.
func TestMustNotGainFromSize(t *testing.T) {
	sequential(t)
	compared, rose, tiers, short, thinned, hedged := 0, 0, 0, 0, 0, 0
	must(t, 3*mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		w, ok := worsen(e, s, in, func(in *Input) {
			in.Trade.SizeUSD = min(MaxSizeUSD, in.Trade.SizeUSD*(1+r.log(0.01, 30)))
		})
		if !ok {
			return ""
		}
		compared++
		before, after := &w.before, &w.after
		x, y := &before.Explanation, &after.Explanation
		switch {
		case w.score > 1e-4:
			rose++
		case w.score >= -1e-4:
		case w.is.plan.leverage < w.was.plan.leverage:
			tiers++
		case w.is.after.marginShort && after.RiskScore >= floorMarginShort:
			short++
		case w.is.plan.kind == increases && w.is.plan.mode == Isolated &&
			after.Liquidation.DistancePct > before.Liquidation.DistancePct:
			thinned++
		case len(in.Account.Positions) > 0 && (y.HedgeWeight > 0 || y.Portfolio < x.Portfolio ||
			slices.ContainsFunc([]int{ruleLiquidation, ruleBookLoss, ruleProbability, ruleProbability7d, ruleStress},
				w.fell)):
			hedged++
		default:
			return w.String()
		}
		return ""
	})
	wantAtLeast(t, "compared", compared, mustStates)
	wantAtLeast(t, "the score rises", rose, mustStates/4)
	wantAtLeast(t, "tier", tiers, 1)
	wantAtLeast(t, "margin short", short, 1)
	wantAtLeast(t, "isolated position at less leverage", thinned, 1)
	wantAtLeast(t, "hedge", hedged, 1)
}

// The change that an issue suggests removes that issue, and the suggested order size is a multiple
// of the venue's size step.
func TestMustFixWhatTheVenueRefuses(t *testing.T) {
	sequential(t)
	fixed := [issueCodes]int{}
	byLeverage := 0
	has := func(a *Admissibility, code IssueCode) bool {
		return slices.ContainsFunc(a.Issues[:a.Count], func(i Issue) bool { return i.Code == code })
	}
	must(t, 5*mustStates, func(e *Engine, s *Scratch, in *Input, r dice) string {
		if r.chance(4) {
			in.Trade.SizeUSD = r.log(0.01, 30)
		}
		out := answer(e, s, in).Admissibility
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
					again.Trade.Leverage > max(in.Trade.Leverage,
						in.Target.Market.Asset.MaxLeverage) {
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
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	published := []string{"Pair", "PooledNu"}
	files := 0
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files++
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
	wantAtLeast(t, "files read", files, 20)
}
