package gate

import (
	"cmp"
	"context"
	"errors"
	"net"
	"strings"
	"sync"
	"sync/atomic"
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
	// Apart: the gate is on a listener of its own, and on no other.
	Apart bool
	// Budget is the request weight that this address may spend at the venue; nil: it is not counted.
	Budget Budget
	// Sockets is how many sockets of clients there may be at the venue (no limit).
	Sockets int
	Timeout time.Duration // for the venue's answer (10 s)
}

// Budget is the request weight of an address. A feed.Queue is one.
type Budget interface {
	// SpentOrders counts the weight of actions, which wait for nothing.
	SpentOrders(weight int)
	// Take takes the weight of a question and returns 0, or else the time after which to ask again. Spent counts what
	// its answer weighs more.
	Take(weight int) (wait time.Duration)
	Spent(weight int)
}

// Gate hands on what may pass. Create it with New. Safe for concurrent use.
type Gate struct {
	Config
	Ledgers
	client fasthttp.HostClient

	owed    atomic.Int64  // weight spent that Budget does not know yet
	sockets atomic.Int64  // of clients
	asking  chan struct{} // has one token while the venue is asked about a signer

	owners  answers[exchange.Address, marketcache.Wallet] // for whom signers act; the zero wallet: for nobody
	signers answers[signersOf, signers]

	mu     sync.Mutex
	tables map[exchange.Address]*exchange.KnownSigner
}

// maxAnswer is the longest answer of the venue that is handed back, bytes.
const maxAnswer = 32 << 20

// New returns a gate.
func New(cfg Config) *Gate {
	cfg.Timeout = cmp.Or(cfg.Timeout, 10*time.Second)
	scheme, host, _ := strings.Cut(cfg.Venue, "://")
	host, _, _ = strings.Cut(host, "/")
	return &Gate{
		Config: cfg, asking: make(chan struct{}, 1),
		owners: answers[exchange.Address, marketcache.Wallet]{
			nobody: func(w marketcache.Wallet) bool { return w == marketcache.Wallet{} }},
		signers: answers[signersOf, signers]{nobody: func(s signers) bool { return s.all == nil }},
		tables:  map[exchange.Address]*exchange.KnownSigner{},
		client: fasthttp.HostClient{
			Addr: fasthttp.AddMissingPort(host, scheme == "https"), IsTLS: scheme == "https", MaxConns: 4096,
			ReadTimeout: cfg.Timeout, WriteTimeout: cfg.Timeout, MaxResponseBodySize: maxAnswer,
			// An action is never sent twice: the venue may have carried out the first.
			RetryIfErr: func(*fasthttp.Request, int, error) (reset, retry bool) { return false, false },
		},
	}
}

// spendEvery is how often weight that was spent is told to the budget: an action waits for no lock of the feed.
const spendEvery = 250 * time.Millisecond

// Run counts what is spent until ctx ends.
func (g *Gate) Run(ctx context.Context) {
	tick := time.NewTicker(spendEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if weight := g.owed.Swap(0); weight > 0 && g.Budget != nil {
				g.Budget.SpentOrders(int(weight))
			}
		case <-ctx.Done():
			return
		}
	}
}

// take takes the weight of a question and returns 0, or else the time after which to ask again.
func (g *Gate) take(weight int) (wait time.Duration) {
	if g.Budget == nil {
		return 0
	}
	return g.Budget.Take(weight)
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

// ErrNoAnswer is the error when the venue did not answer. What was sent may have been carried out.
var ErrNoAnswer = errors.New("the venue did not answer")

// Act posts an action of a number of orders to the venue and writes its answer to r: status, type and body as they
// are. With sent = false nothing has left.
func (g *Gate) Act(r *fasthttp.Response, body []byte, orders int) (sent bool, err error) {
	g.owed.Add(int64(1 + orders/40))
	return g.send(r, "/exchange", body, g.Timeout)
}

func (g *Gate) send(r *fasthttp.Response, path string, body []byte, patience time.Duration) (sent bool, err error) {
	var request fasthttp.Request
	request.SetRequestURI(g.Venue + path)
	request.Header.SetMethod(fasthttp.MethodPost)
	request.Header.SetContentType("application/json")
	request.SetBodyRaw(body)
	var answer fasthttp.Response
	if err := g.client.DoTimeout(&request, &answer, patience); err != nil {
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
