package server

import (
	"fmt"
	"testing"
	"time"

	"ballast/marketcache"
)

// What has not been computed by the deadline is refused with 504, and gives its turn and memory back; what takes
// no time is answered. Injects the fault long-computation of docs/faults.md.
func TestLateIsRefused(t *testing.T) {
	f := newFixture(t, func(c *Config) { c.RequestTimeout = time.Nanosecond })
	validate := f.request("POST", "/v1/validate", trade("BTC"))
	batch := f.request("POST", "/v1/validate/batch",
		`{"wallet":"`+wallet+`","trades":[{"asset":"BTC","action":"long","size":100,"leverage":2,"mode":"cross"}]}`)
	simulate := f.request("POST", "/v1/validate", withSimulation(trade("BTC")))
	size := f.request("POST", "/v1/size",
		`{"wallet":"`+wallet+`","asset":"BTC","action":"long","target":{"max_score":40}}`)
	monitor := f.request("GET", "/v1/monitor/"+wallet, "")
	for range 20 { // more than may be in flight
		f.warm()
		f.raw(validate).ok()
		f.raw(monitor).ok()
		for _, text := range []string{simulate, batch, size} {
			f.raw(text).want(504, "deadline_exceeded", "could not be computed within")
		}
		large := testAccount(walletOf(wallet))
		for i := range 100 {
			large.Positions = append(large.Positions, marketcache.Position{Asset: marketcache.NoAsset,
				Name: fmt.Sprint("OLD", i), Units: 1, EntryPrice: 10, ValueUSD: 10, Leverage: 2})
		}
		f.cache.StoreAccount(large)
		for _, text := range []string{validate, monitor, simulate, batch, size} {
			f.raw(text).want(504, "deadline_exceeded", "could not be computed within")
		}
	}
	f.calm()
}
