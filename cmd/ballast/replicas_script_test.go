//go:build all

package main

import (
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
)

// replicasScript starts scripts/replicas.sh and stops it at the end of the test.
func replicasScript(t *testing.T, args ...string) *process {
	t.Helper()
	script, err := filepath.Abs("../../scripts/replicas.sh")
	if err != nil {
		t.Fatal(err)
	}
	p := launch(t, "replicas.sh", exec.Command(script, args...), true)
	t.Cleanup(func() {
		p.cmd.Process.Signal(syscall.SIGTERM) // the script must stop the processes that it started
		p.exit(t)
	})
	return p
}

// building is the time the script may take when nothing is built yet.
const building = 5 * time.Minute

// TestE2EReplicasScript runs three replicas with the script: a monitor call to one replica reaches
// the alert sockets of the others, and Ctrl-C stops everything.
func TestE2EReplicasScript(t *testing.T) {
	for _, tool := range []string{"bash", "make", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("%s is not installed: scripts/replicas.sh cannot run", tool)
		}
	}
	ports := []string{freePort(t), freePort(t), freePort(t)}
	natsPort, venuePort := freePort(t), freePort(t)
	p := replicasScript(t, "--dir", t.TempDir(), "--ports", strings.Join(ports, ","), "--nats-port", natsPort,
		"--venue-port", venuePort)
	p.await(t, p.out, `^3 replicas are ready`, building)
	key := p.await(t, p.out, `blst_[0-9A-Za-z]{40}`, time.Second)[0]
	curl := p.await(t, p.out, `^curl .*`, time.Second)[0]
	example := p.await(t, p.out, `python3 (\S+\.py)`, time.Second)[1]
	if _, err := os.Stat("../../" + example); err != nil {
		t.Errorf("the script names an example that is not there: %v", err)
	}
	kill := p.await(t, p.out, `^kill -9 \d+ +# replica-1$`, time.Second)[0]
	p.await(t, p.out, `Ctrl-C`, time.Second)

	sockets := map[string]*websocket.Conn{}
	for _, port := range ports[1:] {
		sockets[port] = subscribed(t, port)
	}

	// The printed curl line makes a request to the first replica, with a key that was issued
	// through NATS. On a busy machine the other replicas may confirm late.
	eventually(t, curl+" answers 200, confirmed by the others", 20*time.Second, func() bool {
		out, err := exec.Command("sh", "-c", curl+" -s -S -D - -o /dev/null").CombinedOutput()
		answer := string(out)
		t.Log(strings.TrimSpace(answer))
		return err == nil && strings.Contains(answer, " 200 ") && !strings.Contains(answer, "X-Alert-Fanout")
	})
	second := &remote{url: "http://127.0.0.1:" + ports[1], key: key}
	eventually(t, "the key works on the second replica", 10*time.Second, func() bool {
		status, _ := second.get(t, "/v1/assets")
		return status == http.StatusOK
	})
	for port, ws := range sockets {
		var a riskAlert
		if err := ws.ReadJSON(&a); err != nil || a.Wallet != endangered || a.Type == "" {
			t.Errorf("replica on %s: %+v %v", port, a, err)
		}
	}

	// The loss of a replica does not end the others.
	if out, err := exec.Command("sh", "-c", kill).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v %s", kill, err, out)
	}
	p.await(t, p.out, `^replica-1 has ended; replicas that still run: 2\.`, 10*time.Second)
	eventually(t, "the others answer", 20*time.Second, func() bool {
		status, _ := second.get(t, "/v1/monitor/"+endangered)
		return status == http.StatusOK
	})

	interrupt(t, p, sockets, append(ports, natsPort, venuePort))
}

// interrupt ends the script: Ctrl-C closes the sockets properly and leaves no process running.
func interrupt(t *testing.T, p *process, sockets map[string]*websocket.Conn, ports []string) {
	t.Helper()
	p.cmd.Process.Signal(syscall.SIGINT)
	for port, ws := range sockets {
		for {
			if _, _, err := ws.ReadMessage(); err != nil {
				if !websocket.IsCloseError(err, websocket.CloseGoingAway) {
					t.Errorf("replica on %s: %v", port, err)
				}
				break
			}
		}
	}
	if status := p.exit(t); status != 0 {
		t.Errorf("exits with %d after Ctrl-C", status)
	}
	for _, port := range ports {
		if c, err := net.Dial("tcp", "127.0.0.1:"+port); err == nil {
			c.Close()
			t.Errorf("something still listens on %s", port)
		}
	}
}

// subscribed returns a socket of the replica on a port that is subscribed to endangered.
func subscribed(t *testing.T, port string) *websocket.Conn {
	t.Helper()
	ws, _, err := websocket.DefaultDialer.Dial("ws://127.0.0.1:"+port+"/v1/alerts/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ws.Close() })
	ws.SetReadDeadline(time.Now().Add(30 * time.Second))
	var confirmed map[string]string
	if err := ws.WriteJSON(map[string]string{"wallet": endangered}); err != nil {
		t.Fatal(err)
	}
	if err := ws.ReadJSON(&confirmed); err != nil || confirmed["subscribed"] != endangered {
		t.Fatalf("%v %v", confirmed, err)
	}
	return ws
}
