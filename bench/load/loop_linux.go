package load

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"
)

const (
	// patrol is the interval at which a run is checked for its end.
	patrol = 5 * time.Millisecond
	// stopPatience is how long an interrupted run waits for its last answers.
	stopPatience = 2 * time.Second
)

// loop sends the requests of a run and receives the answers. Each connection has a goroutine.
type loop struct {
	cfg    *Config
	target target
	fanout *fanout // nil: no alert sockets
	base   time.Time
	dialer net.Dialer
	conns  []connection
	timer  *timer
	ctx    context.Context // ends with the run
	end    context.CancelFunc
	// turn holds the number of the next arrival. The connection that takes it sleeps until that
	// arrival is due, and passes on the number after it; the others wait in the order in which they
	// became free, so that all connections stay in use.
	turn chan int64

	start   int64 // ns: when the first arrival is due; fixed before the first request, as are the next two
	measure int64 // ns: arrivals due from this time on are measured
	total   int64 // number of arrivals of the run, open loop only

	mu      sync.Mutex // guards the rest, and connection.Conn
	picker  *picker
	tally   *tally
	cpu     cpuWindow
	stop    int64  // ns: no arrival is due from this time on
	limit   int64  // ns: no answer is waited for from this time on
	next    int64  // number of the next arrival
	stopped bool   // no arrival is sent any more
	ended   string // why the run ended early; empty: it did not
}

// job is an arrival with its request.
type job struct {
	request   *request
	due, sent int64 // ns
	measured  bool  // not warm-up
}

// now returns the time since the start of the run, ns.
func (l *loop) now() int64 { return int64(time.Since(l.base)) }

func newLoop(ctx context.Context, cfg *Config, t target, base time.Time) (*loop, error) {
	l := &loop{cfg: cfg, target: t, base: base, tally: newTally(), picker: newPicker(cfg, writeRequests(cfg, t)),
		conns: make([]connection, cfg.Connections), turn: make(chan int64, 1)}
	l.ctx, l.end = context.WithCancel(ctx)
	var err error
	if l.timer, err = newTimer(); err == nil {
		err = l.connectAll()
	}
	if err != nil {
		l.close()
		return nil, err
	}
	return l, nil
}

// close ends the goroutines and closes the connections.
func (l *loop) close() {
	l.end()
	for i := range l.conns {
		if c := &l.conns[i]; c.Conn != nil {
			c.Close()
		}
	}
	if l.timer != nil {
		l.timer.file.Close()
	}
}

// run sends all requests. It returns after the last answer, or when the patience for missing answers
// is over.
func (l *loop) run() {
	var all sync.WaitGroup
	l.turn <- 0
	for i := range l.conns {
		c := &l.conns[i]
		all.Go(func() {
			for l.connect(c) {
				j, ok := l.claim(c)
				if !ok {
					return
				}
				l.send(c, j)
			}
		})
	}
	all.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.stopped { // arrivals for which no connection became free
		l.abandon(l.now(), l.total)
	}
	for !l.stopped && l.now() < l.stop { // the CPU time is measured to the end
		l.mu.Unlock()
		time.Sleep(patrol)
		l.mu.Lock()
	}
}

// prepare sets the times of the run.
func (l *loop) prepare() {
	l.start = l.now()
	l.measure = l.start + int64(l.cfg.Warmup)
	l.stop = l.measure + int64(l.cfg.Duration)
	l.limit = l.stop + int64(l.cfg.Timeout)
	if !l.cfg.Closed {
		l.total = max(1, int64(l.cfg.Rate*(l.cfg.Warmup+l.cfg.Duration).Seconds()))
	}
	l.cpu.pid = l.cfg.ServerPID
}

// due returns when arrival n is due, ns.
func (l *loop) due(n int64) int64 { return l.start + int64(float64(n)/l.cfg.Rate*1e9) }

// waiting returns how many arrivals that are due at time now wait for a connection.
func (l *loop) waiting(now int64) int64 {
	if l.cfg.Closed || l.stopped {
		return 0
	}
	return max(0, min(l.total, int64(float64(now-l.start)/1e9*l.cfg.Rate)+1)-l.next)
}

// over reports whether nothing is sent any more.
func (l *loop) over() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	return l.stopped || now >= l.limit || l.cfg.Closed && now >= l.stop || !l.cfg.Closed && l.next >= l.total
}

