package hyperliquid

import (
	"net/http"
	"testing"
	"time"
)

// TestAnswerOutOfACache: when an answer was cached by a proxy for 20 s, its contexts are 20 s old,
// and its equally old Date header does not change the venue's clock.
func TestAnswerOutOfACache(t *testing.T) {
	play(t, func(v *fakeVenue, _ *Config) {
		v.noMarks, v.noLists = true, true
		v.info = func(q infoRequest) reply {
			if q.Type != "metaAndAssetCtxs" {
				return reply{}
			}
			date := time.Now().Add(-20 * time.Second).UTC().Format(http.TimeFormat)
			return reply{200, metaJSON(v.assets...), map[string]string{"Age": "20", "Date": date}}
		}
	}, func(s scene) {
		time.Sleep(30 * time.Second)
		if a := s.contextAge(0); a < 20*time.Second || a > 40*time.Second {
			s.Errorf("context is %v old", a)
		}
		if skew := s.cache.Venue.Clock.SkewMs(); skew < -1000 || skew > 1000 {
			s.Errorf("the venue's clock seems to be off by %d ms", skew)
		}
		if a := s.bookAge(0); a < 0 || a > time.Second {
			s.Errorf("book is %v old", a)
		}
	})
}
