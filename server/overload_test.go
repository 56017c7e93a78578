package server

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ballast/marketcache"
	"ballast/server/admission"
)

// lateConn delays what it has read, as if no processor were free.
type lateConn struct {
	*net.TCPConn
	late *atomic.Int64
}

func (c *lateConn) Read(b []byte) (int, error) {
	n, err := c.TCPConn.Read(b)
	if late := time.Duration(c.late.Load()); late > 0 {
		time.Sleep(late/2 + rand.N(late)) // random, so that there are quiet times between bursts
	}
	return n, err
}

// flood is a number of clients that send requests without pause.
type flood struct {
	ok, refused atomic.Int64
	ending      chan struct{}
	clients     sync.WaitGroup
}

// flood starts clients, which report an answer that is neither a success nor a refusal.
func (f *fixture) flood(clients int, ask func() *reply) *flood {
	fl := &flood{ending: make(chan struct{})}
	for range clients {
		fl.clients.Go(func() {
			for {
				select {
				case <-fl.ending:
					return
				default:
				}
				switch r := ask(); {
				case r.status == 200:
					fl.ok.Add(1)
				case r.status == 503 && r.errorCode() == "overloaded" && r.header.Get("Retry-After") == "1":
					fl.refused.Add(1)
				default:
					f.t.Errorf("%d %s %v", r.status, r.body, r.header)
				}
			}
		})
	}
	return fl
}

func (fl *flood) end() {
	close(fl.ending)
	fl.clients.Wait()
}

// calm checks that the requests that were admitted have ended.
func (f *fixture) calm() {
	f.t.Helper()
	for kind := range admission.KindCount {
		if kind.Queued() && f.s.admission.InQueue(kind) != 0 {
			f.t.Errorf("%v: %d requests are still in the queue", kind, f.s.admission.InQueue(kind))
		}
	}
	if n, outside := f.s.admission.InSystem(), f.s.admission.Outside(); n != 0 || outside != 0 {
		f.t.Errorf("%d requests are still counted in the system, %d outside", n, outside)
	}
}

// lateArrival is an Arrival that has waited for long.
type lateArrival struct{}

func (lateArrival) Pipelined() bool              { return false }
func (lateArrival) SinceLastByte() time.Duration { return 300 * time.Millisecond }
func (lateArrival) Insists() bool                { return false }

// takeTurns takes all turns that a kind has while the sockets are overloaded, and returns how to give them back.
func (f *fixture) takeTurns(kind admission.Kind) (leave func()) {
	var mine []*admission.Ticket
	until(f.t, "the turns are taken", func() bool {
		ticket, _ := f.s.admission.Admit(kind, 1, marketcache.Now(), lateArrival{})
		if !ticket.Held() {
			ticket.Cancel()
		} else if _, refusal := ticket.Wait(); refusal != admission.Admitted {
			ticket.Cancel()
		} else {
			mine = append(mine, &ticket)
		}
		return len(mine) == admission.ShortTurns*runtime.GOMAXPROCS(0)
	})
	return func() {
		for _, ticket := range mine {
			ticket.Cancel()
		}
	}
}

// While requests of any kind arrive faster than they can be served, those that get no turn are refused;
// cheap requests and health checks are not. When the load falls, nothing is refused any more.
func TestOverloadRefuses(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the wait in the socket is known on Linux only")
	}
	plain, close := trade("BTC"), strings.Replace(trade("BTC"), "long", "close", 1)
	for name, row := range map[string]struct {
		kind admission.Kind
		ask  func(*fixture) *reply
	}{
		"validate": {admission.Plain, func(f *fixture) *reply { return f.post(plain) }},
		"close":    {admission.Plain, func(f *fixture) *reply { return f.post(close) }},
		"monitor":  {admission.Monitor, func(f *fixture) *reply { return f.get("/v1/monitor/" + wallet) }},
		"stress":   {admission.Stress, func(f *fixture) *reply { return f.shock(`"shocks":{"*":-10}`) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testOverloadRefuses(t, row.kind, row.ask)
		})
	}
}

func testOverloadRefuses(t *testing.T, kind admission.Kind, ask func(*fixture) *reply) {
	f := newFixture(t, func(c *Config) { c.MaxQueueWait, c.MaxInFlight = 4*time.Millisecond, 64 })
	f.contract = nil
	var late atomic.Int64
	f.serveOn(f.s.Serve, func(ln net.Listener) net.Listener {
		return wrappedListener{ln, func(c net.Conn) net.Conn { return &lateConn{c.(*net.TCPConn), &late} }}
	})
	warmAsk := func() *reply { f.warm(); return ask(f) }
	warmAsk().ok()
	late.Store(int64(300 * time.Millisecond))
	fl := f.flood(32, warmAsk)
	leave := f.takeTurns(kind)
	fl.refused.Store(0)
	until(t, "many are refused", func() bool { return fl.refused.Load() > 100 })
	for _, uri := range []string{"/livez", "/readyz", "/health", "/metrics", "/v1/assets"} {
		f.get(uri).ok()
	}
	leave()
	f.pipelineInOverload()
	fl.end()
	late.Store(0)
	time.Sleep(300 * time.Millisecond)
	for range 20 {
		warmAsk().ok()
	}
	f.calm()
}