// watch measures the CPU time, and ends the run early after an interrupt or when
// the backlog exceeds its bound.
func (l *loop) watch(interrupted bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	l.cpu.observe(now, l.measure, l.stop)
	waiting := l.waiting(now)
	l.tally.backlog = max(l.tally.backlog, waiting)
	switch bound := int64(l.cfg.MaxBacklog); {
	case l.ended != "":
	case interrupted:
		l.ended = "interrupted"
		l.halt(now)
	case bound > 0 && waiting > bound:
		l.ended = fmt.Sprintf(
			"given up %.1f s after the start: %d arrivals wait for a connection, more than the bound of %d. "+
				"The service does not keep up with the rate, or the connections are too few", float64(now-l.start)/1e9,
			waiting, bound)
		l.abandon(now, l.next+waiting)
		l.halt(now)
	}
	if now >= l.limit {
		l.timer.stop()
		l.end()
	}
}

// halt ends the arrivals at time now, and the patience for the answers soon after.
func (l *loop) halt(now int64) {
	l.stopped = true
	l.stop = min(l.stop, now)
	l.limit = min(l.limit, now+int64(stopPatience))
	l.timer.stop()
	for i := range l.conns {
		if c := &l.conns[i]; c.Conn != nil {
			c.SetDeadline(l.base.Add(time.Duration(l.limit)))
		}
	}
}

// abandon counts the arrivals before number to as never sent.
func (l *loop) abandon(now, to int64) {
	for ; l.next < to; l.next++ {
		if due := l.due(l.next); due >= l.measure {
			l.tally.lose(l.picker.next().kind, lostUnsent, now-due)
		}
	}
}

// claim waits for the next arrival and takes it for a connection. It reports false at the end of the
// run.
func (l *loop) claim(c *connection) (job, bool) {
	if l.cfg.Closed {
		now := l.now()
		return l.take(c, now, now)
	}
	n := <-l.turn
	due, now := l.due(n), l.now()
	if n < l.total && due > now {
		l.timer.sleep(time.Duration(due - now)) // fails at the end of the run only
		now = l.now()
	}
	j, ok := job{}, false
	if n < l.total {
		j, ok = l.take(c, due, now)
	}
	if ok {
		n++
	}
	l.turn <- n
	return j, ok
}

// take takes the next arrival, unless the run is over.
func (l *loop) take(c *connection, due, now int64) (job, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopped || now >= l.limit || l.cfg.Closed && now >= l.stop {
		return job{}, false
	}
	l.next++
	j := job{request: l.picker.next(), due: due, sent: now, measured: due >= l.measure}
	if j.measured {
		record(l.tally.delay, now-due)
	}
	l.setPatience(c, now)
	return j, true
}

// setPatience bounds the wait for the answer to a request sent at time now.
func (l *loop) setPatience(c *connection, now int64) {
	c.SetDeadline(l.base.Add(time.Duration(min(now+int64(l.cfg.Timeout), l.limit))))
}

// send sends a request and counts its answer.
func (l *loop) send(c *connection, j job) {
	if !l.cfg.Closed && !c.quiet() { // the server has closed the connection while it was idle
		l.drop(c)
		if l.dial(l.ctx, c) != nil {
			l.lose(j, lostClosed)
			return
		}
	}
	before := c.in
	lost := c.exchange(j.request.text)
	now := l.now()
	if lost != "" {
		l.lose(j, lost)
		l.drop(c)
		return
	}
	status := c.answer.StatusCode()
	l.mu.Lock()
	if j.measured {
		l.tally.answer(j.request.kind, status, now-j.due)
		if status/100 == 2 {
			record(l.tally.service, now-j.sent)
		}
		l.tally.bytesIn += c.in - before
		l.tally.bytesOut += int64(len(j.request.text))
		l.tally.last = now
	}
	if l.cpu.open {
		l.tally.inWindow++
	}
	l.mu.Unlock()
	if l.fanout != nil && j.request.kind == Monitor && status/100 == 2 {
		l.fanout.answered(c.answer.Body(), now)
	}
	if c.answer.ConnectionClose() {
		l.drop(c)
	}
}

// lose counts an arrival without an answer.
func (l *loop) lose(j job, why string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if j.measured {
		l.tally.lose(j.request.kind, why, l.now()-j.due)
	}
}
