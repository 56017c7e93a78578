package feed

import (
	"testing"
	"time"

	"ballast/marketcache"
)

func TestHeartbeat(t *testing.T) {
	const ms = marketcache.Instant(time.Millisecond)
	for _, c := range []struct {
		name        string
		frames      func(at marketcache.Instant) bool // whether frames arrived in the tick that ends then
		pongs       bool
		pings       int
		dead        bool
		deadAtLeast time.Duration
	}{
		{"frames come", func(marketcache.Instant) bool { return true }, true, 3, false, 0},
		{"idle, and pongs come", func(marketcache.Instant) bool { return false }, true, 40, false, 0},
		{"half-open from the start", func(marketcache.Instant) bool {
			return false
		}, false, 1, true, pongTimeout},
		{"half-open after 20 s", func(at marketcache.Instant) bool {
			return at < 1020_000*ms
		}, false, 1, true, 20 * time.Second},
		{"frames but no pongs", func(marketcache.Instant) bool { return true }, false, 3, false, 0},
	} {
		var h Heartbeat
		start := 1000_000 * ms
		h.Start(start)
		pings, died := 0, marketcache.Instant(0)
		for now := start; now < start+60_000*ms && died == 0; now += 100 * ms {
			if c.frames(now) {
				h.Frame(now)
			}
			due, dead := h.Check(now)
			if dead {
				died = now
			} else if due {
				pings++
				h.Ping(now)
				if c.pongs {
					h.Frame(now)
					h.Pong()
				}
			}
		}
		if (died != 0) != c.dead || pings != c.pings {
			t.Errorf("%s: dead %v after %d pings", c.name, died != 0, pings)
		}
		if lived := died.Sub(start); c.dead && (lived < c.deadAtLeast || lived > c.deadAtLeast+5*time.Second) {
			t.Errorf("%s: given up after %v", c.name, lived)
		}
	}
}
