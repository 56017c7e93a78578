package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/valyala/fasthttp"

	"ballast/marketcache"
	"ballast/marketcache/venue/exchange"
)

// Nothing is judged or counted on an account before the venue has said that the signer may act for it: otherwise
// anybody who reaches the gate could use up another's limits. What it says is asked again after authorityMaxAge.

const (
	// authorityMaxAge is how long the venue's word counts: another account may approve a signer meanwhile. A signer
	// without an account may get one at any time.
	authorityMaxAge = 5 * time.Minute
	strangerMaxAge  = 10 * time.Second
	// maxKnown is how many signers, and how many accounts, are known at a time.
	maxKnown = 10_000
	// askTime is how long the venue may take to answer such a question.
	askTime = 3 * time.Second

	roleWeight, detailsWeight = 60, 20
)

// owner is for whom a signer acts; the zero wallet: for nobody.
type owner struct {
	account marketcache.Wallet
	read    marketcache.Instant
}

func (o *owner) young(now marketcache.Instant) bool {
	limit := authorityMaxAge
	if o.account == (marketcache.Wallet{}) {
		limit = strangerMaxAge
	}
	return now.Sub(o.read) <= limit
}

// signers are who may sign for an account: needed of them together. A nil list: nobody.
type signers struct {
	all    []marketcache.Wallet
	needed int
	read   marketcache.Instant
}

