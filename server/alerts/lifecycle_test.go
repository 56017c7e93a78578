package alerts

import (
	"errors"
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pipeClient is a client at the other end of an unbuffered pipe: bytes that it does not read stay
// with the server. It lives in a synctest bubble.
type pipeClient struct {
	t *testing.T
	net.Conn
	s *socket
}

func connect(t *testing.T, h *Hub) *pipeClient {
	t.Helper()
	ours, theirs := net.Pipe()
	s := newSocket(h, testClient, theirs, nil)
	h.admit(s)
	t.Cleanup(func() { ours.Close() })
	return &pipeClient{t, ours, s}
}

// late is connect while a handshake is in progress: the hub may close the socket at once.
func late(t *testing.T, h *Hub) *pipeClient {
	ours, theirs := net.Pipe()
	t.Cleanup(func() { ours.Close() })
	go h.admit(newSocket(h, testClient, theirs, nil))
	return &pipeClient{t: t, Conn: ours}
}

// subscriber connects a client that is subscribed with the default thresholds.
func subscriber(t *testing.T, h *Hub) *pipeClient {
	t.Helper()
	c := connect(t, h)
	c.subscribe()
	return c
}

// inBubble runs a test of a hub on a virtual clock.
func inBubble(t *testing.T, test func(t *testing.T, h *Hub)) {
	synctest.Test(t, func(t *testing.T) { test(t, newTestHub(t)) })
}

func (c *pipeClient) send(first byte, payload string) {
	c.t.Helper()
	if _, err := c.Write(clientFrame(first, payload)); err != nil {
		c.t.Fatal(err)
	}
}

// expect reads one frame and compares it with want.
func (c *pipeClient) expect(want string) {
	c.t.Helper()
	f, err := readFrame(c)
	if err != nil || f.String() != want {
		c.t.Fatalf("got %v %v, want %s", f, err, want)
	}
}

func (c *pipeClient) expectEnd() {
	c.t.Helper()
	if f, err := readFrame(c); !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrClosedPipe) {
		c.t.Fatalf("got %v %v, want the end", f, err)
	}
}

func (c *pipeClient) subscribe() {
	c.t.Helper()
	c.send(finBit|opText, goodConfig)
	c.expect(confirmed)
}

// answerPings reads until the connection ends, answers pings if pongs is true, and returns their
// number.
func (c *pipeClient) answerPings(pongs bool) (pings int) {
	for {
		f, err := readFrame(c)
		if err != nil {
			return pings
		}
		if f.op != opPing {
			c.t.Errorf("got %v", f)
			continue
		}
		pings++
		if pongs {
			c.send(finBit|opPong, f.payload)
		}
	}
}

// within is the maximum delay of a ping or a deadline.
const within = 50 * time.Millisecond

func wantGone(t *testing.T, h *Hub) {
	t.Helper()
	synctest.Wait()
	if n, subs := h.Counts(); n != 0 || subs != 0 {
		t.Errorf("%d sockets, %d subscriptions are left", n, subs)
	}
}

func TestPings(t *testing.T) {
	inBubble(t, func(t *testing.T, h *Hub) {
		c := subscriber(t, h)
		start := time.Now()
		var at []time.Duration
		for range 20 {
			c.expect(`9 ""`)
			at = append(at, time.Since(start))
			c.send(finBit|opPong, "")
		}
		if at[0] > pingInterval+within || at[0] < time.Second {
			t.Errorf("first ping after %v", at[0])
		}
		for i := range at[1:] {
			if d := at[i+1] - at[i]; d < pingInterval-within || d > pingInterval+within {
				t.Errorf("%v between pings", d)
			}
		}
	})
}

// Sockets that connect at the same time are pinged at different times.
func TestPingsAreSpread(t *testing.T) {
	inBubble(t, func(t *testing.T, h *Hub) {
		const n = 400
		var mu sync.Mutex
		atOnce := map[time.Time]int{}
		for range n {
			c := subscriber(t, h)
			go func() {
				c.expect(`9 ""`)
				mu.Lock()
				atOnce[time.Now()]++
				mu.Unlock()
				c.Close()
			}()
		}
		time.Sleep(pingInterval + within)
		synctest.Wait()
		mu.Lock()
		defer mu.Unlock()
		total := 0
		for at, k := range atOnce {
			total += k
			if k > n/10 {
				t.Errorf("%d pings at %v", k, at)
			}
		}
		if total != n {
			t.Errorf("%d pings within the first interval, want %d", total, n)
		}
	})
}

