package risk

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	mc "ballast/marketcache"

	"ballast/internal/race"
)

// riskyWallet returns a wallet of n positions on lots: pools of the main dex and of dex xyz, and some isolated
// positions, with so little equity that some pools need an action.
func riskyWallet(r *rand.Rand, n int) *mc.Account {
	a := pooledWallet(n, 0, 0)
	gross := [2]float64{}
	for i := range a.Positions {
		p := &a.Positions[i]
		mark := p.ValueUSD / math.Abs(p.Units)
		lots := math.Ceil(math.Exp(2+8*r.Float64()) / mark * 1e5)
		p.Units = math.Copysign(lots*1e-5, r.Float64()-0.3)
		p.ValueUSD = math.Abs(p.Units) * mark
		if r.IntN(4) == 0 {
			*p = isolatedAt(*p, p.ValueUSD*(0.02+0.3*r.Float64()))
		} else {
			gross[p.Pool] += p.ValueUSD
		}
	}
	for k := range a.Pools {
		a.Pools[k].EquityUSD = gross[k] * math.Exp(-4+4*r.Float64())
	}
	a.Share()
	return a
}

// poolOf is the action of the pool of position i of a wallet, and how it fares.
func (d *desk) poolOf(t *testing.T, owner *mc.Account, i int, until Target) (a PoolAction, chance float64) {
	t.Helper()
	var r WalletReport
	refuse(t, d.e.FillWallet(&d.s.In, d.cache, owner, 0, d.now, testWallMs))
	d.e.Monitor(d.s, &r, until)
	a = r.Positions[i].Action
	a.Assets = slices.Clone(a.Assets)
	return a, r.Positions[i].Liquidation.Probability24h
}

// deposited returns the wallet with some more USD in the pool of position i.
func deposited(owner *mc.Account, i int, usd float64) *mc.Account {
	a := *owner
	a.Positions, a.Pools = slices.Clone(owner.Positions), slices.Clone(owner.Pools)
	if p := &a.Positions[i]; p.Isolated {
		p.RawUSD += usd
	} else {
		a.Pools[p.Pool].EquityUSD += usd
	}
	return &a
}

// reduced returns the wallet after a batch that closes a percentage of every cross position of the pool of position i,
// each down to its lot, and less lots of the last one; in how many orders, and whether its last answer has the pool at
// the target.
func (d *desk) reduced(t *testing.T, owner *mc.Account, i int, pct, less float64, until Target) (
	after *mc.Account, usd float64, orders int, met bool,
) {
	t.Helper()
	b := d.batch(owner)
	last := -1
	for j := range owner.Positions {
		if p := &owner.Positions[j]; p.Pool == owner.Positions[i].Pool && !p.Isolated {
			last = j
		}
	}
	for j := range owner.Positions {
		p := &owner.Positions[j]
		if p.Pool != owner.Positions[i].Pool || p.Isolated {
			continue
		}
		lots := math.Floor(math.Abs(p.Units) * pct / 100 / 1e-5)
		if j == last {
			lots -= less
		}
		if lots > 0 {
			size := lots * 1e-5 * p.ValueUSD / math.Abs(p.Units)
			usd += size
			orders += int(math.Ceil(lots / math.Floor(largestOrder/(p.ValueUSD/math.Abs(p.Units))/1e-5)))
			a := d.next(t, b, Trade{Asset: p.Asset, Action: ActionClose, SizeUSD: size})
			met = a.Liquidation.Probability24h <= until.MaxProbability24h
			for i := range a.Stress {
				met = met && (a.Stress[i].Survives || !until.Survive)
			}
			b.Apply(d.s)
		}
	}
	return b.account, usd, orders, met
}

const largestOrder = 1000 // of the venue in these tests, USD

// positionOf is the index of an asset's position, -1 for none.
func positionOf(a *mc.Account, id mc.AssetID) int {
	return slices.IndexFunc(a.Positions, func(p mc.Position) bool { return p.Asset == id })
}

