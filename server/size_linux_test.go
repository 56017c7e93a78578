package server

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// processorTime is what this thread has used.
func processorTime() time.Duration {
	const ofThread = 1
	var u syscall.Rusage
	syscall.Getrusage(ofThread, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkSize measures questions for the largest size with curve and ladder, in validations of the same trade by
// the same wallet: processor time, so that other work of the machine does not count.
func BenchmarkSize(b *testing.B) {
	f := newFixture(b, nil)
	cache, now := bookCache(b)
	f.s.cfg.Cache = cache
	for _, held := range []int{0, 1, 2, 8, 40} {
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
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	size := newInProcess(f.s, f.sizeText(asset, "long", members))
	validation := newInProcess(f.s, f.request("POST", "/v1/validate",
		`{"wallet":"`+wallet+`","asset":"`+asset+`","action":"long","size":5000}`))
	var sizes, validations time.Duration
	for b.Loop() {
		began := processorTime()
		size.serve(b, 200)
		middle := processorTime()
		for range 20 {
			validation.serve(b, 200)
		}
		sizes, validations = sizes+middle-began, validations+(processorTime()-middle)/20
	}
	b.ReportMetric(float64(sizes)/float64(validations), "validations")
}
