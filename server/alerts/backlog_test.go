package alerts

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// A client does not read: Deliver does not block, other clients get everything, and this client is
// closed with 1013 when its queue is full. The alerts that it got before have no gaps.
func TestSlowConsumer(t *testing.T) {
	inBubble(t, func(t *testing.T, h *Hub) {
		slow, quick := connect(t, h), connect(t, h)
		slow.subscribe()
		quick.subscribe()
		synctest.Wait()
		const rounds = maxQueue + 40
		start := time.Now()
		for i := range rounds {
			h.Deliver(risky(i))
			quick.expect(riskyText(i))
		}
		if d := time.Since(start); d != 0 {
			t.Errorf("others waited %v", d)
		}
		if n := h.Stats().SlowConsumers.Load(); n != 1 {
			t.Errorf("%d slow consumers", n)
		}
		for i := range maxQueue {
			slow.expect(riskyText(i))
		}
		slow.expect("close 1013 too slow")
		slow.send(finBit|opClose, "\x03\xf5")
		slow.expectEnd()
		wantCount(t, h, 1)
		quick.send(finBit|opClose, "")
		quick.expect(`8 ""`)
		wantGone(t, h)
		if n := h.Stats().Delivered.Load(); n != rounds+maxQueue {
			t.Errorf("%d delivered, want %d", n, rounds+maxQueue)
		}
	})
}

// A queue delivers exactly as many alerts as it can hold, in order, to a client that reads slowly.
func TestQueueBound(t *testing.T) {
	inBubble(t, func(t *testing.T, h *Hub) {
		c := subscriber(t, h)
		synctest.Wait() // the confirmation has left the queue
		for i := range maxQueue {
			h.Deliver(risky(i))
		}
		for i := range maxQueue {
			c.expect(riskyText(i))
		}
		// One result with more alerts than the queue holds is sent if nothing is queued.
		huge := risky(0)
		for len(huge.Positions) <= maxQueue {
			huge.Positions = append(huge.Positions, huge.Positions[0])
		}
		synctest.Wait()
		h.Deliver(huge)
		for range huge.Positions {
			c.expect(riskyText(0))
		}
		// If the alerts of a result do not fit behind queued ones, the stream ends before that
		// result, not within it.
		synctest.Wait()
		h.Deliver(risky(0))
		h.Deliver(huge)
		c.expect(riskyText(0))
		c.expect("close 1013 too slow")
	})
}

// A client that accepts some bytes and then none is dropped after a write has lasted 5 s.
func TestStalledWrite(t *testing.T) {
	inBubble(t, func(t *testing.T, h *Hub) {
		c := subscriber(t, h)
		start := time.Now()
		h.Deliver(risky(0))
		var some [10]byte
		if _, err := io.ReadFull(c, some[:]); err != nil {
			t.Fatal(err)
		}
		time.Sleep(writeWait - within)
		wantCount(t, h, 1)
		time.Sleep(2 * within)
		wantGone(t, h)
		if n := h.Stats().SlowConsumers.Load(); n != 1 {
			t.Errorf("%d slow consumers after %v", n, time.Since(start))
		}
	})
}

// While answers to a client are waiting to be sent, further messages of that client are not read,
// and none is lost.
func TestQuestionsFasterThanAnswers(t *testing.T) {
	inBubble(t, func(t *testing.T, h *Hub) {
		c := connect(t, h)
		const n = 2 * maxQueue * 9 / 10
		go func() {
			for i := range n {
				c.send(finBit|opPing, fmt.Sprint(i))
			}
		}()
		time.Sleep(3 * time.Second)
		for i := range n {
			c.expect(fmt.Sprintf("a %q", fmt.Sprint(i)))
		}
		c.subscribe()
	})
}

func TestDrain(t *testing.T) {
	inBubble(t, func(t *testing.T, h *Hub) {
		c := subscriber(t, h)
		subscriber(t, h) // deaf
		for i := range 5 {
			h.Deliver(risky(i))
		}
		ended := make(chan error, 1)
		start := time.Now()
		go func() { ended <- h.Shutdown(t.Context()) }()
		synctest.Wait()
		late(t, h).expect("close 1001 shutting down")
		for i := range 5 {
			c.expect(riskyText(i))
		}
		c.expect("close 1001 shutting down")
		c.send(finBit|opClose, "\x03\xe9")
		c.expectEnd()
		if err := <-ended; err != nil { // deaf is dropped after the write timeout
			t.Errorf("shutdown: %v", err)
		}
		if d := time.Since(start); d > writeWait+2*within {
			t.Errorf("took %v", d)
		}
		wantGone(t, h)
		if err := h.Shutdown(t.Context()); err != nil {
			t.Errorf("again: %v", err)
		}
	})
}

