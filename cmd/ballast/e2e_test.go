package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"ballast/internal/contract"
)

// built holds the paths of the commands built so far; binary builds each command once per test run.
var built = map[string]string{}

func binary(t *testing.T, name string) string {
	t.Helper()
	if path := built[name]; path != "" {
		return path
	}
	dir, err := os.MkdirTemp("", "ballast-e2e")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	out, err := exec.Command("go", "build", "-o", path, "ballast/cmd/"+name).CombinedOutput()
	if err != nil {
		t.Fatalf("build %s: %v\n%s", name, err, out)
	}
	built[name] = path
	return path
}

func TestMain(m *testing.M) {
	status := m.Run()
	for _, path := range built {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(status)
}

// process is a running command. Its output can be searched for messages.
type process struct {
	cmd    *exec.Cmd
	lines  chan string
	output *bytes.Buffer
}

func start(t *testing.T, name string, args ...string) *process {
	t.Helper()
	return startCommand(t, exec.Command(binary(t, name), args...))
}

func startCommand(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{cmd: cmd, lines: make(chan string, 1000), output: &bytes.Buffer{}}
	pipe, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.cmd.Stderr = p.cmd.Stdout
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(p.lines)
		scan := bufio.NewScanner(pipe)
		for scan.Scan() {
			p.lines <- scan.Text()
		}
	}()
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		p.cmd.Wait()
	})
	return p
}

// find waits for a line that matches pattern and returns its submatches.
func (p *process) find(t *testing.T, pattern string) []string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	timeout := time.After(30 * time.Second)
	for {
		select {
		case line, ok := <-p.lines:
			if !ok {
				t.Fatalf("ended without %q:\n%s", pattern, p.output)
			}
			p.output.WriteString(line + "\n")
			if m := re.FindStringSubmatch(line); m != nil {
				return m
			}
		case <-timeout:
			t.Fatalf("no %q in 30 s:\n%s", pattern, p.output)
		}
	}
}

// remote is a running `ballast serve`.
type remote struct {
	*process
	url, key string
}

// post posts a validation and returns status and body.
func (s *remote) post(t *testing.T, body string) (int, map[string]any) {
	t.Helper()
	req, _ := http.NewRequest("POST", s.url+"/v1/validate", strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer "+s.key)
	req.Header.Set("Content-Type", "application/json")
	return do(t, req)
}

func (s *remote) get(t *testing.T, path string) (int, map[string]any) {
	t.Helper()
	req, _ := http.NewRequest("GET", s.url+path, nil)
	req.Header.Set("Authorization", "Bearer "+s.key)
	return do(t, req)
}

func do(t *testing.T, req *http.Request) (int, map[string]any) {
	t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	promised(t, req, resp, b)
	var answer map[string]any
	if err := json.Unmarshal(b, &answer); err != nil {
		answer = map[string]any{"text": string(b)}
	}
	return resp.StatusCode, answer
}

// answers records which parts of the contract the answers of the service have covered.
var answers contract.Recorder

func promised(t *testing.T, req *http.Request, resp *http.Response, body []byte) {
	t.Helper()
	if strings.HasPrefix(req.URL.Path, "/sim/") { // control requests to the simulated venue
		return
	}
	if err := answers.Check(req.Method, req.URL.RequestURI(), resp.StatusCode, resp.Header, body); err != nil {
		t.Error(err)
	}
}

// eventually polls until is returns true, and fails after limit.
func eventually(t *testing.T, what string, limit time.Duration, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if is() {
			return
		}
	}
	t.Fatalf("not within %v: %s", limit, what)
}

func (s *remote) ready(t *testing.T, limit time.Duration) {
	t.Helper()
	eventually(t, "ready", limit, func() bool {
		resp, err := http.Get(s.url + "/readyz")
		if err != nil {
			return false
		}
		resp.Body.Close()
		return resp.StatusCode == 200
	})
}

