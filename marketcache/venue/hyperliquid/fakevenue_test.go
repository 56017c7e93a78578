package hyperliquid

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"ballast/marketcache/venue/exchange"
)

// fakeVenue is a small scripted venue inside a synctest bubble: real HTTP requests and WebSocket
// frames over in-memory connections, on the bubble's virtual clock. Tests change its fields
// through the method script, which holds the lock.
type fakeVenue struct {
	t        *testing.T
	accept   chan net.Conn
	server   *http.Server
	started  time.Time
	upgrader websocket.Upgrader

	mu       sync.Mutex
	assets   []string      // assets of all dexes
	dexes    []string      // names of builder-deployed dexes
	down     bool          // no connection is accepted
	skew     time.Duration // the venue's clock minus the real time
	noSocket bool          // the WebSocket handshake is rejected
	silent   bool          // sockets accept frames and send nothing at all
	frozen   chan struct{} // until it is closed, connections are accepted and nothing is answered; nil: not frozen
	lastWord bool          // the next ping is answered with a frame that is no pong, then nothing more is sent
	// push returns the text of one book; figures is the precision, -1 for the fast book. A nil
	// push, or "", sends nothing.
	push    func(coin string, figures int, now time.Time) string
	noMarks bool          // fastAssetCtxs sends nothing
	noLists bool          // allDexsAssetCtxs sends nothing
	allData func() string // data of allDexsAssetCtxs
	marks   func() string // unpacked data of fastAssetCtxs, sent completely each time
	// users returns the frame of a user stream, "" for none; they come every userEvery.
	users     func(req infoRequest) string
	userEvery time.Duration
	kills     func(sub string) bool       // whether a subscription closes the connection
	info      func(req infoRequest) reply // scripted answers; nil: none
	noDate    bool
	limit     int                      // the test fails if the weight in any sliding minute exceeds it; 0: no limit
	hold      time.Duration            // delay of every REST answer
	holdOf    map[string]time.Duration // further delay, by type of request
	every     time.Duration            // interval between two fast books; set before the start
	// interest returns the open interest of an asset by its index; nil: all equal.
	interest func(i int) float64
	closes   map[string]float64 // of candles; nil: near 100

	asked    map[string]int
	spent    []spending
	conns    map[*websocket.Conn]*sync.Mutex
	connects []time.Time // times of attempts to open a socket, including rejected ones
	framesAt []time.Time // times at which all frames arrived, pings included
}

// reply is a scripted answer of REST; the zero reply leaves the answer to the venue.
type reply struct {
	status int
	body   string
	header map[string]string
}

type spending struct {
	at     time.Time
	weight int
}

type infoRequest struct {
	Type, Coin, User, Dex string
	NSigFigs              int
	Fast                  bool
	StartTime             int64
	Req                   struct {
		Coin      string
		StartTime int64
		EndTime   int64
	}
}

func newFakeVenue(t *testing.T, assets ...string) *fakeVenue {
	v := &fakeVenue{t: t, every: 500 * time.Millisecond, accept: make(chan net.Conn), started: time.Now(),
		assets: assets, asked: map[string]int{}, conns: map[*websocket.Conn]*sync.Mutex{}}
	v.push = v.movingBook
	mux := http.NewServeMux()
	mux.HandleFunc("/info", v.serveInfo)
	mux.HandleFunc("/ws", v.serveSocket)
	v.server = &http.Server{Handler: mux, ErrorLog: nil}
	return v
}

func (v *fakeVenue) script(fn func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	fn()
}

// says has the venue answer requests of some kinds, or of all if none is named, with a status and a body.
func (v *fakeVenue) says(status int, body string, kinds ...string) {
	v.answers(func(q infoRequest) reply {
		if len(kinds) > 0 && !slices.Contains(kinds, q.Type) {
			return reply{}
		}
		return reply{status: status, body: body}
	})
}

