package main

import (
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/fasthttp/websocket"

	"ballast/internal/freeport"
)

// TestE2EFewDescriptors: a service limited to 300 open files still answers probes, metrics and
// requests while one address opens as many connections and alert sockets as it can.
func TestE2EFewDescriptors(t *testing.T) {
	port, err := freeport.Find()
	if err != nil {
		t.Fatal(err)
	}
	ballast, dir, metrics := binary(t, "ballast"), t.TempDir(), fmt.Sprint("127.0.0.1:", port)
	p := startCommand(t, exec.Command("sh", "-c",
		"ulimit -n 300 && exec "+ballast+" serve --venue sim --listen 127.0.0.1:0 --data-dir "+dir+
			" --metrics-listen "+metrics))
	s := &remote{url: p.find(t, `^curl '?(http://\S+)/v1/validate`)[1]}
	s.key = keyForm.FindString(p.output.String())
	addr := strings.TrimPrefix(s.url, "http://")
	for n := range 600 {
		if c, err := net.Dial("tcp", addr); err == nil {
			defer c.Close()
		}
		if ws, _, err := websocket.DefaultDialer.Dial("ws://"+addr+"/v1/alerts/ws", nil); err == nil {
			defer ws.Close()
		}
		if c, err := net.Dial("tcp", metrics); err == nil && n < 40 {
			defer c.Close()
		}
	}
	elsewhere := &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}).DialContext,
	}}
	for _, path := range []string{"/livez", "/readyz", "/health", "/v1/monitor/" + crossWallet} {
		resp, err := elsewhere.Do(s.request("GET", path, ""))
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		resp.Body.Close()
		if resp.StatusCode != 200 {
			t.Errorf("%s: %d", path, resp.StatusCode)
		}
	}
	eventually(t, "metrics", 15*time.Second, func() bool {
		resp, err := elsewhere.Get("http://" + metrics + "/metrics")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == 200
	})
}
