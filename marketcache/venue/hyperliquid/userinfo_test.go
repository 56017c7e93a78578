package hyperliquid

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fasthttp/websocket"

	"ballast/marketcache"
)

// User and password of the base URL go to the sockets, too.
func TestSocketUser(t *testing.T) {
	got := make(chan string, 1)
	venue := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		got <- r.URL.Path + " " + user + ":" + password
		var up websocket.Upgrader
		if conn, err := up.Upgrade(w, r, nil); err == nil {
			conn.Close()
		}
	}))
	defer venue.Close()
	for user, want := range map[string]string{"": "/base/ws :", "ann:p%2Fw@": "/base/ws ann:p/w"} {
		f := New(marketcache.New(marketcache.Limits{}), Config{
			BaseURL: strings.Replace(venue.URL, "http://", "http://"+user, 1) + "/base",
			Logger:  slog.New(slog.DiscardHandler),
		})
		conn, err := f.dialSocket(t.Context())
		if err != nil {
			t.Fatalf("%q: %v", user, err)
		}
		conn.Close()
		if address := <-got; address != want {
			t.Errorf("%q: asked for %q, want %q", user, address, want)
		}
	}
}
