package marketcache

import (
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	"ballast/internal/race"
)

func TestParseWallet(t *testing.T) {
	const lower = "0x00112233445566778899aabbccddeeff01234567"
	rows := []struct {
		name, in, want string
	}{
		{"lower case", lower, lower},
		{"mixed case", "0x00112233445566778899AaBbCcDdEeFf01234567", lower},
		{"empty", "", ""},
		{"41 characters", lower[:41], ""},
		{"43 characters", lower + "0", ""},
		{"prefix 0X", "0X" + lower[2:], ""},
		{"a letter beyond f", "0xg0112233445566778899aabbccddeeff01234567", ""},
		{"second digit of a pair bad", "0x0g112233445566778899aabbccddeeff01234567", ""},
		{"bytes above 0x7f", "0x" + strings.Repeat("\xff", 40), ""},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			w, ok := ParseWallet([]byte(r.in))
			if ok != (r.want != "") {
				t.Fatalf("accepted %v", ok)
			}
			if ok && w.String() != r.want {
				t.Errorf("%s, want %s", w, r.want)
			}
			if !ok && w != (Wallet{}) {
				t.Errorf("rejected, but returned %s", w)
			}
		})
	}
}

// wallets returns n addresses that fall into one set of the table.
func wallets(t *accounts, n int) []Wallet {
	first := t.set(&Wallet{})
	var out []Wallet
	for i := uint32(0); len(out) < n; i++ {
		w := Wallet{19: byte(i), 18: byte(i >> 8), 17: byte(i >> 16)}
		if t.set(&w) == first {
			out = append(out, w)
		}
	}
	return out
}

func TestAccountsTable(t *testing.T) {
	table := newAccounts(64)
	same := wallets(table, accountWays+2)
	// Some are received at or before Instant 0. An empty slot must still be used before they are dropped.
	for i, w := range same[:accountWays] {
		table.store(&Account{Wallet: w, Received: Instant(i - 4)})
	}
	if n := table.count.Load(); n != accountWays {
		t.Fatalf("%d accounts held, want %d", n, accountWays)
	}
	for i, w := range same[:accountWays] {
		if a := table.load(&w); a == nil || a.Received != Instant(i-4) {
			t.Fatalf("wallet %d is %+v", i, a)
		}
	}
	t.Run("storing again replaces in place", func(t *testing.T) {
		table.store(&Account{Wallet: same[0], Received: 500})
		if a := table.load(&same[0]); a.Received != 500 || table.count.Load() != accountWays {
			t.Errorf("%+v, %d held", a, table.count.Load())
		}
	})
	t.Run("a full set drops the one received longest ago", func(t *testing.T) {
		table.store(&Account{Wallet: same[accountWays], Received: 600})
		if table.load(&same[1]) != nil {
			t.Error("the oldest account is still there")
		}
		for _, i := range []int{0, 2, 3, 4, 5, 6, 7, 8} {
			if table.load(&same[i]) == nil {
				t.Errorf("account %d is missing", i)
			}
		}
		if n := table.count.Load(); n != accountWays {
			t.Errorf("%d accounts held, want %d", n, accountWays)
		}
	})
	t.Run("a wallet never stored is not held", func(t *testing.T) {
		if table.load(&same[accountWays+1]) != nil {
			t.Error("found")
		}
	})
}

func TestCacheAccountAge(t *testing.T) {
	c := New(Limits{Assets: 1, Wallets: 8})
	w := Wallet{1}
	if a, age, ok := c.Account(&w, 0, Forever); a != nil || age >= 0 || ok {
		t.Errorf("%v %v %v of a wallet not held", a, age, ok)
	}
	c.StoreAccount(&Account{Wallet: w, Received: 10 * second})
	if a, age, ok := c.Account(&w, 12*second, 2*time.Second); !ok || age != 2*time.Second || a.Wallet != w {
		t.Errorf("%v %v %v", a, age, ok)
	}
	if a, age, ok := c.Account(&w, 13*second, 2*time.Second); ok || a != nil || age != 3*time.Second {
		t.Errorf("%v %v %v past the limit", a, age, ok)
	}
	if c.Accounts() != 1 {
		t.Errorf("%d accounts", c.Accounts())
	}
}

func TestAccountLookups(t *testing.T) {
	a := &Account{
		Positions: []Position{{Asset: 3}, {Asset: NoAsset}, {Asset: 5}},
		Settings:  []LeverageSetting{{Asset: 7, Leverage: 12}},
	}
	if a.PositionIn(5) != 2 || a.PositionIn(4) != -1 {
		t.Error("wrong position")
	}
	if s, ok := a.Setting(7); !ok || s.Leverage != 12 {
		t.Error("setting not found")
	}
	if _, ok := a.Setting(3); ok {
		t.Error("a leverage setting without an account")
	}
}

// Many writers and readers of a table that is too small: a load never returns another
// wallet's account or a torn value.
func TestAccountsHammer(t *testing.T) {
	table := newAccounts(64)
	rounds := 40_000
	if testing.Short() || race.Enabled {
		rounds = 4_000
	}
	address := func(i int) Wallet { return Wallet{0: byte(i), 1: byte(i >> 8)} }
	var done sync.WaitGroup
	for g := range 4 {
		done.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 7))
			for i := range rounds {
				w := address(r.IntN(300))
				if g < 2 {
					v := float64(w[0])
					table.store(&Account{Wallet: w, Received: Instant(i), CrossAccountValueUSD: v, TakerRate: 2 * v})
				} else if a := table.load(&w); a != nil &&
					(a.Wallet != w || a.CrossAccountValueUSD != float64(w[0]) || a.TakerRate != 2*float64(w[0])) {
					t.Errorf("asked for %s, got %+v", w, a)
					return
				}
			}
		})
	}
	done.Wait()
	held := 0
	seen := map[Wallet]bool{}
	for i := range table.sets {
		for j := range table.sets[i] {
			if a := table.sets[i][j].Load(); a != nil {
				held++
				if seen[a.Wallet] {
					t.Errorf("%s is held twice", a.Wallet)
				}
				seen[a.Wallet] = true
			}
		}
	}
	if int(table.count.Load()) != held || held > 64 {
		t.Errorf("%d counted, %d held", table.count.Load(), held)
	}
}
