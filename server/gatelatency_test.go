package server

import (
	"context"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	wire "ballast/marketcache/venue/exchange"
)

// BenchmarkGate measures what the gate adds to an order over a bare reverse proxy in front of the same venue: both are
// asked in turn, over one connection each. Run it with -benchtime 2000x on a machine with one core busy otherwise:
//
//	go test ./server -run XXX -bench Gate -benchtime 2000x
func BenchmarkGate(b *testing.B) {
	exit := order(false, "0.01", "66000", true)
	for name, row := range map[string]struct {
		form    wire.Form
		clients int // who send increases all the time
	}{
		"increase":           {order(true, "0.0001", "67000", false), 0},
		"exit":               {exit, 0},
		"exit_with_overload": {exit, 64},
	} {
		b.Run(name, func(b *testing.B) {
			g := newGated(b, nil)
			venue, _ := url.Parse(g.s.cfg.Gate.Venue)
			proxy := httptest.NewServer(httputil.NewSingleHostReverseProxy(venue))
			defer proxy.Close()
			ctx, cancel := context.WithCancel(b.Context())
			var flood sync.WaitGroup
			defer flood.Wait()
			defer cancel()
			for range row.clients {
				bodies := g.signedBodies(20, order(true, "0.0001", "67000", false))
				flood.Go(func() {
					send := poster("http://" + g.addr)
					for i := 0; ctx.Err() == nil; i++ {
						send(bodies[i%len(bodies)])
					}
				})
			}
			g.compare(b, row.form, proxy.URL)
		})
	}
}

// compare sends orders through proxy and gate in turn, and reports their latencies.
func (g *gated) compare(b *testing.B, form wire.Form, proxy string) {
	bodies := g.signedBodies(2*b.N, form)
	ways := [2]func(string) string{poster(proxy), poster("http://" + g.addr)}
	var took [2][]time.Duration
	b.ResetTimer()
	for i := range b.N {
		for k := range ways {
			way := (i + k) % 2
			began := time.Now()
			answer := ways[way](bodies[2*i+way])
			took[way] = append(took[way], time.Since(began))
			if !strings.Contains(answer, `"resting"`) {
				b.Fatal(answer)
			}
		}
	}
	b.StopTimer()
	for way, name := range []string{"proxy", "gate"} {
		slices.Sort(took[way])
		for _, q := range []int{50, 99} {
			at := took[way][(len(took[way])-1)*q/100]
			b.ReportMetric(float64(at.Microseconds()), name+"-p"+strconv.Itoa(q)+"-µs")
		}
	}
}

// signedBodies returns that many bodies of an order.
func (g *gated) signedBodies(n int, form wire.Form) []string {
	bodies := make([]string, n)
	for i := range bodies {
		bodies[i] = g.sign(form, wire.Mainnet)
	}
	return bodies
}

// poster returns what posts a body to /exchange over a connection of its own and returns the answer.
func poster(base string) func(body string) string {
	client := &fasthttp.HostClient{Addr: strings.TrimPrefix(base, "http://"), MaxConns: 1}
	var request fasthttp.Request
	var answer fasthttp.Response
	request.SetRequestURI(base + "/exchange")
	request.Header.SetMethod("POST")
	request.Header.SetContentType("application/json")
	return func(body string) string {
		request.SetBodyString(body)
		if err := client.Do(&request, &answer); err != nil {
			return err.Error()
		}
		return string(answer.Body())
	}
}
