package alerts

import (
	"os"
	"runtime"
	"testing"

	"ballast/internal/race"
)

// Subscribers with equal thresholds share one encoding: the same memory, not a copy.
func TestSharedBytes(t *testing.T) {
	h := newTestHub(t)
	var sockets []*socket
	for i := range 4 {
		s := newSocket(h, testClient, newSink(false), nil)
		s.writing = true // no writer takes the queued frames
		th := DefaultThresholds()
		if i == 3 {
			th.MaxPortfolioVaRPct = 1
		}
		sockets = append(sockets, h.joined(s, th))
	}
	h.Deliver(risky(1))
	if sockets[0].queue[1] != sockets[1].queue[1] || sockets[0].queue[1] != sockets[2].queue[1] {
		t.Error("equal thresholds, different packets")
	}
	if sockets[0].queue[1] == sockets[3].queue[1] {
		t.Error("different thresholds, one packet")
	}
	h.Deliver(&Result{Wallet: "0xnot a wallet", Positions: risky(1).Positions})
	for _, s := range sockets {
		if len(s.queue) != 2 {
			t.Errorf("%d packets are queued", len(s.queue))
		}
		s.drop()
	}
}

// subscribed returns a hub with n sockets whose connections accept all writes at once.
func subscribed(t testing.TB, n int) *Hub {
	f, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	null, err := f.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	h := newTestHub(t)
	for range n {
		s := newSocket(h, testClient, newSink(false), nil)
		s.raw = null
		h.joined(s, DefaultThresholds())
	}
	waitIdle(t, h)
	return h
}

// waitIdle waits until nothing is queued.
func waitIdle(t testing.TB, h *Hub) {
	waitFor(t, "the writers", func() bool {
		for range 1000 {
			if h.writersIdle() {
				return true
			}
			runtime.Gosched()
		}
		return false
	})
}

func (h *Hub) writersIdle() bool {
	h.writers.mu.Lock()
	defer h.writers.mu.Unlock()
	return h.writers.running == 0
}

// A delivery allocates memory for its encoding only, for any number of sockets.
func TestDeliverAllocs(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector allocates")
	}
	const n = 1000
	h := subscribed(t, n)
	r := bigResult()
	deliver := func() {
		h.Deliver(r)
		waitIdle(t, h)
	}
	deliver()
	if allocs := testing.AllocsPerRun(50, deliver); allocs > n/20 {
		t.Errorf("%v allocations for %d sockets", allocs, n)
	}
}
