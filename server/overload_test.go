package server

import (
	"bufio"
	"crypto/tls"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"ballast/marketcache"
)

func TestStandingQueue(t *testing.T) {
	var q standing
	now := marketcache.Now()
	const short, long = -time.Millisecond, 10 * time.Millisecond // too long, but not by far
	look := func(excess time.Duration) bool { return q.look(excess, max(0, 4*time.Millisecond+excess), now) }
	// pass lets time go by, with a look every millisecond, until the queue stands.
	pass := func(d, excess time.Duration) (stands bool) {
		for range d / time.Millisecond {
			now = now.Add(time.Millisecond)
			if look(excess) {
				return true
			}
		}
		return false
	}
	anew := func() {
		now = now.Add(time.Hour)
		if look(short) || pass(50*time.Millisecond, short) {
			t.Fatal("a short queue stands")
		}
	}
	anew()
	if pass(standingTime-5*time.Millisecond, long) {
		t.Error("a burst stands")
	}
	if pass(standingTime, short) || pass(standingTime/2, long) || pass(time.Millisecond, short) || pass(standingTime, long) {
		t.Error("a queue that has been short meanwhile stands")
	}
	if !pass(2*standingTime, long) {
		t.Error("a queue that is never short does not stand")
	}

	// One that has grown far too long does so soon, but for what a pause may have done to it.
	anew()
	if pass(growingTime, farTooLong) || !pass(2*time.Millisecond, farTooLong) {
		t.Errorf("a queue that is far too long does not stand after %v", growingTime)
	}
	for _, paused := range []time.Duration{6 * time.Millisecond, 15 * time.Millisecond, 19 * time.Millisecond, 90 * time.Millisecond} {
		anew()
		now = now.Add(paused)
		// All who came meanwhile have waited, and are worked off in twice the time.
		for left := paused; left > 0; left -= time.Millisecond / 2 {
			if look(left + farTooLong/2) {
				t.Errorf("those that a pause of %v has kept are a queue", paused)
			}
			now = now.Add(time.Millisecond)
		}
		anew()
		pass(5*time.Millisecond, long)
		now = now.Add(paused)
		if pass(growingTime+time.Millisecond, 2*paused+farTooLong-1) {
			t.Errorf("a pause of %v in a burst makes a queue", paused)
		}
		if !pass(2*paused+standingTime, long) {
			t.Errorf("after a pause of %v none is a queue", paused)
		}
	}
	// Nobody had waited while nobody came: that was no pause.
	anew()
	now = now.Add(longSilence - time.Millisecond)
	if q.look(0, time.Millisecond, now) || !pass(2*growingTime, farTooLong) {
		t.Error("silence is taken for a pause")
	}
	// Requests that take long are seldom looked at.
	anew()
	stood := false
	for range 20 {
		now = now.Add(10 * time.Millisecond)
		stood = look(long) || stood
	}
	if !stood {
		t.Error("a queue of slow requests does not stand")
	}

	anew()
	if !pass(2*standingTime, long) {
		t.Error("does not stand again")
	}
	// It stands as long as many are refused for it, however short it is kept by that.
	for i := range 2000 {
		if i%standingShare == 0 {
			q.refuse()
		}
		now = now.Add(time.Millisecond)
		if !look(short) {
			t.Fatal("over while many are refused")
		}
	}
	stands := 0
	for i := range 200 {
		if i%(2*standingShare) == 0 {
			q.refuse()
		}
		now = now.Add(time.Millisecond)
		if look(short) {
			stands++
		}
	}
	if stands > 150 {
		t.Error("stands although few are refused")
	}
	// What is seldom looked at says nothing.
	anew()
	for range 20 {
		now = now.Add(longSilence + time.Millisecond)
		if look(long) {
			t.Error("few slow requests are a queue")
		}
	}
	if !pass(2*standingTime, long) {
		t.Error("does not stand again")
	}
	q.refuse()
	now = now.Add(time.Hour)
	if look(long) {
		t.Error("the queue of an hour ago still stands")
	}
	// One may have been taken up before the newest.
	anew()
	if pass(5*time.Millisecond, long) || q.look(long, 2*long, now.Add(-30*time.Millisecond)) || !pass(standingTime+time.Millisecond, long) {
		t.Error("one that was overtaken hides a queue that stands")
	}
}