// An action does what it says: after the reduction, or after the deposit, the pool is at its target; after a lot or a
// cent less it is not.
func TestActionsReachTheirTarget(t *testing.T) {
	d, r := newDesk(t, 7), rand.New(rand.NewPCG(7, 1))
	d.cache.SetRules(&mc.VenueRules{MarketOrders: []mc.OrderLimit{{Leverage: 1, USD: largestOrder}}})
	probe := testWallet(6)
	moveToXYZ(d.cache, 0, inXYZ(pooledWallet(len(probe.Positions), 1, 1))...)
	seen := map[string]int{}
	for n := range 150 {
		owner := riskyWallet(r, 1+r.IntN(6))
		until := Target{math.Exp(-6 + 5*r.Float64()), r.IntN(2) == 0}
		i := r.IntN(len(owner.Positions))
		a, chance := d.poolOf(t, owner, i, until)
		if seen[a.Kind.String()]++; a.Kind == Hold {
			if chance > until.MaxProbability24h || a.ReducePct+a.ReduceUSD+a.AddMarginUSD != 0 || a.Assets != nil {
				t.Errorf("%d: %+v at %v", n, a, chance)
			}
			continue
		}
		if a.Until != until || !a.Known || !slices.Contains(a.Assets, owner.Positions[i].Name) {
			t.Errorf("%d: %+v", n, a)
		}
		if a.AddMarginUSD > 0 {
			seen["deposit"]++
			if with, chance := d.poolOf(t, deposited(owner, i, a.AddMarginUSD), i, until); with.Kind != Hold {
				t.Errorf("%d: %+v, with the deposit %v: %+v", n, a, chance, with)
			}
			if less, _ := d.poolOf(t, deposited(owner, i, a.AddMarginUSD-0.01), i, until); less.Kind == Hold {
				t.Errorf("%d: %+v, and a cent less is enough", n, a)
			}
		}
		if owner.Positions[i].Isolated {
			if a.Kind != AddMargin || a.ReducePct != 0 {
				t.Errorf("%d: isolated %+v", n, a)
			}
			continue
		}
		d.checkReduction(t, fmt.Sprint(n), owner, i, &a)
	}
	t.Log(seen)
	if seen["hold"] < 10 || seen["reduce"] < 30 || seen["add_margin"] < 10 || seen["deposit"] < 30 {
		t.Errorf("%v", seen)
	}
}

func (d *desk) checkReduction(t *testing.T, name string, owner *mc.Account, i int, a *PoolAction) {
	t.Helper()
	if a.Kind != Reduce || !(a.ReducePct > 0 && a.ReducePct <= 100) {
		t.Errorf("%s: %+v", name, a)
		return
	}
	id := owner.Positions[i].Asset
	after, usd, orders, met := d.reduced(t, owner, i, a.ReducePct, 0, a.Until)
	if !met {
		t.Errorf("%s: %+v, and the answer to the last close is not at the target", name, a)
	}
	about(t, name+" USD", a.ReduceUSD, usd, 1e-6*usd)
	if a.ReduceOrders != orders {
		t.Errorf("%s: %d orders, want %d", name, a.ReduceOrders, orders)
	}
	if at := positionOf(after, id); at >= 0 {
		if left, chance := d.poolOf(t, after, at, a.Until); left.Kind != Hold {
			t.Errorf("%s: %+v, reduced %v: %+v", name, a, chance, left)
		}
	}
	if len(a.Assets) > 1 {
		return // a lot of the one position may weigh less than the lot of another
	}
	less, _, _, met := d.reduced(t, owner, i, a.ReducePct, 1, a.Until)
	if left, chance := d.poolOf(t, less, positionOf(less, id), a.Until); left.Kind == Hold || met {
		t.Errorf("%s: %+v, and a lot less is enough: %v", name, a, chance)
	}
}

// Actions allocate nothing on warm data.
func TestActionsAllocateNothing(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	d, r := newDesk(t, 7), rand.New(rand.NewPCG(2, 3))
	moveToXYZ(d.cache, 0, inXYZ(pooledWallet(6, 1, 1))...)
	var report WalletReport
	for range 5 {
		owner := riskyWallet(r, 6)
		run := func() {
			refuse(t, d.e.FillWallet(&d.s.In, d.cache, owner, 0, d.now, testWallMs))
			d.e.Monitor(d.s, &report, DefaultTarget)
		}
		run()
		if n := testing.AllocsPerRun(20, run); n != 0 {
			t.Errorf("%v allocations", n)
		}
	}
}

// What an action costs: safe wallets, and wallets that need one.
func BenchmarkMonitor(b *testing.B) {
	for _, n := range []int{1, 5, 40} {
		for _, equity := range []float64{1e6, 80 * float64(n)} {
			b.Run(fmt.Sprintf("positions=%d/equity=%v", n, equity), func(b *testing.B) {
				d, owner := newDesk(b, n+1), testWallet(n)
				owner.CrossAccountValueUSD = equity
				var r WalletReport
				b.ReportAllocs()
				for b.Loop() {
					d.e.FillWallet(&d.s.In, d.cache, owner, 0, d.now, testWallMs)
					d.e.Monitor(d.s, &r, DefaultTarget)
				}
			})
		}
	}
}

// least finds the least number from any guess, in few steps from a good one.
func TestLeast(t *testing.T) {
	for _, want := range []int64{1, 2, 500, 1e9 - 1, 1e9} {
		for _, guess := range []int64{0, 1, 400, want - 3, want, want + 3, 1e9, 2e9} {
			calls := 0
			got := least(0, 1e9, guess, 4, func(n int64) bool {
				calls++
				return n >= want
			})
			if near := guess-want < 5 && want-guess < 5; got != want || calls > 60 || near && calls > 12 {
				t.Errorf("%d from %d: %d in %d calls", want, guess, got, calls)
			}
		}
	}
	if n := fromZero(func(int64) bool { return false }); n != 0 {
		t.Error(n)
	}
}