func TestNoPong(t *testing.T) {
	inBubble(t, func(t *testing.T, h *Hub) {
		c := subscriber(t, h)
		start := time.Now()
		c.expect(`9 ""`)
		first := time.Since(start)
		if pings := c.answerPings(false); pings != 1 {
			t.Errorf("%d more pings, want 1", pings)
		}
		if d := time.Since(start) - first; d < 30*time.Second-within || d > 30*time.Second+within {
			t.Errorf("dropped %v after the first ping, want 30 s", d)
		}
		wantGone(t, h)
	})
}

// A client that answers every ping, but late, stays connected.
func TestLatePongs(t *testing.T) {
	inBubble(t, func(t *testing.T, h *Hub) {
		c := subscriber(t, h)
		for range 10 {
			c.expect(`9 ""`)
			time.Sleep(14 * time.Second)
			c.send(finBit|opPong, "")
		}
		if n, subs := h.Counts(); n != 1 || subs != 1 {
			t.Errorf("%d sockets, %d subscriptions", n, subs)
		}
	})
}

func TestNoConfiguration(t *testing.T) {
	inBubble(t, func(t *testing.T, h *Hub) {
		c := connect(t, h)
		start := time.Now()
		for {
			f, err := readFrame(c)
			if err != nil {
				t.Fatal(err)
			}
			if f.op == opPing {
				c.send(finBit|opPong, "") // alive, but sends no configuration
				continue
			}
			if f.String() != "close 1008 no valid configuration within 30 s" {
				t.Errorf("got %v", f)
			}
			break
		}
		if d := time.Since(start); d < configWait || d > configWait+within {
			t.Errorf("closed after %v", d)
		}
		c.expectEnd() // although the client has not answered the close frame
		if d := time.Since(start) - configWait; d < closeWait-within || d > closeWait+2*within {
			t.Errorf("dropped %v after that", d)
		}
		wantGone(t, h)
	})
}

// A socket needs only one configuration, at any time in the past.
func TestConfigurationOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, h *Hub) {
		c := connect(t, h)
		time.Sleep(configWait - time.Second)
		go c.answerPings(true)
		_, _ = c.Write(clientFrame(finBit|opPong, ""))
		synctest.Wait()
		c2 := subscriber(t, h)
		go c2.answerPings(true)
		time.Sleep(10 * time.Minute)
		wantCount(t, h, 1) // c has been closed by now, c2 has not
	})
}

func wantCount(t *testing.T, h *Hub, n int) {
	t.Helper()
	synctest.Wait()
	if got, _ := h.Counts(); got != n {
		t.Errorf("%d sockets, want %d", got, n)
	}
}

// When the client answers a close frame, the connection ends at once, and nothing is read after it.
func TestCloseHandshake(t *testing.T) {
	inBubble(t, func(t *testing.T, h *Hub) {
		c := subscriber(t, h)
		start := time.Now()
		h.CloseAll(1013, "no bus")
		h.CloseAll(1001, "later")
		h.Deliver(risky(1))
		c.expect("close 1013 no bus")
		c.send(finBit|opText, goodConfig)
		c.send(finBit|opPing, "")
		c.send(finBit|opClose, "\x03\xf5")
		c.expectEnd()
		if d := time.Since(start); d != 0 {
			t.Errorf("took %v", d)
		}
		wantGone(t, h)
	})
}

// A handshake that is in progress while the open sockets are being closed is refused, because
// nothing would close it later.
func TestLateHandshake(t *testing.T) {
	inBubble(t, func(t *testing.T, h *Hub) {
		h.SetAccepting(false)
		h.CloseAll(1013, "no bus")
		late(t, h).expect("close 1013 alert sockets are not accepted now")
		wantGone(t, h)
	})
}

// A client that disconnects is removed at once.
func TestVanished(t *testing.T) {
	inBubble(t, func(t *testing.T, h *Hub) {
		c := subscriber(t, h)
		if n, subs := h.Counts(); n != 1 || subs != 1 {
			t.Errorf("%d sockets, %d subscriptions", n, subs)
		}
		c.Close()
		wantGone(t, h)
		h.Deliver(risky(1))
	})
}