// Owner returns for whom a signer acts, the zero wallet if for nobody. It asks the venue if that was not learnt
// lately.
func (g *Gate) Owner(ctx context.Context, signer exchange.Address) (marketcache.Wallet, error) {
	if o, known := g.knownOwner(signer); known && o.young(marketcache.Now()) {
		return o.account, nil
	}
	if !g.askInTurn(ctx) {
		return marketcache.Wallet{}, errBusy
	}
	defer func() { <-g.asking }()
	o, known := g.knownOwner(signer)
	if known && o.young(marketcache.Now()) {
		return o.account, nil
	}
	role, err := g.roleOf(marketcache.Wallet(signer), known && o.account != marketcache.Wallet{})
	if err != nil {
		return marketcache.Wallet{}, err
	}
	o = owner{read: marketcache.Now()}
	switch role.Role {
	case marketcache.RoleAgent:
		o.account = role.of(role.Data.User)
	case "user":
		o.account = marketcache.Wallet(signer)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	makeRoom(g.owners, func(o owner) bool { return !o.young(marketcache.Now()) })
	g.owners[signer] = o
	return o.account, nil
}

// Accounts returns the accounts for which signers act that are known.
func (g *Gate) Accounts() []marketcache.Wallet {
	g.mu.Lock()
	defer g.mu.Unlock()
	all := map[marketcache.Wallet]struct{}{}
	for _, o := range g.owners {
		all[o.account] = struct{}{}
	}
	for of := range g.signers {
		all[of.account] = struct{}{}
	}
	return slices.Collect(maps.Keys(all))
}

// KnownOwner returns for whom a signer acts, the zero wallet if that was not learnt lately.
func (g *Gate) KnownOwner(signer exchange.Address) marketcache.Wallet {
	if o, known := g.knownOwner(signer); known && o.young(marketcache.Now()) {
		return o.account
	}
	return marketcache.Wallet{}
}

// Knows reports whether Owner would not ask.
func (g *Gate) Knows(signer exchange.Address) bool {
	o, known := g.knownOwner(signer)
	return known && o.young(marketcache.Now())
}

func (g *Gate) knownOwner(signer exchange.Address) (owner, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	o, known := g.owners[signer]
	return o, known
}

// MayAct reports whether those who have signed, each an owner or the owner of an agent, may together act for an
// account other than their own: a sub-account, a vault, or with multi an account that several sign for.
func (g *Gate) MayAct(ctx context.Context, who []marketcache.Wallet, account marketcache.Wallet, multi bool) (bool,
	error) {
	key := signersOf{account, multi}
	s, known := g.knownSigners(key)
	if !known {
		if !g.askInTurn(ctx) {
			return false, errBusy
		}
		defer func() { <-g.asking }()
		if s, known = g.knownSigners(key); !known {
			var err error
			if s, err = g.askSigners(account, multi); err != nil {
				return false, err
			}
			s.read = marketcache.Now()
			g.mu.Lock()
			makeRoom(g.signers, func(s signers) bool { return marketcache.Now().Sub(s.read) > authorityMaxAge })
			g.signers[key] = s
			g.mu.Unlock()
		}
	}
	n := 0
	for i, w := range who {
		if slices.Contains(s.all, w) && !slices.Contains(who[:i], w) {
			n++
		}
	}
	return n > 0 && n >= s.needed, nil
}

// signersOf is an account, and how it is acted for.
type signersOf struct {
	account marketcache.Wallet
	multi   bool
}

func (g *Gate) knownSigners(of signersOf) (signers, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s, known := g.signers[of]
	limit := authorityMaxAge
	if s.all == nil {
		limit = strangerMaxAge
	}
	return s, known && marketcache.Now().Sub(s.read) <= limit
}

// makeRoom forgets old entries, and any when there are too many.
func makeRoom[K comparable, V any](m map[K]V, old func(V) bool) {
	if len(m) < maxKnown {
		return
	}
	for k, v := range m {
		if old(v) || len(m) >= maxKnown {
			delete(m, k)
		}
	}
}

// askInTurn waits for the turn to ask a question; false: ctx ended before.
func (g *Gate) askInTurn(ctx context.Context) bool {
	select {
	case g.asking <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

var (
	errBusy     = errors.New("the venue is still being asked about other signers")
	errNoWeight = errors.New("too many signers that are not known: the request weight for asking about them is spent")
)

// role is the venue's answer to userRole.
type role struct {
	Role string
	Data struct{ User, Master string }
}

func (*role) of(text string) marketcache.Wallet {
	w, _ := marketcache.ParseWallet([]byte(text))
	return w
}

// roleOf asks what an address is. For one that is known already the weight is spent; otherwise it is taken from what
// clients' questions may have: anybody can invent signers.
func (g *Gate) roleOf(w marketcache.Wallet, known bool) (r role, err error) {
	err = g.ask(`{"type":"userRole","user":"`+w.String()+`"}`, roleWeight, known, &r)
	if err == nil && r.Role == "" {
		err = errors.New("userRole: the venue's answer has no role")
	}
	return r, err
}

// askSigners asks who may sign for an account.
func (g *Gate) askSigners(account marketcache.Wallet, multi bool) (s signers, err error) {
	if multi {
		var several struct {
			AuthorizedUsers []string
			Threshold       int
		}
		err := g.ask(`{"type":"userToMultiSigSigners","user":"`+account.String()+`"}`, detailsWeight, false, &several)
		for _, text := range several.AuthorizedUsers {
			if w, ok := marketcache.ParseWallet([]byte(text)); ok {
				s.all = append(s.all, w)
			}
		}
		s.needed = several.Threshold
		return s, err
	}
	r, err := g.roleOf(account, false)
	if err != nil {
		return s, err
	}
	var w marketcache.Wallet
	switch r.Role {
	case "subAccount":
		w = r.of(r.Data.Master)
	case "vault":
		var vault struct{ Leader string }
		err = g.ask(`{"type":"vaultDetails","vaultAddress":"`+account.String()+`"}`, detailsWeight, false, &vault)
		w = r.of(vault.Leader)
	}
	if w != (marketcache.Wallet{}) {
		s.all, s.needed = []marketcache.Wallet{w}, 1
	}
	return s, err
}

// ask asks the venue a question.
func (g *Gate) ask(body string, weight int, urgent bool, into any) error {
	if urgent {
		g.owed.Add(int64(weight))
	} else if g.take(weight) > 0 {
		return errNoWeight
	}
	var r fasthttp.Response
	if _, err := g.send(&r, "/info", []byte(body), askTime); err != nil {
		return err
	}
	if status := r.StatusCode(); status != fasthttp.StatusOK {
		return fmt.Errorf("the venue answers %s with status %d", body, status)
	}
	if err := json.Unmarshal(r.Body(), into); err != nil {
		return fmt.Errorf("the venue's answer to %s: %w", body, err)
	}
	return nil
}