func TestGrowingQueue(t *testing.T) {
	now := marketcache.Now()
	// run looks every millisecond for a while and reports whether growth was seen; waiting is
	// how many wait after so many milliseconds.
	run := func(g *growth, d time.Duration, queue func(ms int) bool, waiting func(ms int) int) (grown bool) {
		now = now.Add(time.Hour)
		counted := 0
		for ms := range int(d / time.Millisecond) {
			now = now.Add(time.Millisecond)
			grown = g.look(queue(ms), now, 20, func() int { counted++; return waiting(ms) }) || grown
		}
		if most := int(d/growingTime) + 1; counted > most {
			t.Errorf("counted %d times in %v", counted, d)
		}
		return grown
	}
	always := func(int) bool { return true }
	for _, row := range []struct {
		name    string
		queue   func(ms int) bool
		waiting func(ms int) int
		want    bool
	}{
		{"four times what can be served", always, func(ms int) int { return 8 + 3*ms/2 }, true},
		{"many, and half more than can be served", always, func(ms int) int { return 100 + 10*ms }, true},
		{"closed in by one long request", always, func(ms int) int { return []int{20, 60}[ms/10%2] }, false},
		{"twice what can be served, but few", always, func(ms int) int { return ms / 4 }, false},
		{"a burst that is worked off", always, func(ms int) int { return 200 - 2*ms }, false},
		{"as many come as are served", always, func(ms int) int { return 50 + ms%3 }, false},
		{"few more, as chance has it", always, func(ms int) int { return 60 + ms/10 }, false},
		{"empty now and then", func(ms int) bool { return ms%8 != 0 }, func(ms int) int { return 8 * ms }, false},
	} {
		var g growth
		if got := run(&g, 60*time.Millisecond, row.queue, row.waiting); got != row.want {
			t.Errorf("%s: grows %v", row.name, got)
		}
	}
	// What was counted before a silence says nothing.
	var g growth
	n := 0
	for range 10 {
		now = now.Add(longSilence + time.Millisecond)
		n += 100
		if g.look(true, now, 0, func() int { return n }) {
			t.Error("a silence makes a queue grow")
		}
	}
}

// Requests are refused as soon as their queue grows, however long it may be. Time is the test's:
// a machine that pauses between two requests hides a queue that grows.
func TestOverloadRefusesWhenTheQueueGrows(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.MaxQueueWait = 4 * time.Millisecond })
	ready := 0
	o := f.s.overload
	o.lain = func(*fasthttp.RequestCtx) time.Duration { return 8 * time.Millisecond }
	o.ready = func() int { ready += 20; return ready }
	o.work.Store(maxWork) // a queue is too long at 160 ms only
	at, took := marketcache.Now(), 0
	for x := f.s.newExchange(); !o.sockets.over.Load(); took++ {
		x.at, x.fresh = at.Add(time.Duration(took)*lookEvery), true
		o.refuses(x)
		x.endWork()
		if took > 100 {
			t.Fatal("the queue never stands")
		}
	}
	if least := int(2 * growingTime / lookEvery); took < least {
		t.Errorf("the queue stands after %d ms, before it has grown twice", took)
	}
}

// Those are counted whose requests have come and have not been read.
func TestReadyConnections(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the kernel is not asked here")
	}
	const all, some = 12, 5
	var conns connections
	var listed []*conn
	for i := range all {
		c, far := connectionPair(t)
		c.fd = descriptor(c.Conn)
		conns.add(c)
		listed = append(listed, c)
		if i < some {
			io.WriteString(far, "GET / HTTP/1.1\r\n")
		}
	}
	until(t, "the requests are there", func() bool { return conns.ready() == some })
	conns.remove(listed[0])
	conns.remove(listed[0])
	conns.remove(listed[all-1])
	if n := conns.ready(); n != some-1 {
		t.Errorf("%d ready of %d, want %d", n, len(conns.list), some-1)
	}
	for _, c := range listed {
		conns.remove(c)
	}
	if n := conns.ready(); n != 0 || len(conns.list) != 0 {
		t.Errorf("%d ready of %d, want none", n, len(conns.list))
	}
}

// While more comes than can be served, what has waited is refused and what is cheap or
// watches the service is not; when less comes, everything is as before.
func TestOverloadRefuses(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.MaxQueueWait = 4 * time.Millisecond })
	f.contract = nil
	f.warm()
	var lain atomic.Int64
	f.s.overload.lain = func(*fasthttp.RequestCtx) time.Duration { return time.Duration(lain.Load()) }
	if r := f.post(trade("BTC")); r.status != 200 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	f.s.overload.work.Store(maxWork)                            // requests that cost much more than a refusal
	lain.Store(int64(longQueue*maxWork + 100*time.Millisecond)) // far too long, whatever a pause has left
	until(t, "a request is refused", func() bool {
		f.warm()
		r := f.post(trade("BTC"))
		if r.status == 503 && (r.errorCode() != "overloaded" || r.header.Get("Retry-After") != "1") {
			t.Errorf("%s %v", r.body, r.header)
		}
		return r.status == 503
	})
	refused, n := 0, 0
	for range 20 {
		time.Sleep(time.Millisecond) // what is there at once has not waited
		if r := f.post(trade("BTC")); r.status == 503 {
			refused++
		}
	}
	if refused < 15 {
		t.Errorf("%d of 20 requests that waited too long were refused", refused)
	}
	// Those behind the first of one write have waited for it, not for the service.
	const together = 20
	pipelined := f.dial()
	go io.WriteString(pipelined, strings.Repeat(f.request("POST", "/v1/validate", trade("BTC")), together))
	refused = 0
	for br := bufio.NewReader(pipelined); refused <= together; {
		if r := f.readReply(br, "POST /v1/validate"); r.status == 503 {
			refused++
		}
		if n++; n == together {
			break
		}
	}
	if refused > together/2 {
		t.Errorf("%d of %d requests of one write were refused", refused, together)
	}
	for _, uri := range []string{"/livez", "/readyz", "/health", "/metrics", "/v1/assets"} {
		if r := f.get(uri); r.status != 200 {
			t.Errorf("%s: %d %s", uri, r.status, r.body)
		}
	}
	until(t, "a monitor call is refused", func() bool {
		time.Sleep(time.Millisecond)
		return f.get("/v1/monitor/"+wallet).status == 503
	})
	lain.Store(0)
	time.Sleep(2 * standingTime)
	for range 20 {
		f.warm()
		if r := f.post(trade("BTC")); r.status != 200 {
			t.Errorf("afterwards: %d %s", r.status, r.body)
		}
	}
	if n, w := f.s.slots.inFlight(), f.s.overload.working.Load(); n != 0 || w != 0 {
		t.Errorf("%d slots lost, %d at work", n, w)
	}
}

