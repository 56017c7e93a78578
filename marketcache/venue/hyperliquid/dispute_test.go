package hyperliquid

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"ballast/marketcache"
)

// changes tells marks as the venue does: one complete message when the stream is subscribed, then changes; and
// whole contexts by stream and REST. Guarded by fakeVenue.mu but for the lost messages.
type changes struct {
	v     *fakeVenue
	marks map[string]float64
	said  map[string]float64 // by the stream
	whole int                // resubscriptions seen

	lag float64 // REST says the marks times this
}

func newChanges(v *fakeVenue) *changes {
	c := &changes{v: v, marks: map[string]float64{}, said: map[string]float64{}, lag: 1}
	for _, a := range v.assets {
		c.marks[a] = 100
	}
	text := func(changed func(string) bool) string {
		var list []string
		for _, a := range v.assets {
			if changed(a) {
				list = append(list, fmt.Sprintf(`%q:{"markPx":"%g","midPx":"%g"}`, a, c.marks[a], c.marks[a]))
			}
			c.said[a] = c.marks[a]
		}
		return "{" + strings.Join(list, ",") + "}"
	}
	var subscribed time.Time
	v.kills = func(sub string) bool {
		if strings.Contains(sub, "fastAssetCtxs") {
			c.whole, subscribed = c.whole+1, time.Now()
		}
		return false
	}
	v.marks = func() string {
		if time.Since(subscribed) < 1500*time.Millisecond { // in virtual time the first message comes with the request
			return text(func(string) bool { return true })
		}
		return text(func(a string) bool { return c.said[a] != c.marks[a] })
	}
	v.allData = func() string {
		data := []string{}
		for _, dex := range append([]string{""}, v.dexes...) {
			data = append(data, fmt.Sprintf(`[%q,[%s]]`, dex, c.contexts(dex, 1)))
		}
		return `{"ctxs":[` + strings.Join(data, ",") + `]}`
	}
	v.info = func(q infoRequest) reply {
		if q.Type != "metaAndAssetCtxs" {
			return reply{}
		}
		head, _, _ := strings.Cut(metaJSON(v.listed(q.Dex)...), contextJSON(100))
		return reply{status: 200, body: head + c.contexts(q.Dex, c.lag) + "]]"}
	}
	return c
}

func (c *changes) contexts(dex string, times float64) string {
	var list []string
	for _, a := range c.v.listed(dex) {
		list = append(list, contextJSON(c.marks[a]*times))
	}
	return strings.Join(list, ",")
}

// move moves assets; with lost, the stream does not say so.
func (c *changes) move(times float64, lost bool, assets ...string) {
	c.v.script(func() {
		for _, a := range assets {
			c.marks[a] *= times
			if lost {
				c.said[a] = c.marks[a]
			}
		}
	})
}

func (s scene) resubscriptions(c *changes) (n int) {
	s.v.script(func() { n = c.whole })
	return n
}

// wrongFor returns how long the mark of an asset was wrong and looked fresh within a time.
func (s scene) wrongFor(c *changes, name string, within time.Duration) (wrong time.Duration) {
	id := s.cache.Universe().LookupString(name)
	for end := time.Now().Add(within); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		m, limit := s.market(id), s.f.cadences.marks.Every()+950*time.Millisecond
		var right float64
		s.v.script(func() { right = c.marks[name] })
		if !sameMarks(m.Context.MarkPrice, m.Context.MarkPrice, right) && m.ContextAge <= limit {
			wrong += 100 * time.Millisecond
		}
	}
	return wrong
}

// After a lost message the streamed mark is wrong, and whole contexts contradict it. Within one cadence of theirs
// its age flags it; then the stream is subscribed again and is right.
func TestLostMarks(t *testing.T) {
	takesLong(t)
	for _, times := range []float64{1.03, 0.97, 1.25, 0.75, 1.008} {
		for _, lost := range [][]string{{"B"}, {"A", "C", "xyz:D"}, {"xyz:D"}} {
			t.Run(fmt.Sprint(times, lost), func(t *testing.T) {
				var c *changes
				play(t, func(v *fakeVenue, cfg *Config) {
					twoDexes(v, cfg)
					v.every = 500 * time.Millisecond
					c = newChanges(v)
				}, func(s scene) {
					time.Sleep(50 * time.Second)
					before := s.resubscriptions(c)
					c.move(times, true, lost...)
					if wrong := s.wrongFor(c, lost[0], 60*time.Second); wrong > 25*time.Second {
						s.Errorf("wrong and fresh for %v", wrong)
					}
					if n := s.resubscriptions(c) - before; n < 1 || n > 2 {
						s.Errorf("%d resubscriptions", n)
					}
					s.fresh(2*time.Second, 0, 1, 2, 3, 4)
					m := s.market(s.cache.Universe().LookupString(lost[0]))
					if m.Context.MarkPrice != c.marks[lost[0]] {
						s.Errorf("the mark is %v", m.Context.MarkPrice)
					}
				})
			})
		}
	}
}

// TestContradictedMarks: REST and whole contexts that contradict the stream for ever make the asset old, not wrong.
func TestContradictedMarks(t *testing.T) {
	var c *changes
	play(t, func(v *fakeVenue, _ *Config) { c = newChanges(v) }, func(s scene) {
		time.Sleep(50 * time.Second)
		before := s.resubscriptions(c)
		s.v.script(func() {
			c.lag = 1.03
			all := s.v.allData
			s.v.allData = func() string {
				return strings.Replace(all(), contextJSON(c.marks["A"]), contextJSON(103*c.marks["A"]/100), 3)
			}
		})
		time.Sleep(time.Minute)
		for range 60 {
			if age := s.contextAge(0); age < 2*time.Second || age > 30*time.Second {
				s.Errorf("%v old", age)
			}
			time.Sleep(time.Second)
		}
		if n := s.resubscriptions(c) - before; n < 1 || n > 3 {
			s.Errorf("%d resubscriptions", n)
		}
	})
}

// TestFastMarketIsNoDispute: when stream and contexts move together, however fast, nothing is subscribed again and
// nothing becomes old.
func TestFastMarketIsNoDispute(t *testing.T) {
	takesLong(t)
	for _, step := range []float64{1.008, 1 / 1.008} {
		for _, late := range []time.Duration{0, 2 * time.Second} { // by which REST is late
			var c *changes
			play(t, func(v *fakeVenue, cfg *Config) { c = newChanges(v) }, func(s scene) {
				time.Sleep(50 * time.Second)
				before := s.resubscriptions(c)
				for i := range 240 {
					time.Sleep(time.Second)
					up := step
					if i/20%2 == 1 {
						up = 1 / step
					}
					c.move(up, false, "A", "B", "C")
					if late > 0 {
						s.v.script(func() { c.lag = 1 / (up * up) })
					}
					s.fresh(2*time.Second, marketcache.AssetID(i%3))
				}
				if n := s.resubscriptions(c) - before; n != 0 {
					s.Errorf("%d resubscriptions", n)
				}
			})
		}
	}
}
