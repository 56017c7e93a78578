package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
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
)

// answers are what the venue has said, by what was asked about.
type answers[K comparable, V any] struct {
	nobody func(V) bool // an answer that names nobody

	mu  sync.Mutex
	all map[K]answer[V]
}

type answer[V any] struct {
	value V
	read  marketcache.Instant
}

// last returns the last answer, the zero value before the first, and whether it counts still.
func (a *answers[K, V]) last(about K) (value V, counts bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	last, known := a.all[about]
	return last.value, known && a.young(last)
}

func (a *answers[K, V]) young(last answer[V]) bool {
	limit := authorityMaxAge
	if a.nobody(last.value) {
		limit = strangerMaxAge
	}
	return marketcache.Now().Sub(last.read) <= limit
}

// put keeps an answer. When there are too many, it forgets old ones, and any if that is not enough.
func (a *answers[K, V]) put(about K, value V) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.all == nil {
		a.all = map[K]answer[V]{}
	}
	if len(a.all) >= maxKnown {
		maps.DeleteFunc(a.all, func(_ K, last answer[V]) bool { return !a.young(last) || len(a.all) >= maxKnown })
	}
	a.all[about] = answer[V]{value, marketcache.Now()}
}

// learn returns the last answer, or asks the venue if that does not count any more, in turn with all other questions.
func (a *answers[K, V]) learn(ctx context.Context, turn chan struct{}, about K, ask func(last V) (V, error)) (V,
	error) {
	last, counts := a.last(about)
	if counts {
		return last, nil
	}
	select {
	case turn <- struct{}{}:
		defer func() { <-turn }()
	case <-ctx.Done():
		return last, errBusy
	}
	if last, counts = a.last(about); counts {
		return last, nil
	}
	next, err := ask(last)
	if err == nil {
		a.put(about, next)
	}
	return next, err
}

// Owner returns for whom a signer acts, the zero wallet if for nobody. It asks the venue if that was not learnt
// lately.
func (g *Gate) Owner(ctx context.Context, signer exchange.Address) (marketcache.Wallet, error) {
	return g.owners.learn(ctx, g.asking, signer, func(last marketcache.Wallet) (of marketcache.Wallet, err error) {
		role, err := g.roleOf(marketcache.Wallet(signer), last != marketcache.Wallet{})
		switch {
		case err != nil:
		case role.Role == marketcache.RoleAgent:
			of = role.of(role.Data.User)
		case role.Role == "user":
			of = marketcache.Wallet(signer)
		}
		return of, err
	})
}

// LastOwner returns for whom a signer acted when that was last learnt, the zero wallet if it never was.
func (g *Gate) LastOwner(signer exchange.Address) marketcache.Wallet {
	of, _ := g.owners.last(signer)
	return of
}

// KnownOwner returns for whom a signer acts, the zero wallet if for nobody; known is false if that was not learnt
// lately.
func (g *Gate) KnownOwner(signer exchange.Address) (of marketcache.Wallet, known bool) {
	if of, known = g.owners.last(signer); !known {
		of = marketcache.Wallet{}
	}
	return of, known
}

// signersOf is an account, and how it is acted for.
type signersOf struct {
	account marketcache.Wallet
	multi   bool
}

// signers are who may sign for an account: needed of them together. A nil list: nobody.
type signers struct {
	all    []marketcache.Wallet
	needed int
}

// MayAct reports whether those who have signed, each an owner or the owner of an agent, may together act for an
// account other than their own: a sub-account, a vault, or with multi an account that several sign for.
func (g *Gate) MayAct(ctx context.Context, who []marketcache.Wallet, account marketcache.Wallet, multi bool) (bool,
	error) {
	s, err := g.signers.learn(ctx, g.asking, signersOf{account, multi}, func(signers) (signers, error) {
		return g.askSigners(account, multi)
	})
	if err != nil {
		return false, err
	}
	n := 0
	for i, w := range who {
		if slices.Contains(s.all, w) && !slices.Contains(who[:i], w) {
			n++
		}
	}
	return n > 0 && n >= s.needed, nil
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
	err = g.ask(`{"type":"userRole","user":"`+w.String()+`"}`, known, &r)
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
		err := g.ask(`{"type":"userToMultiSigSigners","user":"`+account.String()+`"}`, false, &several)
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
		err = g.ask(`{"type":"vaultDetails","vaultAddress":"`+account.String()+`"}`, false, &vault)
		w = r.of(vault.Leader)
	}
	if w != (marketcache.Wallet{}) {
		s.all, s.needed = []marketcache.Wallet{w}, 1
	}
	return s, err
}

// ask asks the venue a question.
func (g *Gate) ask(body string, urgent bool, into any) error {
	if weight := exchange.InfoWeight(kindOf([]byte(body)), 0); urgent {
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
