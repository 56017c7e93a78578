package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/fasthttp/websocket"
)

// exampleClient is a client library of the folder clients, with its example program that prints alerts.
type exampleClient struct {
	name string
	// alerts builds the example program and returns the start of its command line.
	alerts func(t *testing.T) (command []string)
	// tests runs the library's tests that need a service, with an operator's key.
	tests func(ctx context.Context, t *testing.T, s *remote, operator string)
	// readme returns a command that runs a program, which the library's README shows.
	readme func(ctx context.Context, t *testing.T, program string) *exec.Cmd
}

// goClients is the client that needs nothing but Go. TestE2EClientsOfOtherLanguages has the others.
var goClients = []exampleClient{{"go", goAlerts, goLibrary, goReadme}}

func goAlerts(t *testing.T) []string {
	return []string{build(t, "alerts-go", func(path string) *exec.Cmd {
		cmd := exec.Command("go", "build", "-o", path, "./examples/alerts")
		cmd.Dir = "../../clients/go" // a module of its own
		return cmd
	})}
}

func goLibrary(ctx context.Context, t *testing.T, s *remote, operator string) {
	cmd := exec.CommandContext(ctx, "go", "test", "-count=1", "-tags", "service", "-run", "TestService", "-v", ".",
		"-args", "-url", s.url, "-key", s.key, "-operator", operator)
	cmd.Dir = "../../clients/go"
	if out, err := cmd.CombinedOutput(); err != nil || strings.Count(string(out), "--- PASS: TestService") != 9 {
		t.Errorf("%v\n%s", err, out)
	}
}

// goModule returns the path of the Go client's module.
func goModule(t *testing.T) string {
	t.Helper()
	file := contents(t, "../../clients/go/go.mod")
	first, _, _ := strings.Cut(file, "\n")
	return strings.TrimPrefix(first, "module ")
}

// goProgram makes a program of the statements in the README of Go's client.
func goProgram(t *testing.T, statements string) string {
	return "package main\n\nimport (\n\t\"context\"\n\t\"fmt\"\n\t\"log\"\n\n\tballast \"" + goModule(t) +
		"\"\n)\n\nfunc main() {\n" + statements + "}\n"
}

func goReadme(ctx context.Context, t *testing.T, program string) *exec.Cmd {
	client, err := filepath.Abs("../../clients/go")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "main.go"), goProgram(t, program))
	for _, command := range [][]string{
		{"mod", "init", "agent"},
		{"mod", "edit", "-replace", goModule(t) + "=" + client},
		{"get", goModule(t) + "@v0.3.0"},
		{"build", "-o", "agent", "."},
	} {
		cmd := exec.CommandContext(ctx, "go", command...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", command, err, out)
		}
	}
	return exec.CommandContext(ctx, filepath.Join(dir, "agent"))
}

// eachClient runs a subtest for every client's example program.
func eachClient(t *testing.T, clients []exampleClient, f func(t *testing.T, command []string)) {
	for _, c := range clients {
		t.Run(c.name, func(t *testing.T) { f(t, c.alerts(t)) })
	}
}

// TestE2EClients runs the example programs against the built service, and restarts the service
// while they run.
func TestE2EClients(t *testing.T) { testClients(t, goClients) }

