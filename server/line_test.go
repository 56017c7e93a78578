package server

import (
	"bufio"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"ballast/internal/yield"
	"ballast/marketcache"
)

// A burst may wait in a line; when they never cease, few may.
func TestLineThatStands(t *testing.T) {
	const workers, width, each = 2, 4, time.Millisecond
	l := newLine(4*time.Millisecond, 1000, workers, width)
	defer l.close()
	l.held.Store(int64(width * each))
	now := marketcache.Now()
	// ask lets one come every millisecond, 200 times, who finds so many there.
	ask := func(here func(ms int) int64) (refused int) {
		for ms := range 200 {
			now = now.Add(time.Millisecond)
			l.here.Store(here(ms))
			if !l.enter(now) {
				refused++
			}
		}
		return refused
	}
	always := func(n int64) func(int) int64 { return func(int) int64 { return n } }
	few, many := int64(roomAWorker*workers-1), int64(longQueue*workers-1)
	tooMany := many + int64(farTooLong/each)
	for _, row := range []struct {
		name        string
		here        func(int) int64
		least, most int
	}{
		{"not too many", always(many - 1), 0, 0},
		{"too many", always(many), 90, 110},
		{"kept short by refusing", always(few + 1), 90, 200},
		{"few", always(few), 0, 0},
		{"far too many", always(tooMany), 180, 195},
		{"few again", always(few), 0, 0},
		{"a burst that is worked off", func(ms int) int64 { return max(0, int64(60-ms)) }, 0, 0},
		{"more than can be served", func(ms int) int64 { return min(3*int64(ms)/2, 30) }, 150, 185},
		{"few once more", always(few), 0, 0},
		{"nobody has been for long", always(many - 1), 0, 0},
	} {
		if n := ask(row.here); n < row.least || n > row.most {
			t.Errorf("%s: %d of 200 refused, want %d to %d", row.name, n, row.least, row.most)
		}
	}
	l.maxWait = 0
	if n := ask(always(tooMany)); n != 0 {
		t.Errorf("%d of 200 refused although nobody is to be", n)
	}
	l.most = tooMany
	if n := ask(always(tooMany)); n != 200 {
		t.Errorf("%d of 200 refused where there is no room", n)
	}
}

// Turns are taken in the order of coming, so many at once; when the queue has come to stand
// those go whose turn comes behind what there is room for.
func TestLineTurns(t *testing.T) {
	const width, behind = 2, 10
	l := newLine(time.Millisecond, 1000, 1, width)
	defer l.close()
	var mine []*yield.Point
	for range width {
		l.here.Add(1)
		p, waited := l.wait()
		if p == nil || waited {
			t.Fatal("a free place is not given")
		}
		mine = append(mine, p)
	}
	var mu sync.Mutex
	var order []int
	var refused atomic.Int64
	var wg sync.WaitGroup
	for i := range behind {
		l.here.Add(1)
		wg.Go(func() {
			p, waited := l.wait()
			if !waited {
				t.Error("did not wait")
			}
			if p == nil {
				refused.Add(1)
				return
			}
			mu.Lock()
			order = append(order, i)
			mu.Unlock()
			l.leave()
			l.give(p, time.Now())
		})
		time.Sleep(5 * time.Millisecond) // so that it waits before the next
		if i == behind/2 {
			l.leave()
			l.give(mine[0], time.Now()) // they go one after the other
			until(t, "those before have gone", func() bool { return l.here.Load() == width-1 })
			l.here.Add(1)
			mine[0], _ = l.wait()
		}
	}
	for i, who := range order {
		if who != i {
			t.Errorf("turns were taken in the order %v", order)
		}
	}
	if len(order) != behind/2+1 {
		t.Errorf("turns %v, want the first %d", order, behind/2+1)
	}
	l.queue.stand(marketcache.Now())
	l.here.Add(-width) // before any of those who wait looks
	for _, p := range mine {
		l.give(p, time.Now())
	}
	wg.Wait()
	if n := refused.Load(); n != behind-behind/2-1-l.room {
		t.Errorf("%d refused, want all but %d", n, l.room)
	}
	if n := l.here.Load(); n != 0 {
		t.Errorf("%d are still there", n)
	}
}

