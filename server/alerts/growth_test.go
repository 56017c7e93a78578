package alerts

import (
	"fmt"
	"net"
	"runtime"
	"slices"
	"testing"
	"time"

	"ballast/marketcache"
)

// stilled returns a hub whose writers never start, so queued frames stay queued until takeAll.
func stilled(b *testing.B) *Hub {
	h := newTestHub(b)
	h.writers.mu.Lock()
	h.writers.max = 0
	h.writers.mu.Unlock()
	// Runs before the hub's own cleanup, which would wait for close frames to be written.
	b.Cleanup(func() {
		for _, s := range h.all(true) {
			s.drop()
		}
	})
	return h
}

// hear subscribes a new socket to a wallet.
func (h *Hub) hear(b *testing.B, w marketcache.Wallet) {
	s := newSocket(h, testClient, newSink(false), nil)
	h.admit(s)
	_ = s.conn.SetReadDeadline(time.Time{}) // no pings
	if !h.subscribe(s, AlertConfig{Wallet: w, Thresholds: DefaultThresholds()}) {
		b.Fatal("refused")
	}
}

// takeAll removes the queued frames from the sockets handed to the writers, as a writer does
// without the system call, and returns the number of alerts.
func (h *Hub) takeAll(hand *batch) (alerts int) {
	h.writers.mu.Lock()
	woken := h.writers.waiting
	h.writers.waiting = woken[:0]
	h.writers.mu.Unlock()
	for _, s := range woken {
		hand.weight = 0
		for hand.load(s) {
			alerts += hand.alerts
		}
	}
	return alerts
}

// BenchmarkDeliverClients measures judging, encoding and queueing one result for the subscribers of
// its wallet, who all have the same thresholds and an empty queue, up to handing their sockets to
// the writers. Emptying the queues is not timed.
//
// Equal thresholds are judged and encoded once, so each further client costs one entry in its
// queue, and ns/client falls towards that cost. Subscribers of other wallets must not matter:
// subscribers are found by one map look-up in a shard. The remaining difference is the garbage
// collector, which scans the stack of each reader (GOGC=off removes it).
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
				// Spreads the wallets evenly over the shards.
				h.hear(b, marketcache.Wallet{0: 1, len(w) - 2: byte(i >> 8), len(w) - 1: byte(i)})
			}
			r, th := bigResult(), DefaultThresholds()
			want := c.clients * len(Judge(nil, r, &th))
			hand := batches.Get().(*batch)
			h.takeAll(hand) // removes the confirmations
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

// BenchmarkFanOut measures one result for clients over TCP, from Deliver until the bytes of its
// alerts are in all sockets, and for comparison a plain write of the same bytes to each socket.
// Reading the bytes is not timed. The plain write is the cost of the system call; the difference in
// ns/client is the cost of the hub.
func BenchmarkFanOut(b *testing.B) {
	for _, n := range []int{100, 1000, 5000} {
		h := newTestHub(b)
		servers, clients := tcpPairs(b, n)
		w, _ := marketcache.ParseWallet([]byte(testWallet))
		for _, c := range servers {
			s := newSocket(h, testClient, c, nil)
			h.admit(s)
			if !h.subscribe(s, AlertConfig{Wallet: w, Thresholds: DefaultThresholds()}) {
				b.Fatal("refused")
			}
			_ = c.SetReadDeadline(time.Time{}) // no pings
		}
		waitIdle(b, h)
		buffer := make([]byte, 64<<10)
		drain := func() (size int) {
			for _, c := range clients {
				m, err := c.Read(buffer)
				if err != nil {
					b.Fatal(err)
				}
				size = m
			}
			return size
		}
		r := bigResult()
		drain() // removes the confirmations
		h.Deliver(r)
		waitIdle(b, h)
		ready := buffer[:drain()]
		run := func(name string, send func()) {
			b.Run(fmt.Sprintf("%s/clients=%d", name, n), func(b *testing.B) {
				var spent time.Duration
				b.ReportAllocs()
				for b.Loop() {
					began := time.Now()
					send()
					spent += time.Since(began)
					if got := drain(); got < len(ready)*9/10 {
						b.Fatalf("%d bytes came, want some %d", got, len(ready))
					}
				}
				ns := float64(spent.Nanoseconds()) / float64(b.N)
				b.ReportMetric(ns, "ns/op")
				b.ReportMetric(ns/float64(n), "ns/client")
			})
		}
		run("delivery", func() {
			h.Deliver(r)
			waitIdle(b, h)
		})
		bytes := slices.Clone(ready)
		run("bare write", func() {
			for _, c := range servers {
				if _, err := c.Write(bytes); err != nil {
					b.Fatal(err)
				}
			}
		})
		for _, s := range h.all(true) {
			s.drop()
		}
	}
}

// tcpPairs returns both ends of n connections over loopback.
func tcpPairs(b *testing.B, n int) (servers, clients []net.Conn) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer ln.Close()
	for range n {
		client, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			b.Fatal(err)
		}
		server, err := ln.Accept()
		if err != nil {
			b.Fatal(err)
		}
		servers, clients = append(servers, server), append(clients, client)
	}
	b.Cleanup(func() {
		for i := range servers {
			servers[i].Close()
			clients[i].Close()
		}
	})
	return servers, clients
}
