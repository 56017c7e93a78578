package hyperliquid

import (
	"testing"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// If a message makes its parser panic, the parse slot is still released.
func TestSlotAfterPanic(t *testing.T) {
	s := newSocket(&Feed{parsers: feed.NewParseSlots(2)}, 0)
	defer s.f.parsers.Close()
	s.routes.Store(nil) // an impossible state, to cause a panic
	for range 3 * cap(s.f.parsers) {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("no panic: the test tests nothing")
				}
			}()
			s.parse([]byte(`{"channel":"l2Book","data":{"coin":"BTC","time":1,"levels":[[],[]]}}`), marketcache.Instant(1), false)
		}()
	}
	if len(s.f.parsers) != cap(s.f.parsers) {
		t.Errorf("%d of %d slots are left", len(s.f.parsers), cap(s.f.parsers))
	}
}
