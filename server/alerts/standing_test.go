package alerts

import (
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// watcher is a socket on testWallet; details: it is told details.
type watcher struct {
	t    *testing.T
	h    *Hub
	s    *socket
	sink *sink
}

func watch(t *testing.T, h *Hub, details bool) *watcher {
	w := &watcher{t: t, h: h, sink: newSink(true)}
	w.s = newSocket(h, testClient, w.sink, nil)
	w.s.details = details
	h.joined(w.s, DefaultThresholds())
	w.text()
	return w
}

// text returns what the socket was sent since the last call.
func (w *watcher) text() string {
	synctest.Wait()
	w.sink.mu.Lock()
	defer w.sink.mu.Unlock()
	defer w.sink.taken.Reset()
	return w.sink.taken.String()
}

// leave closes the socket, which then unsubscribes.
func (w *watcher) leave() {
	w.s.drop()
	synctest.Wait()
}

// finds delivers a result with positions at a second of the first hour of 1970 and returns what the socket is told.
func (w *watcher) finds(second int64, positions ...Position) string {
	w.h.Deliver(&Result{Wallet: testWallet, AtMs: second * 1000, Positions: positions})
	return w.text()
}

var detailMembers = regexp.MustCompile(`,"since":"1970-01-01T00:([0-9:]+)\.000Z","count":([0-9]+)}`)

// details returns asset-independent since and count of each alert of a text, and the text without them.
func details(text string) (all, rest string) {
	for _, m := range detailMembers.FindAllStringSubmatch(text, -1) {
		all += m[1] + " " + m[2] + ";"
	}
	return all, detailMembers.ReplaceAllString(text, "}")
}

// A socket that asked for details is told since when a condition stands and how often it was found in a row; one that
// did not gets the same bytes as ever.
func TestDetails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTestHub(t)
		plain, detailed := watch(t, h, false), watch(t, h, true)
		high := func(asset string) Position { return with(calm(asset), func(p *Position) { p.RiskScore = 90 }) }
		shift := with(calm("BTC"), func(p *Position) { p.HasRegime, p.Regime = true, 1 })
		for i, row := range []struct {
			positions []Position
			want      string
		}{
			{[]Position{high("BTC")}, "00:00 1;"},
			{[]Position{high("ETH"), high("BTC")}, "00:10 1;00:00 2;"},
			{[]Position{high("BTC")}, "00:00 3;"},
			{[]Position{calm("BTC")}, ""}, // it has ended
			{[]Position{high("BTC")}, "00:40 1;"},
			{[]Position{shift}, "00:50 1;"},
			{[]Position{shift}, "01:00 1;"}, // another shift
		} {
			got := detailed.finds(10*int64(i), row.positions...)
			all, rest := details(got)
			if all != row.want {
				t.Errorf("result %d: %q, want %q", i, all, row.want)
			}
			bare := plain.text()
			if strings.Contains(bare, "since") || frames(bare) != frames(rest) {
				t.Errorf("result %d: without details %q, with them %q", i, bare, got)
			}
		}
	})
}

// frames returns the texts of short frames without their heads.
func frames(text string) (all string) {
	for _, m := range regexp.MustCompile(`\{"alert_type[^}]*\}`).FindAllString(text, -1) {
		all += m + "\n"
	}
	return all
}

// What stands is kept and judged for ten minutes after the last socket with details has left, and then forgotten.
func TestStandingIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTestHub(t)
		high := with(calm("BTC"), func(p *Position) { p.RiskScore = 90 })
		result := func(second int64, p Position) {
			h.Deliver(&Result{Wallet: testWallet, AtMs: second * 1000, Positions: []Position{p}})
		}
		says := func(w *watcher, second int64, want string) {
			t.Helper()
			if all, _ := details(w.finds(second, high)); all != want {
				t.Errorf("at second %d: %q, want %q", second, all, want)
			}
		}
		first := watch(t, h, true)
		says(first, 1, "00:01 1;")
		first.leave()
		result(2, high)
		time.Sleep(keepStanding - time.Second)
		second := watch(t, h, true)
		says(second, 3, "00:01 3;")
		second.leave()
		result(4, calm("BTC")) // ends while nobody listens
		third := watch(t, h, true)
		says(third, 5, "00:05 1;")
		third.leave()
		time.Sleep(keepStanding + time.Second)
		synctest.Wait()
		if sh := h.shardOf(testAddress); len(sh.audiences) != 0 {
			t.Errorf("%d audiences are kept", len(sh.audiences))
		}
		says(watch(t, h, true), 6, "00:06 1;")
	})
}

// Clients that come and go with ever new thresholds leave at most maxKept sets behind.
func TestStandingIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newTestHub(t)
		high := with(calm("BTC"), func(p *Position) { p.RiskScore = 90 })
		for i := range 3 * maxKept {
			w := watch(t, h, true)
			th := DefaultThresholds()
			th.MaxPortfolioVaRPct = float64(i + 1)
			h.subscribe(w.s, AlertConfig{Wallet: testAddress, Thresholds: th})
			w.finds(int64(i), high)
			w.leave()
		}
		if n := len(h.shardOf(testAddress).audiences[testAddress].standings); n != maxKept {
			t.Errorf("%d sets are kept, want %d", n, maxKept)
		}
	})
}