// tells has the venue answer requests of one kind with a text; "" leaves the answer to the venue.
func (v *fakeVenue) tells(kind string, text func(q infoRequest) string) {
	v.answers(func(q infoRequest) reply {
		if q.Type != kind {
			return reply{}
		}
		if body := text(q); body != "" {
			return reply{status: 200, body: body}
		}
		return reply{}
	})
}

// answers replaces what the venue is scripted to answer; nil ends that.
func (v *fakeVenue) answers(info func(q infoRequest) reply) { v.script(func() { v.info = info }) }

// pushes has the venue push other books of one coin.
func (v *fakeVenue) pushes(coin string, book func(figures int, now time.Time) string) {
	v.script(func() {
		v.push = func(of string, figures int, now time.Time) string {
			if of == coin {
				return book(figures, now)
			}
			return v.movingBook(of, figures, now)
		}
	})
}

// Accept, Close and Addr implement net.Listener.
func (v *fakeVenue) Accept() (net.Conn, error) {
	if c, ok := <-v.accept; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}
func (v *fakeVenue) Close() error   { return nil }
func (v *fakeVenue) Addr() net.Addr { return &net.TCPAddr{} }

func (v *fakeVenue) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	v.mu.Lock()
	down := v.down
	v.mu.Unlock()
	if down {
		return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
	}
	a, b := net.Pipe()
	select {
	case v.accept <- b:
		return a, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// now returns the time on the venue's clock.
func (v *fakeVenue) now() time.Time { return time.Now().Add(v.skew) }

// price returns a coin's price, which changes every second.
func (v *fakeVenue) price(coin string, at time.Time) float64 {
	return 100 + float64(at.Unix()%50)/100 + float64(len(coin))/20
}

func (v *fakeVenue) movingBook(coin string, figures int, now time.Time) string {
	return precisionJSON(coin, now.UnixMilli(), v.price(coin, now), figures)
}

func (v *fakeVenue) serveInfo(w http.ResponseWriter, r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	var req infoRequest
	if err := json.Unmarshal(b, &req); err != nil {
		v.t.Errorf("request is not JSON: %q", b)
	}
	v.thaw()
	v.mu.Lock()
	if v.down {
		v.mu.Unlock()
		panic(http.ErrAbortHandler)
	}
	v.asked[req.Type]++
	hold := v.hold + v.holdOf[req.Type]
	a := v.answer(req)
	rows := strings.Count(a.body, `"t":`) // of candles
	if req.Type == "fundingHistory" {
		rows = strings.Count(a.body, `"time":`)
	}
	v.spent = append(v.spent, spending{time.Now(), exchange.InfoWeight(req.Type, rows)})
	sum := 0
	for i := len(v.spent) - 1; i >= 0 && time.Since(v.spent[i].at) <= time.Minute; i-- {
		sum += v.spent[i].weight
	}
	if v.limit > 0 && sum > v.limit {
		v.t.Errorf("%d weight in a minute, over %d", sum, v.limit)
	}
	if v.noDate {
		w.Header()["Date"] = nil
	} else {
		w.Header().Set("Date", time.Now().UTC().Format(http.TimeFormat))
	}
	v.mu.Unlock()
	time.Sleep(hold + 5*time.Millisecond)
	if a.status < 0 { // the connection is reset
		panic(http.ErrAbortHandler)
	}
	for k, x := range a.header {
		w.Header().Set(k, x)
	}
	w.WriteHeader(a.status)
	io.WriteString(w, a.body)
}

// answer returns the answer to a request. The caller holds the lock.
func (v *fakeVenue) answer(req infoRequest) reply {
	if v.info != nil {
		if a := v.info(req); a.status != 0 {
			return a
		}
	}
	now, body := v.now(), ""
	switch req.Type {
	case "metaAndAssetCtxs":
		body = metaJSON(v.listed(req.Dex)...)
		for _, name := range v.listed(req.Dex) {
			body = strings.Replace(body, contextJSON(100), contextJSON(v.price(name, now)), 1)
		}
		body = v.withInterest(body)
	case "perpDexs":
		body = "[null"
		for _, dex := range v.dexes {
			body += fmt.Sprintf(`,{"name":%q}`, dex)
		}
		body += "]"
	case "exchangeStatus":
		body = fmt.Sprintf(`{"time":%d,"specialStatuses":null}`, now.UnixMilli())
	case "maxMarketOrderNtls":
		body = `[[25,"15000000.0"],[1,"500000.0"]]`
	case "perpsAtOpenInterestCap":
		body = `["A","GONE"]`
	case "predictedFundings":
		body = `[["A",[["BinPerp",{"fundingRate":"0.0008","nextFundingTime":1,"fundingIntervalHours":8}],` +
			`["BybitPerp",null]]]]`
	case "candleSnapshot":
		body = v.candles(req, 200)
	case "fundingHistory":
		var rows []string
		for h := now.Add(-800 * time.Hour).Truncate(time.Hour); !h.After(now) && len(rows) < 500; h = h.Add(time.Hour) {
			if ms := h.UnixMilli() + 40; ms >= req.StartTime && ms <= now.UnixMilli() {
				rows = append(rows, fmt.Sprintf(`{"coin":%q,"fundingRate":"0.0000125","premium":"0","time":%d}`,
					req.Coin, ms))
			}
		}
		body = "[" + strings.Join(rows, ",") + "]"
	case "l2Book":
		if body = v.movingBook(req.Coin, req.NSigFigs, now); !strings.Contains(strings.Join(v.assets, " "), req.Coin) {
			body = "null"
		}
	case "clearinghouseState":
		if body = accountJSON("A", 2, 200); req.Dex != "" {
			body = emptyAccountJSON
		}
		body = stamped(body, now)
	case "userAbstraction":
		body = `"disabled"`
	case "userFees":
		body = `{"userCrossRate":"0.0004","activeReferralDiscount":"0.04"}`
	case "spotClearinghouseState":
		body = `{"balances":[{"coin":"USDC","token":0,"total":"77.5","hold":"0.0","entryNtl":"0.0"}]}`
	case "activeAssetData":
		body = fmt.Sprintf(`{"user":"0x","coin":%q,"leverage":{"type":"cross","value":7}}`, req.Coin)
	case "userRole":
		body = `{"role":"missing"}`
	case "frontendOpenOrders":
		body = "[]"
	default:
		return reply{status: 422, body: "Failed to deserialize the JSON body into the target type"}
	}
	return reply{status: 200, body: body}
}

// listed returns the assets of a dex.
func (v *fakeVenue) listed(dex string) (names []string) {
	for _, a := range v.assets {
		if dexOf(a) == dex {
			names = append(names, a)
		}
	}
	return names
}

// withInterest inserts the open interest of each asset into a list of contexts.
func (v *fakeVenue) withInterest(contexts string) string {
	if v.interest == nil {
		return contexts
	}
	parts := strings.Split(contexts, `"openInterest":"1000.0"`)
	var b strings.Builder
	for i, p := range parts[:len(parts)-1] {
		fmt.Fprintf(&b, `%s"openInterest":"%.1f"`, p, v.interest(i))
	}
	return b.String() + parts[len(parts)-1]
}

// candles returns the newest n hourly candles that a request asks for, and the current one.
func (v *fakeVenue) candles(q infoRequest, n int) string {
	var rows []string
	hour := v.now().Truncate(time.Hour)
	for i := n; i >= 0; i-- {
		open := hour.Add(-time.Duration(i) * time.Hour)
		if price := v.price(q.Req.Coin, open); open.UnixMilli() >= q.Req.StartTime {
			if v.closes != nil {
				price = v.closes[q.Req.Coin]
			}
			rows = append(rows, candleJSON(q.Req.Coin, open.UnixMilli(), price))
		}
	}
	return "[" + strings.Join(rows, ",") + "]"
}

// count returns the number of requests of a kind received.
func (v *fakeVenue) count(kind string) int {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.asked[kind]
}