func testClients(t *testing.T, clients []exampleClient) {
	dir, addr := t.TempDir(), "127.0.0.1:"+freePort(t)
	s := serveSim(t, "--listen", addr, "--data-dir", dir)

	const score, distance = 10, 101 // every position breaches the distance threshold
	var programs []*process
	for _, c := range clients {
		programs = append(programs, startClient(t, c.name, append(c.alerts(t),
			"--thresholds", fmt.Sprintf(`{"max_risk_score": %d, "min_liquidation_distance_pct": %d}`, score, distance),
			s.url, strings.Replace(endangered, "ba11a", "BA11A", 1), crossWallet)...))
	}
	for _, c := range programs {
		c.note(t, "watching 2 wallets")
	}
	want := s.breaches(t, endangered, score, distance, 50)
	if len(want) != 5 {
		t.Fatalf("the wallet is not as bad as this test wants it: %v", want)
	}
	for _, c := range programs {
		c.heard(t, endangered, want)
	}

	// Restart on the same port: the sockets are closed with 1001, and the clients must reconnect
	// and subscribe again.
	s.cmd.Process.Signal(syscall.SIGTERM)
	for _, c := range programs {
		c.note(t, "1001")
	}
	s.end(t)
	s.process = start(t, "ballast", "serve", "--venue", "sim", "--listen", addr, "--data-dir", dir)
	s.ready(t, 10*time.Second)
	for _, c := range programs {
		c.note(t, "watching 2 wallets")
	}
	want = s.breaches(t, crossWallet, score, distance, 50)
	for _, c := range programs {
		c.heard(t, crossWallet, want)
	}

	for _, c := range programs {
		c.cmd.Process.Signal(syscall.SIGTERM)
		if status := c.exit(t); status != 0 {
			t.Errorf("%s exits with %d after SIGTERM", c.name, status)
		}
	}

	// A client must not retry a configuration that the service rejects.
	eachClient(t, clients, func(t *testing.T, command []string) {
		c := startClient(t, t.Name(), append(command, "--thresholds", `{"max_risk_score": 300}`, s.url, endangered)...)
		c.note(t, "invalid_config: field thresholds.max_risk_score must be an integer from 0 to 255, got 300")
		if status := c.exit(t); status != 1 {
			t.Errorf("exits with %d after a refusal", status)
		}
	})
}

// TestE2EClientLibraries runs the tests of clients/ that need the service.
func TestE2EClientLibraries(t *testing.T) { testClientLibraries(t, goClients) }

func testClientLibraries(t *testing.T, clients []exampleClient) {
	dir := t.TempDir()
	signing := filepath.Join(dir, "receipt.pem")
	if _, errs, code := command(t, nil, "receipt-key", "new", signing); code != 0 {
		t.Fatal(errs)
	}
	s := serveSim(t, "--data-dir", dir, "--receipt-key", signing)
	operator := issueOperator(t, dir)
	eventually(t, "the operator's key is known", 10*time.Second, func() bool {
		status, _ := (&remote{url: s.url, key: operator.Key}).get(t, "/v1/audit")
		return status == 200
	})
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	for _, c := range clients {
		t.Run(c.name, func(t *testing.T) {
			c.tests(ctx, t, s, operator.Key)
			printsVerdict(t, s.readmeExample(ctx, t, &c, crossWallet))
		})
	}
}

// readmeExample returns a command that runs the example program in a client's README against the service
// for a wallet.
func (s *remote) readmeExample(ctx context.Context, t *testing.T, c *exampleClient, wallet string) *exec.Cmd {
	page := contents(t, "../../clients/"+c.name+"/README.md")
	match := regexp.MustCompile("(?s)```" + c.name + "\n(.*?)```").FindStringSubmatch(page)
	if match == nil {
		t.Fatalf("the README of the %s client has no example", c.name)
	}
	program := strings.NewReplacer("http://127.0.0.1:8080", s.url, "blst_...", s.key, crossWallet,
		wallet).Replace(match[1])
	return c.readme(ctx, t, program)
}

func printsVerdict(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil || !regexp.MustCompile(`^(proceed|proceed_with_caution|abort) \d+(\.\d+)? \[`).Match(out) {
		t.Errorf("the README's example: %v\n%s", err, out)
	}
}

// TestE2EClientsProtocol runs the clients against a scripted service, for cases that the protocol
// allows but the real service rarely produces.
func TestE2EClientsProtocol(t *testing.T) { testClientsProtocol(t, goClients) }

