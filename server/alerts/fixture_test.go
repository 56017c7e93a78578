package alerts

import (
	"context"
	"crypto/tls"
	"net"
	"syscall"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"ballast/marketcache"
	"ballast/server/api"
)

// handshake is a request that opens an alert socket.
const handshake = "GET /v1/alerts/ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
	"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

// clientFrame returns a client's frame: first byte, mask, payload.
func clientFrame(first byte, payload string) []byte {
	mask := [4]byte{0x12, 0x34, 0x56, 0x78}
	b := appendFrame(nil, 0, []byte(payload))
	b[0] = first
	head := len(b) - len(payload)
	b[1] |= maskBit
	out := append(append(append([]byte(nil), b[:head]...), mask[:]...), payload...)
	unmask(out[head+len(mask):], mask)
	return out
}

var testClient = Client{Name: "test", Keyed: true}

func noneRevoked(string) bool { return false }

func noneOwned(marketcache.Wallet) (account marketcache.Wallet, is bool) { return account, false }

// testAddress is testWallet.
var testAddress, _ = marketcache.ParseWallet([]byte(testWallet))

// joined admits s, whose thresholds for testWallet are th, and returns it.
func (h *Hub) joined(s *socket, th Thresholds) *socket {
	h.admit(s)
	h.subscribe(s, AlertConfig{Wallet: testAddress, Thresholds: th})
	return s
}

// newTestHub returns a hub that is closed at the end of the test.
func newTestHub(t testing.TB) *Hub {
	h := NewHub(silent(), noneRevoked, noneOwned)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		_ = h.Shutdown(ctx)
		if n := h.supervisor.Panics(); n != 0 {
			t.Errorf("%d panics", n)
		}
	})
	return h
}

// wrappingListener wraps its connections, as the service does to count them.
type wrappingListener struct{ net.Listener }

func (l wrappingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &wrappedConn{Conn: c}, nil
}

type wrappedConn struct{ net.Conn }

func (c *wrappedConn) SyscallConn() (syscall.RawConn, error) {
	return c.Conn.(syscall.Conn).SyscallConn()
}

// serve serves the hub on a loopback address and returns that address.
func serve(t testing.TB, h *Hub) string { return serveOn(t, h, wrappingListener{listen(t)}) }

func serveTLS(t testing.TB, h *Hub) string {
	config := &tls.Config{Certificates: []tls.Certificate{testCertificate()}}
	return serveOn(t, h, tls.NewListener(wrappingListener{listen(t)}, config))
}

func listen(t testing.TB) net.Listener {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return ln
}

func serveOn(t testing.TB, h *Hub, ln net.Listener) string {
	srv := &fasthttp.Server{
		Handler: func(ctx *fasthttp.RequestCtx) {
			if code, detail := h.Upgrade(ctx, testClient, ctx.QueryArgs().GetBool("details")); code != "" {
				ctx.SetStatusCode(api.RuleOf(code).Status)
				ctx.SetBody(api.AppendError(nil, code, detail))
			}
		},
		KeepHijackedConns: true,
		ReadBufferSize:    8 << 10, // the service's value
		WriteBufferSize:   16 << 10,
		Concurrency:       1 << 16,
	}
	done := make(chan error, 1)
	go func() { done <- srv.Serve(ln) }()
	t.Cleanup(func() {
		_ = srv.Shutdown()
		<-done
	})
	return ln.Addr().String()
}