// pipelineInOverload sends requests in one write. They wait for the first of them, not for the service.
func (f *fixture) pipelineInOverload() {
	const together = 20
	c := f.dial()
	defer c.Close()
	go io.WriteString(c, strings.Repeat(f.request("POST", "/v1/validate", trade("BTC")), together))
	refused, br := 0, bufio.NewReader(c)
	for range together {
		if f.readReply(br, "POST /v1/validate").status == 503 {
			refused++
		}
	}
	if refused > together/2 {
		f.t.Errorf("%d of %d requests of one write were refused", refused, together)
	}
}

// Every kind of request learns its own cost, on which the judgement of overload rests: its handler ends its
// ticket when the work is done.
func TestEveryKindLearnsItsCost(t *testing.T) {
	simulated := withSimulation(btcLong)
	for kind, ask := range map[admission.Kind]func(f *fixture) *reply{
		admission.Plain:          func(f *fixture) *reply { return f.post(trade("BTC")) },
		admission.Monitor:        func(f *fixture) *reply { return f.get("/v1/monitor/" + wallet) },
		admission.Stress:         func(f *fixture) *reply { return f.shock(`"shocks":{"*":-10}`) },
		admission.Batch:          func(f *fixture) *reply { return f.postBatch(batchOf(btcLong)) },
		admission.Simulation:     func(f *fixture) *reply { return f.post(withSimulation(trade("BTC"))) },
		admission.SimulatedBatch: func(f *fixture) *reply { return f.postBatch(batchOf(simulated)) },
		admission.Record:         func(f *fixture) *reply { return f.get("/v1/backtest/BTC") },
	} {
		f := warmFixture(t, nil)
		before := time.Now()
		ask(f).ok()
		until(t, "the request has ended", func() bool { return f.s.admission.InSystem() == 0 })
		if cost := f.s.admission.Cost(kind); cost < time.Microsecond || cost > time.Since(before) {
			t.Errorf("%v: a cost of %v after a request of %v", kind, cost, time.Since(before))
		}
	}
}

// A request that is refused after its admission is quick, and teaches nothing about the cost of its kind.
func TestRefusedRequestsTeachNoCost(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.StartingWait = time.Millisecond })
	f.know(agent(walletOf(wallet)))
	f.post(trade("BTC")).want(400, "api_wallet")
	f.postBatch(batchOf(btcLong)).want(400, "api_wallet")
	f.get("/v1/monitor/"+wallet).want(400, "api_wallet")
	f.know(testAccount(walletOf(wallet)))
	f.post(trade("FRESH")).want(503, "starting")
	f.shock(`"shocks":{"BTC":1},"trade":{"asset":"BTC","action":"long","size_coin":1e6}`).want(400, "validation_error")
	for kind := range admission.KindCount {
		if cost := f.s.admission.Cost(kind); cost != 0 {
			t.Errorf("%v: a cost of %v", kind, cost)
		}
	}
	f.calm()
}

// A flood of batches through real sockets: clients on more connections than processors send batches
// without pause, while the service must still answer validations and health checks.
func TestFloodOfBatches(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.MaxInFlight = 64; c.MaxQueueWait = time.Millisecond })
	f.contract = nil
	f.warm()
	const one = `{"asset":"BTC","action":"long","size":1000,"leverage":5}`
	body := batchOf(slices.Repeat([]string{one}, 50)...)
	fl := f.flood(32, func() *reply { return f.postBatch(body) })
	until(t, "answers under the flood", func() bool { f.warm(); return fl.ok.Load() >= 5 })
	for range 3 {
		f.get("/readyz").ok()
	}
	fl.end()
	t.Logf("%d answered, %d refused", fl.ok.Load(), fl.refused.Load())
	f.calm()
}

// A request that has waited for its turn is assessed with the market data at the start of its turn,
// which is read once.
func TestTurnSeesTheMarketOfNow(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.MaxInFlight = 64 })
	simulated := withSimulation(trade("BTC"))
	processors := runtime.GOMAXPROCS(0)
	for i, c := range []struct {
		kind      admission.Kind
		turns     int
		uri, body string
	}{
		{admission.Batch, processors, "/v1/validate/batch", batchOf(btcLong)},
		{admission.Simulation, 2 * processors, "/v1/validate", simulated},
		{admission.SimulatedBatch, processors, "/v1/validate/batch", batchOf(withSimulation(btcLong))},
	} {
		f.warm()
		leave := f.occupy(c.kind, c.turns)
		conn := f.dial()
		io.WriteString(conn, f.request("POST", c.uri, c.body))
		until(t, "it waits for its turn", func() bool { return f.s.admission.InQueue(c.kind) == c.turns+1 })
		time.Sleep(20 * time.Millisecond)
		price := 69234.5 + float64(i)
		f.cache.Contexts(btc).Publish(marketOf(price), marketcache.Now())
		leave()
		f.readReply(bufio.NewReader(conn), "POST "+c.uri).ok(fmt.Sprintf(`"mark_price":%g`, price))
	}
}