// Where a refusal costs as much as an answer, half are answered; the dearer the answers,
// the fewer, and the fewer may be at work at once.
func TestOverloadShares(t *testing.T) {
	o := newOverload(time.Millisecond, 4, 1, func() int { return 0 })
	for _, row := range []struct {
		work         int64
		share        float64
		roomOfMillis float64
	}{{0, 1, 1e6}, {8_000, 0.5, 125}, {10_000, 0.5, 100}, {30_000, 0.25, 33}, {1_000_000, 1.0 / 101, 1}, {5_000_000, 1.0 / 501, 1}} {
		o.work.Store(row.work)
		const n = 100_000
		spared := 0
		for range n {
			if o.spared() {
				spared++
			}
		}
		if got := float64(spared) / n; got < 0.98*row.share || got > 1.02*row.share {
			t.Errorf("work of %d ns: %g of the late are answered, want %g", row.work, got, row.share)
		}
		if got := float64(o.room()) / float64(runtime.GOMAXPROCS(0)); got != row.roomOfMillis {
			t.Errorf("work of %d ns: room for %g a processor, want %g", row.work, got, row.roomOfMillis)
		}
	}
}

func TestSinceLastByte(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the kernel is not asked here")
	}
	c, client := connectionPair(t)
	for range 3 {
		sent := time.Now()
		client.Write([]byte("x"))
		time.Sleep(50 * time.Millisecond)
		if got := c.sinceLastByte(); got < 30*time.Millisecond || got > time.Since(sent)+10*time.Millisecond {
			t.Errorf("%v after it was sent, a byte is %v old", time.Since(sent), got)
		}
	}
	var ctx fasthttp.RequestCtx
	ctx.Init2(tls.Server(c, nil), nil, false)
	if connOf(&ctx) != c {
		t.Error("the connection under TLS is not found")
	}
	ctx.Init2(pipeConn{}, nil, false)
	if got := sinceLastByte(&ctx); got != 0 {
		t.Errorf("a connection that is none of ours: %v", got)
	}
}

// The flood that this is all for, through sockets: more connections than processors ask for
// batches without a pause, and the service goes on answering and being watched.
func TestFloodOfBatches(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.MaxInFlight = 64; c.MaxQueueWait = time.Millisecond })
	f.contract = nil
	f.warm()
	body := `{"wallet":"` + wallet + `","trades":[` + strings.Repeat(`{"asset":"BTC","action":"long","size":1000,"leverage":5},`, 49) +
		`{"asset":"BTC","action":"long","size":1000,"leverage":5}]}`
	stop := make(chan struct{})
	var ok, refused, other atomic.Int64
	done := make(chan struct{})
	for range 32 {
		go func() {
			defer func() { done <- struct{}{} }()
			for {
				select {
				case <-stop:
					return
				default:
				}
				switch r := f.postBatch(body); r.status {
				case 200:
					ok.Add(1)
				case 503:
					refused.Add(1)
				default:
					other.Add(1)
				}
			}
		}()
	}
	until(t, "answers under the flood", func() bool { f.warm(); return ok.Load() >= 20 })
	for range 3 {
		if r := f.get("/readyz"); r.status != 200 {
			t.Errorf("under the flood: %d %s", r.status, r.body)
		}
	}
	close(stop)
	for range 32 {
		<-done
	}
	if other.Load() != 0 {
		t.Errorf("%d answers that are neither", other.Load())
	}
	t.Logf("%d answered, %d refused", ok.Load(), refused.Load())
	if n, w := f.s.slots.inFlight(), f.s.overload.working.Load(); n != 0 || w != 0 {
		t.Errorf("%d slots lost, %d at work", n, w)
	}
}
