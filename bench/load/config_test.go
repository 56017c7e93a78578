package load

import (
	"math"
	"strings"
	"testing"
	"time"
)

func TestCheck(t *testing.T) {
	good := Config{URL: "http://localhost:1", Rate: 1, Duration: time.Second}
	rows := []struct {
		want   string
		change func(*Config)
	}{
		{"", func(c *Config) {}},
		{"", func(c *Config) { c.Closed, c.Rate = true, 0 }},
		{"", func(c *Config) { c.URL = "http://[::1]" }},
		{"url", func(c *Config) { c.URL = "localhost:1" }},
		{"plain HTTP", func(c *Config) { c.URL = "https://localhost" }},
		{"url", func(c *Config) { c.URL = "http://localhost?x=1" }},
		{"rate", func(c *Config) { c.Rate = 0 }},
		{"rate", func(c *Config) { c.Rate = math.NaN() }},
		{"duration", func(c *Config) { c.Duration = 0 }},
		{"warm-up", func(c *Config) { c.Warmup = -1 }},
		{"connections", func(c *Config) { c.Connections = -1 }},
		{"timeout", func(c *Config) { c.Timeout = 1 }},
		{"batch size", func(c *Config) { c.BatchSize = 51 }},
		{"simulations", func(c *Config) { c.MonteCarloShare = 1.1 }},
		{"alert sockets", func(c *Config) { c.Alerts = -1 }},
		{"without monitor calls", func(c *Config) { c.Alerts = 1 }},
		{"wallet", func(c *Config) { c.Wallets = []string{"0x1"} }},
		{"65 wallets", func(c *Config) { c.Wallets = make([]string, 65) }},
		{"asset", func(c *Config) { c.Assets = []string{`B"C`} }},
		{"key", func(c *Config) { c.Key = "a\r\nHost: b" }},
		{"weight", func(c *Config) { c.Mix[Batch] = -1 }},
	}
	for i, row := range rows {
		c := good
		row.change(&c)
		if err := c.Check(); (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(),
			row.want) {
			t.Errorf("row %d: %v, want %q", i, err, row.want)
		}
	}
}

func TestParseMix(t *testing.T) {
	if m, err := ParseMix("validate=90,batch=5,monitor=5"); err != nil ||
		m != (Mix{Validate: 90, Batch: 5, Monitor: 5}) {
		t.Errorf("mix %v, error %v", m, err)
	}
	for _, bad := range []string{"", "validate", "validate=x", "validate=-1", "validate=NaN", "validate=0",
		"monte_carlo=1", "assets=1", "validate=1,validate=2"} {
		if m, err := ParseMix(bad); err == nil {
			t.Errorf("mix %q: want an error, got %v", bad, m)
		}
	}
}

// The picker chooses kinds by weight, and the same seed gives the same order.
func TestPicker(t *testing.T) {
	c := Config{Mix: Mix{Validate: 2, Monitor: 1}, MonteCarloShare: 0.5, Seed: 7}.withDefaults()
	all := writeRequests(&c, target{host: "h"})
	a, b := newPicker(&c, all), newPicker(&c, all)
	var n [kindCount]int
	for range 30_000 {
		r := a.next()
		n[r.kind]++
		if r != b.next() {
			t.Fatal("two pickers with the same seed differ")
		}
	}
	for k, want := range [kindCount]int{Validate: 10_000, MonteCarlo: 10_000, Monitor: 10_000} {
		if n[k] < want*95/100 || n[k] > want*105/100 {
			t.Errorf("%s: %d, want about %d", Kind(k), n[k], want)
		}
	}
	c.MonteCarloShare = 1
	for p := range 1000 {
		if k := newPicker(&c, all).next().kind; k == Validate {
			t.Fatalf("draw %d is a validation without simulations although their share is 0", p)
		}
	}
}

// All requests differ, every combination of wallet, asset, direction and size occurs, and their
// number stays within maxVariants.
func TestWriteRequests(t *testing.T) {
	c := Config{URL: "http://h", Key: "k"}.withDefaults()
	all := writeRequests(&c, target{host: "h", prefix: "/p"})
	texts := map[string]bool{}
	for _, r := range all[Validate] {
		texts[string(r.text)] = true
	}
	if want := len(c.Wallets) * len(c.Assets) * len(actions) * len(sizes); len(texts) != want ||
		len(all[Validate]) != want {
		t.Errorf("%d different validations of %d, want %d", len(texts), len(all[Validate]), want)
	}
	want := "POST /p/v1/validate HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer k\r\nContent-Type: " +
		"application/json\r\nContent-Length: 119\r\n\r\n" +
		`{"asset":"BTC","action":"long","size":1000,"leverage":3,"wallet":"` + c.Wallets[0] + `"`
	if got := string(all[Validate][0].text); !strings.HasPrefix(got,
		strings.Replace(want, "119", got[strings.Index(got, "Length: ")+8:strings.Index(got, "\r\n\r\n")], 1)) {
		t.Errorf("first validation: %s", got)
	}
	for range 100 {
		c.Assets = append(c.Assets, "X")
	}
	if n := len(writeRequests(&c, target{})[MonteCarlo]); n > maxVariants {
		t.Errorf("%d prepared requests, more than maxVariants", n)
	}
}