// crossWallet is an account of the simulated venue with positions.
const crossWallet = "0xba11a57000000000000000000000000000000001"

func trade(asset, action string, size float64, wallet string) string {
	return fmt.Sprintf(`{"asset":%q,"action":%q,"size":%g,"wallet":%q}`, asset, action, size, wallet)
}

func skipShort(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs whole processes")
	}
}

// TestE2ERun tests the first command of the README: it prints a key, and a curl line that is
// answered with 200.
func TestE2ERun(t *testing.T) {
	skipShort(t)
	dir := t.TempDir()
	p := start(t, "ballast", "serve", "--venue", "sim", "--listen", "127.0.0.1:0", "--data-dir", dir)
	curl := p.find(t, `^curl (http://\S+/v1/validate).*$`)
	key := regexp.MustCompile(`blst_[0-9A-Za-z]{40}`).FindString(p.output.String())
	if key == "" {
		t.Fatalf("no key printed:\n%s", p.output)
	}
	s := &remote{process: p, url: strings.TrimSuffix(curl[1], "/v1/validate"), key: key}
	s.ready(t, 10*time.Second)

	// Run the printed curl line in a shell.
	if _, err := exec.LookPath("curl"); err == nil {
		out, err := exec.Command("sh", "-c", curl[0]+" -s -w ' %{http_code}'").CombinedOutput()
		if err != nil || !strings.HasSuffix(string(out), " 200") {
			t.Errorf("%s: %v\n%s", curl[0], err, out)
		}
	}
	status, answer := s.post(t, trade("BTC", "long", 50000, crossWallet))
	if status != 200 || answer["recommendation"] == nil {
		t.Fatalf("validate: %d %v", status, answer)
	}
	if status, answer := s.post(t, trade("NOSUCH", "long", 50000, crossWallet)); status != 400 ||
		answer["detail"] != "invalid asset: NOSUCH" {
		t.Errorf("unknown asset: %d %v", status, answer)
	}

	// Issue and revoke keys while the service runs.
	id, key := issueKey(t, dir)
	second := &remote{url: s.url, key: key}
	eventually(t, "the new key works", 2*time.Second, func() bool {
		status, _ := second.get(t, "/v1/assets")
		return status == 200
	})
	if out, err := exec.Command(binary(t, "ballast"), "keys", "revoke", id, "--data-dir", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	eventually(t, "the revoked key is refused", 2*time.Second, func() bool {
		status, _ := second.get(t, "/v1/assets")
		return status == 401
	})

	// SIGTERM ends the process within ten seconds, with status 0.
	begun := time.Now()
	p.cmd.Process.Signal(syscall.SIGTERM)
	for range p.lines {
	}
	if err := p.cmd.Wait(); err != nil || time.Since(begun) > 10*time.Second {
		t.Errorf("SIGTERM: %v after %v", err, time.Since(begun))
	}

	// Start again with the same data directory: the first key still works.
	again := start(t, "ballast", "serve", "--venue", "sim", "--listen", "127.0.0.1:0", "--data-dir", dir)
	s.url = again.find(t, `(http://\S+)`)[1]
	s.ready(t, 10*time.Second)
	if status, answer := s.get(t, "/v1/assets"); status != 200 {
		t.Errorf("key after a restart: %d %v", status, answer)
	}
}

// issueKey makes another key for the service of this data directory.
func issueKey(t *testing.T, dir string) (id, key string) {
	t.Helper()
	issued, err := exec.Command(binary(t, "ballast"), "keys", "issue", "--email", "a@example.com", "--data-dir", dir,
		"--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var k struct{ ID, Key string }
	if err := json.Unmarshal(issued, &k); err != nil {
		t.Fatal(err)
	}
	return k.ID, k.Key
}

// fault sets the faults of a venuesim process.
func fault(t *testing.T, venue, name string) {
	t.Helper()
	resp, err := http.Post(venue+"/sim/fault", "application/json",
		strings.NewReader(fmt.Sprintf(`{"fault":%q}`, name)))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 200 {
		t.Fatalf("fault %q: %d", name, resp.StatusCode)
	}
}

// faulty is a service with its own venuesim process, whose faults can be set.
type faulty struct {
	*remote
	venue string // its address
	dir   string // of the service's data
}

func startFaulty(t *testing.T) *faulty {
	f := startBeside(t, []string{"--assets", "64"})
	f.settle(t)
	return f
}

func (f *faulty) settle(t *testing.T) {
	eventually(t, "a fresh answer", 12*time.Second, func() bool { return f.healthy(t) }) // depth comes every 5.4 s
}

// startBeside returns as soon as the service says that it is ready.
func startBeside(t *testing.T, venueFlags []string, flags ...string) *faulty {
	venue := start(t, "venuesim", append([]string{"--listen", "127.0.0.1:0"}, venueFlags...)...)
	base := venue.find(t, `(http://127\.0\.0\.1:\d+)`)[1]
	dir := t.TempDir()
	_, key := issueKey(t, dir)
	cmd := exec.Command(binary(t, "ballast"), append([]string{"serve", "--venue", base, "--venue-budget", "0",
		"--data-dir", dir}, flags...)...)
	cmd.Env = append(os.Environ(), "BALLAST_LISTEN=127.0.0.1:0") // flags may say otherwise
	p := startCommand(t, cmd)
	f := &faulty{remote: &remote{process: p, key: key, url: p.find(t, `serving url=(http://\S+)`)[1]}, venue: base,
		dir: dir}
	f.ready(t, 20*time.Second)
	return f
}

func (f *faulty) validate(t *testing.T, asset string) (status int, answer map[string]any) {
	return f.post(t, trade(asset, "long", 20000, crossWallet))
}

func hasFlag(answer map[string]any, flag string) bool {
	return strings.Contains(fmt.Sprint(answer["flags"]), flag)
}

func (f *faulty) fresh(t *testing.T, asset string) bool {
	status, a := f.validate(t, asset)
	return status == 200 && !hasFlag(a, "stale_market_data")
}

// healthy reports whether two assets whose books arrive over different connections are both fresh.
func (f *faulty) healthy(t *testing.T) bool { return f.fresh(t, "ETH") && f.fresh(t, "BTC") }

// TestE2EFaults sets a fault of the venue in each subtest: old data is never reported as fresh, and
// the service recovers by itself.
func TestE2EFaults(t *testing.T) {
	skipShort(t)
	for _, c := range []struct {
		name   string
		follow func(*testing.T, *faulty)
	}{
		{"silence", followSilence},
		{"crossed book", followCrossed},
		{"one-sided book", followOneSided},
		{"delisting", followDelisting},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel() // the subtests mostly wait
			c.follow(t, startFaulty(t))
		})
	}
}

