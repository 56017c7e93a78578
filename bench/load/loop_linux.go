package load

import (
	"fmt"
	"net"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// startsAtOnce is the number of due requests sent before the loop reads answers again. The
	// bound keeps a burst of requests from delaying the time stamps of answers that arrive
	// meanwhile.
	startsAtOnce = 16
	// longestWait is the longest sleep, and so the longest delay until the loop notices an
	// interrupt.
	longestWait = 50 * time.Millisecond
	// patrol is the interval at which connections are checked for requests that have timed out and
	// for attempts to connect that are due.
	patrol = 50 * time.Millisecond
	// reconnectPause is the pause between two attempts to connect.
	reconnectPause = 100 * time.Millisecond
	// stopPatience is how long an interrupted run waits for its last answers.
	stopPatience = 2 * time.Second
)

// state is the state of a connection.
type state uint8

const (
	down       state = iota // not connected; connects again at conn.until
	connecting              // gives up at conn.until
	idle                    // in the queue of free connections
	busy                    // waits for an answer
)

// conn is one keep-alive connection, with one request at a time.
type conn struct {
	index   int32 // index in loop.conns
	life    int32 // number of the current socket, to recognise events of an earlier socket
	fd      int
	state   state
	until   int64 // ns: time of the next timeout or attempt to connect
	due     int64 // ns: when the current request was due
	sent    int64 // ns: when the current request was sent
	measure bool  // the current request is measured (not warm-up)
	kind    Kind
	unsent  []byte // rest of the request that the socket has not accepted yet
	answer  answer
}

// loop sends the requests of a run and receives the answers. One goroutine on its own thread does
// everything.
type loop struct {
	cfg     *Config
	address unix.Sockaddr
	family  int
	picker  *picker
	tally   *tally
	fanout  *fanout // nil: no alert sockets
	base    time.Time

	epoll int
	conns []conn
	free  queue // idle connections, longest idle first, so that all connections stay in use
	inbox []byte

	begin   atomic.Int64 // start, for other goroutines; 0 before the start
	start   int64        // ns: when the first arrival is due
	measure int64        // ns: arrivals due from this time on are measured
	stop    int64        // ns: no arrival is due from this time on
	next    int64        // number of the next arrival
	total   int64        // number of arrivals of the run, open loop only
	flying  int          // number of requests waiting for an answer
	patrols int64        // ns: when to check the connections next
	cpu     cpuWindow
	ended   string // why the run ended early; empty: it did not

	// The following fields are read or set by other goroutines.
	interrupt atomic.Bool
	answered  atomic.Int64
	failed    atomic.Int64
	waiting   atomic.Int64
}

// now returns the time since the start of the run, ns.
func (l *loop) now() int64 { return int64(time.Since(l.base)) }

// newLoop resolves the address and checks that a server accepts connections there.
func newLoop(cfg *Config, t target, base time.Time) (*loop, error) {
	try, err := net.DialTimeout("tcp", t.address, connectTime)
	if err != nil {
		return nil, err
	}
	addr := try.RemoteAddr().(*net.TCPAddr)
	try.Close()
	l := &loop{
		cfg: cfg, base: base, tally: newTally(), picker: newPicker(cfg, writeRequests(cfg, t)),
		conns: make([]conn, cfg.Connections), free: queue{ring: make([]int32, cfg.Connections)},
		inbox: make([]byte, 256<<10),
	}
	if ip := addr.IP.To4(); ip != nil {
		l.family, l.address = unix.AF_INET, &unix.SockaddrInet4{Port: addr.Port, Addr: [4]byte(ip)}
	} else {
		l.family, l.address = unix.AF_INET6, &unix.SockaddrInet6{Port: addr.Port, Addr: [16]byte(addr.IP.To16())}
	}
	for i := range l.conns {
		l.conns[i].index, l.conns[i].fd = int32(i), -1
	}
	if l.epoll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return nil, fmt.Errorf("epoll: %w", err)
	}
	return l, nil
}

// run makes the connections and sends all requests. It returns after the last answer, or when the
// patience for missing answers is over.
func (l *loop) run() error {
	// Never unlocked: the timer slack set below belongs to the thread, which ends with the
	// goroutine.
	runtime.LockOSThread()
	unix.Prctl(unix.PR_SET_TIMERSLACK, 1, 0, 0, 0) // without this, sleeps take at least 50 us; a failure does no harm
	defer l.closeAll()
	if err := l.connectAll(); err != nil {
		return err
	}
	l.start = l.now()
	l.begin.Store(l.start)
	l.measure = l.start + int64(l.cfg.Warmup)
	l.stop = l.measure + int64(l.cfg.Duration)
	l.total = max(1, int64(l.cfg.Rate*(l.cfg.Warmup+l.cfg.Duration).Seconds()))
	l.cpu.pid = l.cfg.ServerPID
	for !l.done() {
		var err error
		if l.cfg.Closed {
			err = l.wait(l.sendFree())
		} else {
			err = l.wait(l.sendDue())
		}
		if err != nil {
			return err
		}
	}
	return l.cpu.finish(l.now())
}

// due returns when arrival n is due, ns.
func (l *loop) due(n int64) int64 { return l.start + int64(float64(n)/l.cfg.Rate*1e9) }

// dueBy returns how many arrivals are due at time now.
func (l *loop) dueBy(now int64) int64 {
	return max(l.next, min(l.total, int64(float64(now-l.start)/1e9*l.cfg.Rate)+1))
}