// A drain stops when its context ends.
func TestDrainCutShort(t *testing.T) {
	inBubble(t, func(t *testing.T, h *Hub) {
		subscriber(t, h)
		h.Deliver(risky(0))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		if err := h.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if d := time.Since(start); d > time.Second {
			t.Errorf("took %v", d)
		}
		wantGone(t, h)
	})
}

// After the process was stopped for a long time, each socket is pinged once: a live client is not
// dropped because of pings that were never sent.
func TestPingsAfterStop(t *testing.T) {
	inBubble(t, func(t *testing.T, h *Hub) {
		c := subscriber(t, h)
		c.expect(`9 ""`)
		synctest.Wait()
		c.s.pingAt -= int64(time.Hour) // as if it were due since an hour
		c.send(finBit|opPong, "")
		c.expect(`9 ""`)
		start := time.Now()
		c.expect(`9 ""`)
		if d := time.Since(start); d < pingInterval-within || d > pingInterval+within {
			t.Errorf("%v between pings", d)
		}
		c.send(finBit|opPong, "")
		c.expect(`9 ""`)
	})
}

func TestTooManyWallets(t *testing.T) {
	inBubble(t, func(t *testing.T, h *Hub) {
		c := connect(t, h)
		wallet := func(i int) string { return fmt.Sprintf("0x%040x", i) }
		add := func(i int) { c.send(finBit|opText, `{"wallet":"`+wallet(i)+`"}`) }
		for i := range maxWallets {
			add(i)
			c.expect(fmt.Sprintf(`1 "{\"subscribed\":\"%s\"}"`, wallet(i)))
		}
		add(0) // the same wallet again does not count twice
		c.expect(fmt.Sprintf(`1 "{\"subscribed\":\"%s\"}"`, wallet(0)))
		if _, subs := h.Counts(); subs != maxWallets {
			t.Errorf("%d subscriptions", subs)
		}
		add(maxWallets)
		c.expect(`1 "{\"error\":\"invalid_config\",\"detail\":\"more than 64 wallets on one connection\"}"`)
		c.expect("close 1008 invalid_config")
		c.send(finBit|opClose, "\x03\xf0")
		c.expectEnd()
		wantGone(t, h)
		if n := h.Stats().InvalidConfigs.Load(); n != 1 {
			t.Errorf("%d invalid configurations", n)
		}
	})
}

// A socket whose key is revoked during the handshake does not stay open.
func TestRevokedDuringHandshake(t *testing.T) {
	inBubble(t, func(t *testing.T, h *Hub) {
		h.revoked = func(id string) bool { return id == testClient.Name }
		h.CloseRevoked()
		c := late(t, h)
		c.expect("close 1008 the API key was revoked")
		c.expectEnd()
		wantGone(t, h)
	})
}

// A panic closes one socket and is counted; it has no other effect.
func TestPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHub(silent(), noneRevoked, noneOwned)
		defer h.Shutdown(t.Context())
		good := subscriber(t, h)
		bad := connect(t, h)
		bad.s.subs = []*subscription{nil}
		bad.send(finBit|opText, goodConfig) // causes a nil dereference
		bad.expectEnd()
		synctest.Wait()
		if n := h.Panics(); n == 0 {
			t.Error("no panic was counted")
		}
		// A panic in a writer.
		ours, theirs := net.Pipe()
		defer ours.Close()
		worse := newSocket(h, testClient, tripwire{theirs}, nil)
		h.admit(worse)
		worse.send(pingPacket)
		h.Deliver(risky(1))
		good.expect(riskyText(1))
		good.send(finBit|opPing, "alive")
		good.expect(`a "alive"`)
		wantCount(t, h, 1)
		if n := h.Panics(); n < 2 {
			t.Errorf("%d panics", n)
		}
	})
}

// tripwire panics when it is written to.
type tripwire struct{ net.Conn }

func (tripwire) Write([]byte) (int, error) { panic("tripped") }
