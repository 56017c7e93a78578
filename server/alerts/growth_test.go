package alerts

import (
	"fmt"
	"net"
	"slices"
	"testing"
	"time"
)

// BenchmarkFanOut measures one result for clients over TCP, from Deliver until the bytes of its
// alerts are in all sockets, and for comparison a plain write of the same bytes to each socket.
// Reading the bytes is not timed. The plain write is the cost of the system call; the difference in
// ns/client is the cost of the hub.
func BenchmarkFanOut(b *testing.B) {
	for _, n := range []int{100, 1000, 5000} {
		h := newTestHub(b)
		servers, clients := tcpPairs(b, n)
		for _, c := range servers {
			h.joined(newSocket(h, testClient, c, nil), DefaultThresholds())
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