// All price data stops: answers are first flagged as stale, later refused.
func followSilence(t *testing.T, f *faulty) {
	fault(t, f.venue, "stall,500:l2Book,500:metaAndAssetCtxs")
	eventually(t, "flagged as stale", 15*time.Second, func() bool {
		status, a := f.validate(t, "ETH")
		return status == 200 && hasFlag(a, "stale_market_data")
	})
	for action, want := range map[string]int{"long": 10, "close": 0} {
		cmd := exec.Command(binary(t, "ballast"), "validate", "--server", f.url, "--key", f.key, "--wallet",
			crossWallet,
			"--asset", "ETH", "--action", action, "--size", "100", "--leverage", "2")
		if out, _ := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != want || !strings.Contains(string(out),
			"stale_market_data") {
			t.Errorf("a %s on stale data ends with %d, want %d:\n%s", action, cmd.ProcessState.ExitCode(), want, out)
		}
	}
	eventually(t, "refused as stale", 45*time.Second, func() bool {
		status, a := f.validate(t, "ETH")
		return status == 503 && (a["error"] == "stale_market_data" || a["error"] == "venue_unavailable")
	})
	fault(t, f.venue, "")
	// While the venue accepts sockets but sends nothing, the service uses up its connections per
	// minute, so recovery takes up to a minute.
	eventually(t, "fresh again after the stall", 90*time.Second, func() bool { return f.healthy(t) })
}

