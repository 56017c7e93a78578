package alerts

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
)

// TestThresholdsAreShared: the number of different thresholds per wallet is bounded. A client with
// few sets of thresholds does not lose them to a client with many.
// Injects the fault many-thresholds of docs/faults.md.
func TestThresholdsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTestHub(t)
		limit := 0.0
		subscribe := func(client Client, limit float64) *modelSocket {
			m := &modelSocket{sink: newSink(true)}
			th := DefaultThresholds()
			th.MaxPortfolioVaRPct = limit
			m.s = h.joined(newSocket(h, client, m.sink, nil), th)
			synctest.Wait()
			return m
		}
		next := func(client Client) *modelSocket { limit++; return subscribe(client, limit) }
		// Nobody changes them meanwhile.
		groups := func() int { return len(h.shardOf(testAddress).audiences[testAddress].groups) }
		text := func(m *modelSocket) string {
			m.sink.mu.Lock()
			defer m.sink.mu.Unlock()
			return m.sink.taken.String()
		}
		taken := func(m *modelSocket) bool { return !strings.Contains(text(m), "overloaded") }

		strangers := [2]Client{{Name: "192.0.2.1"}, {Name: "192.0.2.2"}}
		for range 100 { // each set is used by two addresses
			next(strangers[0])
			subscribe(strangers[1], limit)
		}
		if n := groups(); n != maxGroups {
			t.Errorf("other clients made %d groups", n)
		}
		mine := next(Client{Name: "192.0.2.3"})
		keyed := next(Client{Name: "key", Keyed: true})
		if !taken(mine) || !taken(keyed) {
			t.Errorf("%s, %s", text(mine), text(keyed))
		}
		for range 100 {
			next(strangers[0])
		}
		h.Deliver(risky(1))
		synctest.Wait()
		for _, m := range []*modelSocket{mine, keyed} {
			if !taken(m) || !strings.Contains(text(m), "high_risk_score") {
				t.Errorf("the client lost its subscription: %q", text(m))
			}
		}
		if n := groups(); n != maxGroups+1 {
			t.Errorf("%d groups", n)
		}
		// Thresholds that are already in use need no further room.
		if m := subscribe(Client{Name: "192.0.2.4"}, mine.s.subs[0].group.thresholds.MaxPortfolioVaRPct); !taken(m) {
			t.Error(text(m))
		}
		// When every client has only one set, no client loses its set.
		for i := range 2 * maxGroups {
			next(Client{Name: fmt.Sprint("198.51.100.", i)})
		}
		late := next(Client{Name: "192.0.2.5"})
		if taken(late) || !taken(mine) {
			t.Errorf("%s, %s", text(late), text(mine))
		}
		if n := h.Stats().CrowdedOut.Load(); n < 200 {
			t.Errorf("%d counted", n)
		}
	})
}
