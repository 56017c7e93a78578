package alerts

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"ballast/internal/store"
)

// called makes a monitor call of a wallet with regimes of BTC and ETH (9: no regime), and returns their previous ones.
func called(g *Regimes, wallet string, btc, eth uint8) (previous [2]uint8) {
	r := &Result{Wallet: wallet, Positions: []Position{
		{Asset: "BTC", Regime: btc, HasRegime: btc < 9}, {Asset: "ETH", Regime: eth, HasRegime: eth < 9},
	}}
	g.Remember(context.Background(), r)
	return [2]uint8{r.Positions[0].PreviousRegime, r.Positions[1].PreviousRegime}
}

func TestRegimesOutliveTheService(t *testing.T) {
	dir := t.TempDir()
	service := func() (g *Regimes, end func()) {
		db, err := store.OpenMain(dir)
		if err != nil {
			t.Fatal(err)
		}
		g = NewRegimes(db, slog.New(slog.DiscardHandler))
		ctx, cancel := context.WithCancel(context.Background())
		var wg sync.WaitGroup
		wg.Go(func() { g.Run(ctx) })
		return g, func() { cancel(); wg.Wait(); db.Close() }
	}
	steps := []struct {
		wallet   string
		btc, eth uint8
		want     [2]uint8
	}{
		{"a", 1, 2, [2]uint8{0, 0}}, {"a", 1, 2, [2]uint8{1, 2}}, {"b", 2, 9, [2]uint8{0, 0}},
		{"a", 2, 9, [2]uint8{1, 2}},
		{"a", 2, 1, [2]uint8{2, 0}}, {"b", 0, 0, [2]uint8{2, 0}}, {"b", 0, 1, [2]uint8{0, 0}},
		{"b", 0, 1, [2]uint8{0, 1}},
	}
	for _, restarts := range []bool{false, true} { // a restart before every call changes nothing
		dir = t.TempDir()
		g, end := service()
		for i, s := range steps {
			if restarts {
				end()
				g, end = service()
			}
			if got := called(g, s.wallet, s.btc, s.eth); got != s.want {
				t.Errorf("restarts %v, call %d: previous %v, want %v", restarts, i, got, s.want)
			}
		}
		end()
	}
}

// fullDisk is a table that takes nothing while full.
type fullDisk struct {
	full   bool
	states map[string]string
	writes int
}

func (d *fullDisk) Regimes(wallet string) (string, error) { return d.states[wallet], nil }
func (d *fullDisk) ForgetRegimes(time.Time) error         { return nil }
func (d *fullDisk) PutRegimes(states map[string]string, _ time.Time) error {
	d.writes++
	if d.full {
		return errors.New("no space left on device")
	}
	for w, s := range states {
		d.states[w] = s
	}
	return nil
}

// TestRegimesOnAFullDisk: regimes are remembered in memory and written when there is room; memory stays bounded.
func TestRegimesOnAFullDisk(t *testing.T) {
	disk := &fullDisk{full: true, states: map[string]string{}}
	g := NewRegimes(disk, slog.New(slog.DiscardHandler))
	called(g, "a", 2, 1)
	g.flush()
	if got := called(g, "a", 2, 1); got != [2]uint8{2, 1} {
		t.Errorf("forgotten: %v", got)
	}
	disk.full = false
	for range 2 {
		g.flush()
	}
	if disk.writes != 2 || disk.states["a"] != `{"BTC":2,"ETH":1}` {
		t.Errorf("%d writes, %v", disk.writes, disk.states)
	}
	for i := range 3 * regimesHeld {
		disk.full = i > regimesHeld
		called(g, fmt.Sprint(i), 1, 1)
		if i%5000 == 0 {
			g.flush()
		}
		if len(g.held) > regimesHeld {
			t.Fatalf("%d wallets in memory", len(g.held))
		}
	}
	if got := called(g, "a", 2, 1); got != [2]uint8{2, 1} {
		t.Errorf("not read from the disk: %v", got)
	}
}

// An unchanged regime costs no memory.
func TestRegimesAllocations(t *testing.T) {
	g := NewRegimes(&fullDisk{states: map[string]string{}}, slog.New(slog.DiscardHandler))
	r := &Result{Wallet: "a", Positions: []Position{{Asset: "BTC", Regime: 1, HasRegime: true}}}
	g.Remember(t.Context(), r)
	if n := testing.AllocsPerRun(100, func() { g.Remember(context.Background(), r) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
