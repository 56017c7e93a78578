package alerts

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"ballast/marketcache"
)

// stilled returns a hub whose writers never start, so that what is queued stays queued
// until taken.
func stilled(b *testing.B) *Hub {
	h := newTestHub(b, Config{Log: silent()})
	h.writers.mu.Lock()
	h.writers.max = 0
	h.writers.mu.Unlock()
	// Before the hub's own end, which would wait for close frames to be written.
	b.Cleanup(func() {
		for _, s := range h.registry.all(true) {
			s.drop()
		}
	})
	return h
}

// hear subscribes a new socket to a wallet.
func (h *Hub) hear(b *testing.B, w marketcache.Wallet) {
	s := newSocket(h, newSink(false), nil)
	h.admit(s)
	if !h.subscribe(s, AlertConfig{Wallet: w, Thresholds: DefaultThresholds()}) {
		b.Fatal("refused")
	}
	s.subscribed.Store(true)
}

// takeAll takes what is queued from the sockets that were handed to the writers, as a
// writer does but for the system call, and returns the number of alerts. Each client is
// taken to have answered its pings.
func (h *Hub) takeAll(hand *batch) (alerts int) {
	h.writers.mu.Lock()
	woken := h.writers.waiting
	h.writers.waiting = chain{}
	h.writers.mu.Unlock()
	for s := woken.pop(); s != nil; s = woken.pop() {
		s.unanswered.Store(0)
		hand.weight = 0
		for hand.load(s) {
			alerts += hand.alerts
		}
	}
	return alerts
}

// BenchmarkDeliverClients is the judging, encoding and queueing of one result for those
// who listen to its wallet, all by the same thresholds and none busy, up to handing their
// sockets to the writers. What is queued is taken away again outside the time.
//
// Judging and encoding are done once for equal thresholds, so that each further client
// costs one entry in its queue: ns/client falls to that. Those who listen to other wallets
// must not matter: an audience is found by one look into the map of its shard. What is left
// of a difference is the garbage collector, which scans the stack of each reader
// (GOGC=off takes it away).
func BenchmarkDeliverClients(b *testing.B) {
	for _, c := range []struct{ clients, others int }{{1, 0}, {1, 10_000}, {100, 0}, {1000, 0}, {10_000, 0}} {
		name := fmt.Sprintf("clients=%d", c.clients)
		if c.others > 0 {
			name += fmt.Sprintf("/others=%d", c.others)
		}
		b.Run(name, func(b *testing.B) {
			h := stilled(b)
			w, _ := marketcache.ParseWallet([]byte(testWallet))
			for range c.clients {
				h.hear(b, w)
			}
			for i := range c.others {
				// Every shard has its share of them.
				h.hear(b, marketcache.Wallet{0: 1, len(w) - 2: byte(i >> 8), len(w) - 1: byte(i)})
			}
			r, th := bigResult(), DefaultThresholds()
			want := c.clients * len(Judge(nil, r, &th))
			hand := newBatch()
			h.takeAll(hand) // the confirmations
			runtime.GC()
			var spent time.Duration
			b.ReportAllocs()
			for b.Loop() {
				began := time.Now()
				h.Deliver(r)
				spent += time.Since(began)
				if got := h.takeAll(hand); got != want {
					b.Fatalf("%d alerts are queued, want %d", got, want)
				}
			}
			ns := float64(spent.Nanoseconds()) / float64(b.N)
			b.ReportMetric(ns, "ns/op")
			b.ReportMetric(ns/float64(c.clients), "ns/client")
		})
	}
}