// A crossed book of one asset is rejected: only that asset becomes stale.
func followCrossed(t *testing.T, f *faulty) {
	fault(t, f.venue, "crossed:ETH")
	eventually(t, "ETH flagged, and BTC not", 30*time.Second, func() bool {
		return !f.fresh(t, "ETH") && f.fresh(t, "BTC")
	})
	fault(t, f.venue, "")
	eventually(t, "fresh again after the crossed book", 40*time.Second, func() bool { return f.healthy(t) })
}

// A book with one empty side is accepted as real.
func followOneSided(t *testing.T, f *faulty) {
	priced := func(thin bool) func() bool {
		return func() bool {
			status, a := f.validate(t, "ETH")
			return status == 200 && hasFlag(a, "thin_book") == thin
		}
	}
	fault(t, f.venue, "one-sided:ETH")
	eventually(t, "one empty side priced", 20*time.Second, priced(true))
	fault(t, f.venue, "")
	eventually(t, "two sides again", 20*time.Second, priced(false))
}

// An asset is delisted while the service runs: validations are then refused.
func followDelisting(t *testing.T, f *faulty) {
	fault(t, f.venue, "delist:ETH")
	eventually(t, "a delisted asset refused", 90*time.Second, func() bool {
		status, a := f.validate(t, "ETH")
		return status == 400 && a["detail"] == "asset ETH is delisted and cannot be traded"
	})
}

// TestE2ERestart: after a kill, the stored data makes the service ready and calibrated at once, for
// a fraction of one minute's request weight.
func TestE2ERestart(t *testing.T) {
	skipShort(t)
	venue := start(t, "venuesim", "--listen", "127.0.0.1:0", "--assets", "64")
	base := venue.find(t, `(http://127\.0\.0\.1:\d+)`)[1]
	weight := func() float64 {
		req, _ := http.NewRequest("GET", base+"/sim/stats", nil)
		_, stats := do(t, req)
		return stats["weight"].(float64)
	}
	dir := t.TempDir()
	// Without a request budget, so that the first warm-up does not take minutes.
	first := start(t, "ballast", "serve", "--venue", base, "--venue-budget", "0", "--listen", "127.0.0.1:0",
		"--data-dir",
		dir)
	s := &remote{process: first, url: first.find(t, `serving url=(http://\S+)`)[1]}
	s.ready(t, 90*time.Second)
	calibrated := func(s *remote) float64 {
		_, health := s.get(t, "/health")
		return health["assets"].(map[string]any)["calibrated"].(float64)
	}
	before := 0.0
	eventually(t, "every history fetched and fitted", 120*time.Second, func() bool {
		n := calibrated(s)
		defer func() { before = n }()
		return n > 50 && n == before
	})
	first.cmd.Process.Signal(syscall.SIGKILL)
	first.cmd.Wait()

	spent, begun := weight(), time.Now()
	again := start(t, "ballast", "serve", "--venue", base, "--listen", "127.0.0.1:0", "--data-dir", dir)
	s = &remote{process: again, url: again.find(t, `serving url=(http://\S+)`)[1]}
	s.ready(t, 30*time.Second)
	took := time.Since(begun)
	eventually(t, "all assets calibrated again", 30*time.Second, func() bool { return calibrated(s) >= before })
	cost := weight() - spent
	const underWay = 100 // what the killed process had sent and the venue had not yet counted
	if cost > 1200/2+underWay {
		t.Errorf("a restart cost the venue a weight of %v", cost)
	}
	t.Logf("ready %v after a restart, all calibrated after %v, for a weight of %v", took, time.Since(begun), cost)
}
