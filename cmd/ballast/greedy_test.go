package main

import (
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
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

// TestE2EGreedyKey: a key that sends one new wallet after another is answered 429, while another
// key's wallet stays fresh for validations, closes and monitor calls. The request budget is ten
// times the venue's, to shorten the warm-up; the greedy key requests 25 wallets per second to
// exhaust its share.
// Injects the fault greedy-key of docs/faults.md.
func TestE2EGreedyKey(t *testing.T) {
	base := startVenue(t, "--assets", "16", "--dex-assets", "0")
	dir := t.TempDir()
	careful := &remote{key: issue(t, "a@example.com", "--data-dir", dir).Key}
	greedy := &remote{key: issue(t, "a@example.com", "--data-dir", dir).Key}
	careful.url = serving(t, "--venue", base, "--venue-budget", "6000", "--data-dir", dir).url
	greedy.url = careful.url
	careful.ready(t, 60*time.Second)
	body := trade("BTC", "long", 20000, crossWallet)
	eventually(t, "a fresh answer", 12*time.Second, func() bool {
		status, a := careful.post(t, body)
		return status == 200 && !hasFlag(a, "stale_market_data")
	})

	const span = 12 * time.Second
	end := time.Now().Add(span)
	var answered, refused, other atomic.Int32
	var wg sync.WaitGroup
	for n := 0; time.Now().Add(time.Duration(n) * 40 * time.Millisecond).Before(end); n++ {
		wg.Go(func() {
			time.Sleep(time.Duration(n) * 40 * time.Millisecond)
			resp, err := http.DefaultClient.Do(greedy.request("POST", "/v1/validate",
				trade("BTC", "long", 20000, fmt.Sprintf("0x%040x", n+1))))
			if err != nil {
				t.Error(err)
				return
			}
			resp.Body.Close()
			switch {
			case resp.StatusCode == 200:
				answered.Add(1)
			case resp.StatusCode == 429 && resp.Header.Get("Retry-After") != "":
				refused.Add(1)
			default:
				other.Add(1)
			}
		})
	}
	for ; time.Now().Before(end); time.Sleep(time.Second) {
		for _, body := range []string{body, trade("BTC", "close", 20000, crossWallet)} {
			status, a := careful.post(t, body)
			meta, _ := a["meta"].(map[string]any)
			if age, _ := meta["wallet_age_ms"].(float64); status != 200 || age > 2000 {
				t.Errorf("%v before the end: %d, wallet %v ms old, %v", time.Until(end), status, age, a["detail"])
			}
		}
		if status, a := careful.get(t, "/v1/monitor/"+crossWallet); status != 200 {
			t.Errorf("%v before the end: monitor %d %v", time.Until(end), status, a)
		}
	}
	wg.Wait()
	t.Logf("the greedy key: %d answered, %d refused, %d otherwise", answered.Load(), refused.Load(), other.Load())
	if answered.Load() == 0 || refused.Load() < 50 || other.Load() > 0 {
		t.Error("the greedy key was refused too much or too little")
	}
}
