package relay

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"ballast/marketcache"
)

// BenchmarkMessage carries one book of 20 levels a side from the holder's line to an
// adapter's socket: its topic read, numbered, over a NATS server in this process and
// loopback TCP, checked, and written to the virtual socket and read from it. What it costs
// comes once a message for the holder and once for every replica; with 230 assets there
// are up to about 1,800 a second.
func BenchmarkMessage(b *testing.B) {
	s := startNATS(b, 0)
	nc := connect(b, s.ClientURL(), nil)
	leases := &leases{holder: -1}
	quiet := slog.New(slog.DiscardHandler)
	l := NewLocal(LocalConfig{NATS: nc, Subject: "bench", Replica: "r", Logger: quiet})
	u := NewUpstream(UpstreamConfig{
		NATS: nc, Lease: leases.view(), Subject: "bench", Replica: "r", BaseURL: "http://127.0.0.1:1", Logger: quiet,
	})
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { l.Run(ctx) })
	wg.Go(func() { u.Run(ctx) })
	defer wg.Wait()
	defer cancel()
	leases.give(0)
	within(b, settle, "a tenure", func() bool { return u.Stats().Holding })
	u.mu.Lock()
	t := u.active
	u.mu.Unlock()
	from := &line{id: lineIDs.Add(1), slot: t.slots[0]}
	t.opened(from)
	within(b, settle, "a line", func() bool { return l.Stats().Ready })
	conn := dial(b, l)
	st, _ := parseStream("l2Book.BTC.0")
	subscribe(b, conn, st)
	within(b, settle, "a stream", func() bool { return u.Stats().Streams == 1 && l.Stats().Streams == 1 })
	t.mu.Lock()
	from.slot = t.streams[st.id].slot
	t.mu.Unlock()
	side := "[" + strings.Repeat(`{"px":"64641.0","sz":"4.71005","n":18},`, 19) + `{"px":"64641.0","sz":"4.71005","n":18}]`
	frame := []byte(`{"channel":"l2Book","data":{"coin":"BTC","time":1800000000000,"levels":[` + side + "," + side + `]}}`)

	const ahead = 64 // under way at most
	under := make(chan struct{}, ahead)
	read := make(chan error, 1)
	n := b.N
	go func() {
		for n > 0 {
			_, data, err := conn.ReadMessage()
			if err != nil {
				read <- err
				return
			}
			if len(data) == len(frame) {
				n--
				<-under
			}
		}
		read <- nil
	}()
	b.SetBytes(int64(len(frame)))
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		under <- struct{}{}
		t.pass(from, frame, marketcache.Now())
	}
	if err := <-read; err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
}
