package alerts

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ballast/internal/race"
)

// idleSockets is the number of sockets that TestIdleSocketMemory opens. 10,000 sockets need 10,000
// file descriptors in each of two processes.
var idleSockets = flag.Int("sockets", 2000, "sockets of the memory test")

// idleClients names the environment variable that makes the test binary run the clients. They run
// in a separate process, so that only the server's memory is measured.
const idleClients = "BALLAST_TEST_IDLE_CLIENTS"

// beIdleClients opens sockets, subscribes each to a different wallet, prints "ready", and keeps
// them open until its standard input ends.
func beIdleClients(target string) int {
	addr, count, _ := strings.Cut(target, " ")
	n, _ := strconv.Atoi(count)
	conns := make([]net.Conn, n)
	var dialing sync.WaitGroup
	failed := make(chan error, n)
	const at = 16
	for worker := range at {
		dialing.Go(func() {
			for i := worker; i < n; i += at {
				c, err := subscribeRaw(addr, fmt.Sprintf("0x%040x", i))
				if err != nil {
					failed <- err
					return
				}
				conns[i] = c
			}
		})
	}
	dialing.Wait()
	if len(failed) > 0 {
		fmt.Println("failed:", <-failed)
		return 1
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	runtime.KeepAlive(conns)
	return 0
}

// subscribeRaw connects, subscribes to a wallet and waits for the confirmation.
func subscribeRaw(addr, wallet string) (net.Conn, error) {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	if _, err := io.WriteString(c, handshake); err != nil {
		return nil, err
	}
	r := bufio.NewReaderSize(c, 512)
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return nil, err
		}
		if line == "\r\n" {
			break
		}
	}
	if _, err := c.Write(clientFrame(finBit|opText, `{"wallet":"`+wallet+`"}`)); err != nil {
		return nil, err
	}
	want := appendFrame(nil, opText, []byte(`{"subscribed":"`+wallet+`"}`))
	got := make([]byte, len(want))
	if _, err := io.ReadFull(r, got); err != nil {
		return nil, err
	}
	if string(got) != string(want) {
		return nil, fmt.Errorf("answered %q", got)
	}
	return c, c.SetDeadline(time.Time{})
}

// residentBytes returns the resident memory of this process.
func residentBytes(t *testing.T) int {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("no /proc: ", err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(statm))[1])
	if err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// Measures the memory of an idle socket with one subscription. It would be 16 KB and more if the
// library's connection and fasthttp's buffers were kept.
func TestIdleSocketMemory(t *testing.T) {
	if race.Enabled {
		t.Skip("the race detector multiplies memory")
	}
	const limit = 12 << 10
	n := *idleSockets
	h := newTestHub(t)
	addr := serve(t, h)
	measure := func() (resident int, m runtime.MemStats) {
		debug.FreeOSMemory()
		runtime.ReadMemStats(&m)
		return residentBytes(t), m
	}
	before, mb := measure()
	clients := exec.CommandContext(t.Context(), os.Args[0])
	clients.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d", idleClients, addr, n))
	stdin, err := clients.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := clients.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := clients.Start(); err != nil {
		t.Fatal(err)
	}
	said, _ := bufio.NewReader(stdout).ReadString('\n')
	if said != "ready\n" {
		t.Fatalf("clients: %s", said)
	}
	peak := residentBytes(t)
	after, ma := measure()
	if sockets, subs := h.Counts(); sockets != n || subs != n {
		t.Errorf("%d sockets and %d subscriptions, want %d of each", sockets, subs, n)
	}
	each := float64(after-before) / float64(n)
	t.Logf("%d sockets: %.2f KB each resident (%.2f before the garbage was given back): %.2f heap, %.2f stacks", n,
		each/1024, float64(peak-before)/float64(n)/1024,
		float64(ma.HeapAlloc-mb.HeapAlloc)/float64(n)/1024, float64(ma.StackInuse-mb.StackInuse)/float64(n)/1024)
	if each > limit {
		t.Errorf("an idle socket costs %.0f bytes, want %d at most", each, limit)
	}
	stdin.Close()
	_ = clients.Wait()
}
