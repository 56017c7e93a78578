package server

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// processorTime is what this thread has used. The clock of a thread counts nanoseconds, getrusage may count ticks.
func processorTime() time.Duration {
	var t unix.Timespec
	unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
	return time.Duration(t.Nano())
}

// BenchmarkSize measures questions for the largest size with curve and ladder, in validations of the same trade by
// the same wallet: processor time, so that other work of the machine does not count.
func BenchmarkSize(b *testing.B) {
	f := newFixture(b, nil)
	cache, now := bookCache(b)
	f.s.cfg.Cache = cache
	for _, held := range []int{0, 2, 5, 40, 200} {
		for _, asset := range []string{"BTC", "held"} {
			for _, members := range []string{
				`"mode":"cross","target":{"max_score":40}`, `"mode":"isolated","target":{"max_score":40}`,
				`"mode":"cross","target":{"max_probability_24h":0.01}`,
				`"mode":"isolated","target":{"max_probability_24h":0.01}`,
				`"mode":"cross","target":{"max_loss_99_pct_of_account":10}`,
				`"mode":"isolated","target":{"max_loss_99_pct_of_account":10}`,
				`"mode":"isolated","target":{"max_breakeven_pct":0.2}`,
			} {
				hold(cache, now, held, 1)
				name := asset
				if asset == "held" {
					if held == 0 {
						continue
					}
					name = bookName(rand.New(rand.NewPCG(1, 9)).Perm(bookAssets - 1)[0] + 1) // short
				}
				b.Run(fmt.Sprintf("%d/%s/%s", held, asset, members), func(b *testing.B) {
					f.measureSizes(b, name, members)
				})
			}
		}
	}
}

func (f *fixture) measureSizes(b *testing.B, asset, members string) {
	size := newInProcess(f.s, f.sizeText(asset, "long", members))
	validation := newInProcess(f.s, f.request("POST", "/v1/validate",
		`{"wallet":"`+wallet+`","asset":"`+asset+`","action":"long","size":5000}`))
	measureRatio(b, size, validation, 20, "validations")
}

// measureRatio reports how many times the processor time of request other request one takes: the median of the rounds.
// In each round other is sent the given number of times.
func measureRatio(b *testing.B, one, other *inProcess, times int, unit string) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	one.serve(b, 200) // grows the memory
	other.serve(b, 200)
	var ratios []float64
	for b.Loop() {
		began := processorTime()
		one.serve(b, 200)
		middle := processorTime()
		for range times {
			other.serve(b, 200)
		}
		ratios = append(ratios, float64(times)*float64(middle-began)/float64(processorTime()-middle))
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], unit)
}

// BenchmarkActions measures a monitor call of a wallet near liquidation, in calls whose target is met by any pool, so
// that no action is searched for.
func BenchmarkActions(b *testing.B) {
	f := newFixture(b, nil)
	cache, now := bookCache(b)
	f.s.cfg.Cache = cache
	const plain = "?max_probability_24h=1&survive=false"
	for _, held := range []int{2, 5, 40, 200} {
		for _, target := range []string{"", "?max_probability_24h=0.0001",
			"?max_probability_24h=0.0001&survive=false"} {
			b.Run(fmt.Sprint(held, target), func(b *testing.B) {
				account := bookAccount(now, held, 1)
				account.CrossAccountValueUSD = 1000 * float64(held) * (1.0/80 + 0.003) // maintenance margin and more
				cache.StoreAccount(account)
				measureRatio(b, newInProcess(f.s, f.request("GET", "/v1/monitor/"+wallet+target, "")),
					newInProcess(f.s, f.request("GET", "/v1/monitor/"+wallet+plain, "")), 1, "plain-calls")
			})
		}
	}
}
