package risk

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	mc "ballast/marketcache"

	"ballast/internal/race"
)

// The order proceeds with the deposit that is told, and not with 1 USD less.
func TestLeastDeposit(t *testing.T) {
	d, r := newDesk(t, 7), rand.New(rand.NewPCG(11, 7))
	moveToXYZ(d.cache, 0, inXYZ(pooledWallet(6, 1, 1))...)
	found, none := 0, 0
	for n := range 120 {
		owner := riskyWallet(r, 1+r.IntN(6))
		order := Trade{
			Asset: mc.AssetID(r.IntN(6)), Action: []Action{ActionLong, ActionShort}[r.IntN(2)],
			SizeUSD: math.Exp(4 + 8*r.Float64()), Leverage: float64(1 + r.IntN(10)),
		}
		proceeds := func(usd float64) bool {
			a := *owner
			a.Pools = slices.Clone(owner.Pools)
			a.Pools[a.PoolOf(d.cache.Universe().Asset(order.Asset))].EquityUSD += usd
			out := d.assess(t, &a, order)
			return out.Recommendation == Proceed && out.Admissibility.Verdict != VerdictWillReject
		}
		is := proceeds(0)
		score := d.assess(t, owner, order).RiskScore
		deposit := d.e.LeastDeposit(d.s)
		if d.s.In.Account != owner || d.s.Out.RiskScore != score || !d.s.Explain {
			t.Fatalf("%d: the assessment is another one", n)
		}
		switch {
		case is || deposit.Known && deposit.USD == 0:
			if deposit != (Deposit{Known: true}) || !is {
				t.Errorf("%d: %+v, proceeds %t", n, deposit, is)
			}
		case !deposit.Known:
			none++
			if proceeds(1e8) {
				t.Errorf("%d: no deposit, but 100 million help", n)
			}
		default:
			if found++; !proceeds(deposit.USD) || proceeds(deposit.USD-1) {
				t.Errorf("%d: deposit %+v of %+v", n, deposit, order)
			}
		}
	}
	t.Logf("%d deposits, none for %d", found, none)
	if found < 30 || none < 5 {
		t.Errorf("%d deposits, none for %d", found, none)
	}
}

// A search allocates nothing on warm data.
func TestLeastDepositAllocatesNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	d, r := newDesk(t, 7), rand.New(rand.NewPCG(2, 3))
	moveToXYZ(d.cache, 0, inXYZ(pooledWallet(6, 1, 1))...)
	owner := riskyWallet(r, 6)
	order := Trade{Asset: owner.Positions[0].Asset, Action: ActionLong, SizeUSD: 1e5, Leverage: 5}
	run := func() {
		refuse(t, d.e.Fill(&d.s.In, d.cache, &order, owner, 0, d.now, testWallMs))
		d.e.LeastDeposit(d.s)
	}
	run()
	if n := testing.AllocsPerRun(5, run); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
