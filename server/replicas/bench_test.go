package replicas

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"ballast/server/alerts"
)

// BenchmarkPublish measures how long a monitor call waits for the acknowledgement, and when another
// replica has the result, both from the call of Publish. "paced" sleeps between calls, so that
// goroutines must be woken as in a service that is not saturated.
func BenchmarkPublish(b *testing.B) {
	for _, pause := range []time.Duration{0, 500 * time.Microsecond} {
		name := "back-to-back"
		if pause > 0 {
			name = "paced"
		}
		b.Run(name, func(b *testing.B) {
			s := startNATS(b)
			from := openNode(b, Config{URL: s.url(), Timing: Timing{Ack: 10 * time.Second}})
			to := openNode(b, Config{URL: s.url(), Timing: Timing{Ack: 10 * time.Second}})
			arrived := make(chan time.Time, 1)
			source := from.NewBus(func(*alerts.Result) {}, func(string) {}, func() {})
			sink := to.NewBus(func(*alerts.Result) { arrived <- time.Now() }, func(string) {}, func() {})
			running(b, source.Run)
			running(b, sink.Run)
			eventually(b, "ready", func() bool { return source.Ready() && sink.Ready() })
			r := &alerts.Result{Wallet: aWallet, AtMs: 1, HasPortfolio: true, PortfolioVaRPct: 12.345}
			for i := range 3 {
				r.Positions = append(r.Positions, alerts.Position{
					Asset: fmt.Sprintf("COIN%d", i), RiskScore: 41.25, LiquidationDistancePct: 12.5, HasRegime: true,
				})
			}
			var acked, delivered []time.Duration
			b.ReportAllocs()
			for b.Loop() {
				r.ID = fmt.Sprintf("%s-%d", from.ID(), len(acked))
				begin := time.Now()
				if err := source.Publish(b.Context(), r); err != nil {
					b.Fatal(err)
				}
				acked = append(acked, time.Since(begin))
				delivered = append(delivered, (<-arrived).Sub(begin))
				if pause > 0 {
					time.Sleep(pause)
				}
			}
			report(b, "ack", acked)
			report(b, "deliver", delivered)
		})
	}
}

func report(b *testing.B, what string, d []time.Duration) {
	slices.Sort(d)
	for _, q := range []struct {
		name string
		p    float64
	}{{"p50", 0.5}, {"p99", 0.99}, {"max", 1}} {
		b.ReportMetric(float64(d[int(q.p*float64(len(d)-1))])/1e3, "us-"+what+"-"+q.name)
	}
}

// BenchmarkExchange measures the cost of the regimes for a monitor call: one read, and one write if
// a regime has changed.
func BenchmarkExchange(b *testing.B) {
	for name, changes := range map[string]bool{"unchanged": false, "changed": true} {
		b.Run(name, func(b *testing.B) {
			r := openNode(b, Config{URL: startNATS(b).url(), Timing: Timing{Ack: 10 * time.Second}}).NewRegimes()
			now := states{"BTC": 0, "ETH": 1, "SOL": 2}
			exchange(b, r, aWallet, states{})
			var took []time.Duration
			b.ReportAllocs()
			for b.Loop() {
				if changes {
					now["BTC"] = (now["BTC"] + 1) % 3
				}
				begin := time.Now()
				if _, err := r.Exchange(context.Background(), aWallet, now); err != nil {
					b.Fatal(err)
				}
				took = append(took, time.Since(begin))
			}
			report(b, "exchange", took)
		})
	}
}
