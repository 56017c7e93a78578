package gate

import (
	"cmp"
	"errors"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"ballast/compute/risk"
	"ballast/marketcache"
	"ballast/marketcache/venue/exchange"
)

// Config configures a Gate. Venue and Network are required.
type Config struct {
	Venue   string           // base address of the venue, where allowed actions go
	Network exchange.Network // for which actions must be signed
	// AnyNetwork: an action may be signed for the other network as well, as a simulated venue takes it.
	AnyNetwork bool
	// Block is the recommendation from which an increase is refused (Abort, if PolicyOnly is not set).
	Block      risk.Recommendation
	PolicyOnly bool // only policy and kill switch refuse
	// Open: increases that cannot be judged are handed on.
	Open bool
	// Funds and Signers allow actions that move collateral or change how it is pooled, and those that change who may
	// sign.
	Funds, Signers bool
	// KeyRequired: requests must have an API key as well.
	KeyRequired bool
	Timeout     time.Duration // for the venue's answer (10 s)
}

// Gate hands on what may pass. Create it with New. Safe for concurrent use.
type Gate struct {
	Config
	Ledgers
	client fasthttp.HostClient

	mu     sync.Mutex
	owners map[exchange.Address]owner // by signer
}

// owner is for whom a signer acts.
type owner struct {
	account marketcache.Wallet
	read    marketcache.Instant
}

const (
	// ownerMaxAge is how long a signer counts as acting for an account: another account may approve it meanwhile.
	ownerMaxAge = 5 * time.Minute
	// maxOwners is how many signers are known at a time.
	maxOwners = 10_000
	// maxAnswer is the longest answer of the venue that is handed back, bytes.
	maxAnswer = 32 << 20
)

// New returns a gate.
func New(cfg Config) *Gate {
	cfg.Timeout = cmp.Or(cfg.Timeout, 10*time.Second)
	scheme, host, _ := strings.Cut(cfg.Venue, "://")
	host, _, _ = strings.Cut(host, "/")
	return &Gate{
		Config: cfg, owners: map[exchange.Address]owner{},
		client: fasthttp.HostClient{
			Addr: fasthttp.AddMissingPort(host, scheme == "https"), IsTLS: scheme == "https", MaxConns: 4096,
			ReadTimeout: cfg.Timeout, WriteTimeout: cfg.Timeout, MaxResponseBodySize: maxAnswer,
			// An action is never sent twice: the venue may have carried out the first.
			RetryIfErr: func(*fasthttp.Request, int, error) (reset, retry bool) { return false, false },
		},
	}
}

// Close closes the connections to the venue that are not in use.
func (g *Gate) Close() { g.client.CloseIdleConnections() }

// Way is what happens to an action.
type Way uint8

const (
	Pass   Way = iota // it is handed on at once
	Judged            // it is handed on if the service lets it
	Refused
)

// WayOf returns what happens to an action, and of one that is refused why.
func (g *Gate) WayOf(a *exchange.Action) (way Way, why string) {
	const byHand = ": do it at the venue itself, or allow it here with --gate-allow "
	switch a.Class() {
	case exchange.NeverEnlarges, exchange.Cost:
		return Pass, ""
	case exchange.Increase, exchange.Margin:
		return Judged, ""
	case exchange.Funds, exchange.AbstractionClass:
		if g.Funds {
			return Pass, ""
		}
		return Refused, a.Type() + " moves collateral, which no limit could follow" + byHand + "funds"
	case exchange.Signers:
		if g.Signers {
			return Pass, ""
		}
		return Refused, a.Type() + " changes who may sign" + byHand + "signers"
	}
	return Refused, "actions of type " + a.Type() + " are not known here, so nobody can say what they do: send them " +
		"to the venue itself"
}

// Owner returns for whom a signer acts, if that was learnt lately.
func (g *Gate) Owner(signer exchange.Address, now marketcache.Instant) (account marketcache.Wallet, known bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	o, known := g.owners[signer]
	return o.account, known && now.Sub(o.read) <= ownerMaxAge
}

// Learn notes for whom a signer acts.
func (g *Gate) Learn(signer exchange.Address, account marketcache.Wallet, now marketcache.Instant) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.owners) >= maxOwners {
		for s, o := range g.owners {
			if now.Sub(o.read) > ownerMaxAge || len(g.owners) >= maxOwners {
				delete(g.owners, s)
			}
		}
	}
	g.owners[signer] = owner{account, now}
}

// ErrNoAnswer is the error when the venue did not answer. What was sent may have been carried out.
var ErrNoAnswer = errors.New("the venue did not answer")

// Send posts a body to a path of the venue and writes its answer to r: status, type and body as they are. With
// sent = false nothing has left.
func (g *Gate) Send(r *fasthttp.Response, path string, body []byte) (sent bool, err error) {
	var request fasthttp.Request
	request.SetRequestURI(g.Venue + path)
	request.Header.SetMethod(fasthttp.MethodPost)
	request.Header.SetContentType("application/json")
	request.SetBodyRaw(body)
	var answer fasthttp.Response
	if err := g.client.DoTimeout(&request, &answer, g.Timeout); err != nil {
		return !errors.Is(err, fasthttp.ErrNoFreeConns) && !dialFailed(err), errors.Join(ErrNoAnswer, err)
	}
	r.SetStatusCode(answer.StatusCode())
	r.Header.SetContentTypeBytes(answer.Header.ContentType())
	if retry := answer.Header.Peek("Retry-After"); len(retry) > 0 {
		r.Header.SetBytesV("Retry-After", retry)
	}
	r.SetBody(answer.Body())
	return true, nil
}

// dialFailed reports whether there was no connection to send anything over.
func dialFailed(err error) bool {
	op, is := errors.AsType[*net.OpError](err)
	return is && op.Op == "dial" || errors.Is(err, fasthttp.ErrDialTimeout)
}