// done reports whether the run is over. It ends the run early after an interrupt or when the
// backlog exceeds its bound.
func (l *loop) done() bool {
	now := l.now()
	l.cpu.observe(now, l.measure, l.stop)
	if l.interrupt.Load() && l.ended == "" {
		l.ended = "interrupted"
		l.total, l.stop = l.next, min(l.stop, now)
	}
	waiting := int64(0)
	if !l.cfg.Closed {
		waiting = l.dueBy(now) - l.next
		l.waiting.Store(waiting)
		l.tally.backlog = max(l.tally.backlog, waiting)
	}
	if bound := int64(l.cfg.MaxBacklog); bound > 0 && waiting > bound && l.ended == "" {
		l.ended = fmt.Sprintf(
			"given up %.1f s after the start: %d arrivals wait for a connection, more than the bound of %d. "+
				"The service does not keep up with the rate, or the connections are too few", float64(now-l.start)/1e9,
			waiting,
			bound)
		l.abandon(now, l.dueBy(now))
		l.stop = min(l.stop, now)
	}
	patience := l.cfg.Timeout
	if l.ended != "" {
		patience = min(patience, stopPatience)
	}
	switch {
	case now < l.stop:
		return false
	case l.flying == 0 && (l.cfg.Closed || l.next >= l.total):
		return true
	case now > l.stop+int64(patience):
		l.abandon(now, l.total)
		for i := range l.conns {
			if l.conns[i].state == busy {
				l.lose(&l.conns[i], lostTimeout, now)
			}
		}
		return true
	}
	return false
}

// abandon counts the arrivals before number to as never sent.
func (l *loop) abandon(now, to int64) {
	for ; l.next < to; l.next++ {
		if due := l.due(l.next); due >= l.measure {
			l.tally.lose(l.picker.next().kind, lostUnsent, now-due)
			l.failed.Add(1)
		}
	}
	l.total = l.next
}

// sendDue sends the due requests while connections are free. It returns the time until which there
// is nothing to send.
func (l *loop) sendDue() (until int64) {
	for range startsAtOnce {
		if l.next >= l.total || l.free.n == 0 {
			return l.now() + int64(longestWait)
		}
		due, now := l.due(l.next), l.now()
		if due > now {
			return due
		}
		l.next++
		l.send(due, now)
	}
	return 0
}

// sendFree sends a request on every free connection. It returns the time until which there is
// nothing to send.
func (l *loop) sendFree() (until int64) {
	for l.free.n > 0 {
		now := l.now()
		if now >= l.stop {
			break
		}
		l.send(now, now)
	}
	return l.now() + int64(longestWait)
}

// send starts a request on a free connection.
func (l *loop) send(due, now int64) {
	c := &l.conns[l.free.pop()]
	r := l.picker.next()
	c.state, c.due, c.sent, c.kind, c.until = busy, due, now, r.kind, now+int64(l.cfg.Timeout)
	c.measure = due >= l.measure
	c.unsent = r.text
	c.answer.reset(l.fanout != nil && r.kind == Monitor)
	l.flying++
	if c.measure {
		record(l.tally.delay, now-due)
	}
	l.write(c)
}

// write writes as much of the request as the socket accepts.
func (l *loop) write(c *conn) {
	for len(c.unsent) > 0 {
		n, err := unix.Write(c.fd, c.unsent)
		switch {
		case err == unix.EINTR:
		case err == unix.EAGAIN:
			return // an event will report that the socket is writable
		case err != nil:
			l.lose(c, reason(err), l.now())
			return
		default:
			c.unsent = c.unsent[n:]
			if c.measure {
				l.tally.bytesOut += int64(n)
			}
		}
	}
}

// read reads the bytes that have arrived on a connection. With ending set the peer may have closed
// the connection, and read continues until it sees the end: there will be no further event for it.
func (l *loop) read(c *conn, ending bool) {
	for c.state == busy || c.state == idle {
		n, err := unix.Read(c.fd, l.inbox)
		now := l.now()
		switch {
		case err == unix.EINTR:
			continue
		case err == unix.EAGAIN:
			return
		case err != nil:
			l.lose(c, reason(err), now)
			return
		case n == 0:
			l.lose(c, lostClosed, now)
			return
		case c.state == idle: // bytes without a request
			l.lose(c, lostMalformed, now)
			return
		}
		done, err := c.answer.feed(l.inbox[:n])
		if err != nil {
			l.lose(c, lostMalformed, now)
			return
		}
		if done {
			l.complete(c, now)
		}
		if n < len(l.inbox) && !ending {
			return // the socket is empty; further bytes cause another event
		}
	}
}

// complete counts an answer and frees its connection.
func (l *loop) complete(c *conn, now int64) {
	a := &c.answer
	l.flying--
	if c.measure {
		l.tally.answer(c.kind, a.status, now-c.due)
		if a.status/100 == 2 {
			record(l.tally.service, now-c.sent)
		}
		l.tally.bytesIn += int64(a.size)
		l.tally.last = now
	}
	if l.cpu.open {
		l.tally.inWindow++
	}
	if a.status/100 == 2 {
		l.answered.Add(1)
		if a.keep {
			l.fanout.answered(a.body, now)
		}
	} else {
		l.failed.Add(1)
	}
	if len(c.unsent) > 0 || a.close { // answered before the whole request was sent, or the answer asks to close
		l.drop(c)
		return
	}
	c.state = idle
	l.free.push(c.index)
}