// What a request takes is learnt from those before.
func TestLineLearns(t *testing.T) {
	l := newLine(time.Millisecond, 10, 1, 1)
	defer l.close()
	give := func(held time.Duration) time.Duration {
		p, _ := l.wait()
		l.give(p, time.Now().Add(-held))
		return time.Duration(l.held.Load())
	}
	if got := give(4 * time.Millisecond); got < 4*time.Millisecond || got > 8*time.Millisecond {
		t.Errorf("after one of 4 ms: %v", got)
	}
	for range 100 {
		give(time.Hour)
	}
	if got := give(time.Hour); got < 95*time.Millisecond || got > maxHeld {
		t.Errorf("after many of an hour: %v", got)
	}
}

// A batch lets go first what is short and has come meanwhile.
func TestBatchLetsGoFirst(t *testing.T) {
	if !yield.Network {
		t.Skip("the network is not asked here")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	f := newFixture(t, nil)
	f.warm()
	l := f.s.overload.batches
	<-l.places
	place := yield.NewPoint(0) // yields between any two trades
	batch, plain := f.dial(), f.dial()
	trades := slices.Repeat([]string{btcLong}, 50)
	for range 20 {
		f.warm()
		io.WriteString(batch, f.request("POST", "/v1/validate/batch", batchOf(trades...)))
		until(t, "the batch waits", func() bool { return l.here.Load() == 1 })
		io.WriteString(plain, f.request("POST", "/v1/validate", trade("BTC")))
		l.places <- place
		if r := f.readReply(bufio.NewReader(plain), "POST /v1/validate"); r.status != 200 {
			t.Fatalf("%d %s", r.status, r.body)
		}
		if l.here.Load() == 0 {
			t.Error("the batch was first")
		}
		if r := f.readReply(bufio.NewReader(batch), "POST /v1/validate/batch"); len(r.results(t)) != len(trades) {
			t.Fatalf("%d %s", r.status, r.body)
		}
		place = <-l.places
	}
	l.places <- place
}

// What has waited for its turn is answered from the market of then.
func TestTurnSeesTheMarketOfNow(t *testing.T) {
	f := newFixture(t, nil)
	simulated := strings.Replace(trade("BTC"), "{", `{"monte_carlo":true,`, 1)
	for _, c := range []struct {
		in        *line
		uri, body string
	}{
		{f.s.overload.batches, "/v1/validate/batch", batchOf(btcLong)},
		{f.s.overload.simulations, "/v1/validate", simulated},
	} {
		f.warm()
		var mine []*yield.Point
		for range c.in.width {
			mine = append(mine, <-c.in.places)
		}
		conn := f.dial()
		io.WriteString(conn, f.request("POST", c.uri, c.body))
		until(t, "it waits for its turn", func() bool { return c.in.here.Load() == 1 })
		time.Sleep(20 * time.Millisecond) // and has been photographed
		const price = 69234.5
		f.cache.Contexts(btc).Publish(marketcache.Context{
			MarkPrice: price, OraclePrice: price, MidPrice: price, FundingRateHourly: 0.0000125, HasFunding: true,
			OpenInterestUnits: 1e9 / price, DayVolumeUSD: 2e9, PrevDayPrice: price,
		}, marketcache.Now())
		for _, p := range mine {
			c.in.places <- p
		}
		r := f.readReply(bufio.NewReader(conn), "POST "+c.uri)
		if r.status != 200 || !strings.Contains(string(r.body), `"mark_price":69234.5`) {
			t.Errorf("%s: %d %s", c.uri, r.status, r.body)
		}
		f.cache.Contexts(btc).Publish(marketcache.Context{
			MarkPrice: 67123.5, OraclePrice: 67123.5, MidPrice: 67123.5, FundingRateHourly: 0.0000125, HasFunding: true,
			OpenInterestUnits: 1e9 / 67123.5, DayVolumeUSD: 2e9, PrevDayPrice: 67123.5,
		}, marketcache.Now())
	}
}