func testClientsProtocol(t *testing.T, clients []exampleClient) {
	const alert = `{"alert_type":"high_risk_score","wallet":"0xba11a57000000000000000000000000000000006",` +
		`"asset":"ÉTH","severity":"warning","message":"%s","timestamp":"2026-11-21T16:49:54.338Z",` +
		`"current_value":71.5,"threshold":70}`
	eachClient(t, clients, func(t *testing.T, command []string) {
		t.Parallel()
		var mu sync.Mutex
		connections := 0
		scripts := []func(ws *websocket.Conn) error{
			closes(fmt.Sprintf(alert, "one"), websocket.CloseTryAgainLater), // as to a slow client
			cutOff(fmt.Sprintf(alert, "two")),
			closes(`{"error":"invalid_config","detail":"try another"}`, websocket.ClosePolicyViolation),
		}
		fake := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			mu.Lock()
			n := connections
			connections++
			mu.Unlock()
			if n == 0 { // a replica that accepts no subscriber
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			replica := []string{"", "/other"}[n%2] // the client alternates between the two addresses
			if n > len(scripts) || r.URL.Path != replica+"/v1/alerts/ws" {
				t.Errorf("connection %d to %s", n, r.URL)
				return
			}
			ws, err := (&websocket.Upgrader{}).Upgrade(w, r, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer ws.Close()
			ws.SetReadDeadline(time.Now().Add(15 * time.Second))
			if err := accept(ws); err != nil {
				t.Errorf("connection %d: %v", n, err)
				return
			}
			if err := scripts[n-1](ws); err != nil {
				t.Errorf("connection %d: %v", n, err)
			}
		}))
		defer fake.Close()
		c := startClient(t, t.Name(), append(command, fake.URL+","+fake.URL+"/other", endangered)...)
		c.note(t, "503")
		for _, message := range []string{"one", "two"} {
			c.note(t, "watching")
			if a := c.alert(t); a.Message != message || *a.Asset != "ÉTH" || a.Current != 71.5 {
				t.Errorf("heard %+v", a)
			}
		}
		c.note(t, "invalid_config: try another")
		if status := c.exit(t); status != 1 {
			t.Errorf("exits with %d after 1008", status)
		}
		if _, more := <-c.out; more || connections != len(scripts)+1 {
			t.Errorf("more alerts than were sent, or %d connections", connections)
		}
	})
}

// accept reads the configuration message and confirms it.
func accept(ws *websocket.Conn) error {
	var config map[string]any
	if err := ws.ReadJSON(&config); err != nil {
		return err
	}
	if th, ok := config["thresholds"]; config["wallet"] != endangered || ok && th != nil {
		return fmt.Errorf("configuration %v", config)
	}
	return ws.WriteJSON(map[string]string{"subscribed": endangered})
}

// cutOff sends an alert and drops the connection without a close frame.
func cutOff(text string) func(*websocket.Conn) error {
	return func(ws *websocket.Conn) error {
		if err := ws.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
			return err
		}
		return ws.NetConn().Close()
	}
}

// closes sends a message and closes the socket with a code, which the client must answer with the same.
func closes(text string, code int) func(*websocket.Conn) error {
	return func(ws *websocket.Conn) error {
		if err := ws.WriteMessage(websocket.TextMessage, []byte(text)); err != nil {
			return err
		}
		goodbye := websocket.FormatCloseMessage(code, "a reason")
		if err := ws.WriteControl(websocket.CloseMessage, goodbye, time.Now().Add(time.Second)); err != nil {
			return err
		}
		if _, _, err := ws.ReadMessage(); !websocket.IsCloseError(err, code) {
			return fmt.Errorf("not answered with close code %d: %v", code, err)
		}
		return nil
	}
}

// TestAlertPages: the example alerts in docs/alerts.md and docs/replicas.md are valid.
func TestAlertPages(t *testing.T) {
	shown := map[string]int{}
	for _, name := range []string{"alerts.md", "replicas.md"} {
		page := contents(t, "../../docs/"+name)
		for _, m := range regexp.MustCompile(`(?m)^\{"alert_type".*\}$`).FindAllString(page, -1) {
			var a riskAlert
			d := json.NewDecoder(strings.NewReader(m))
			d.DisallowUnknownFields()
			if err := d.Decode(&a); err != nil || a.Message == "" || a.Timestamp.IsZero() {
				t.Errorf("%s: %s: %v", name, m, err)
			}
			shown[a.Type]++
		}
	}
	if len(shown) != 5 {
		t.Errorf("examples of %v, want one of each type", shown)
	}
}
