package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"ballast/internal/contract"
	"ballast/internal/freeport"
)

// built holds the paths of the commands built so far, each in a directory of its own. buildLock guards it.
var (
	built     = map[string]string{}
	buildLock sync.Mutex
)

// build returns the path of a program that make builds at the first call of a test run.
func build(t *testing.T, name string, make func(path string) *exec.Cmd) string {
	t.Helper()
	buildLock.Lock()
	defer buildLock.Unlock()
	if path := built[name]; path != "" {
		return path
	}
	dir, err := os.MkdirTemp("", "ballast-e2e")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if out, err := make(path).CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", name, err, out)
	}
	built[name] = path
	return path
}

func binary(t *testing.T, name string) string {
	t.Helper()
	return build(t, name, func(path string) *exec.Cmd {
		return exec.Command("go", "build", "-o", path, "ballast/cmd/"+name)
	})
}

func TestMain(m *testing.M) {
	if notes := os.Getenv(tradingServer); notes != "" {
		if err := serveTrades(notes); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		return
	}
	flag.Parse()
	if testing.Short() { // they build and run whole processes
		flag.Set("test.skip", "^TestE2E")
	}
	status := m.Run()
	if shared.remote != nil {
		shared.kill()
		os.RemoveAll(shared.dir)
	}
	for _, path := range built {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(status)
}

// writeFile writes a file that only its owner may read, and returns its path.
func writeFile[T string | []byte](t *testing.T, path string, text T) string {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// contents returns the text of a file.
func contents(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// command runs the binary with additional environment variables and returns its outputs and exit
// status.
func command(t *testing.T, env []string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := exec.Command(binary(t, "ballast"), args...)
	cmd.Env = append(os.Environ(), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// badCall is a call of the binary that must fail.
type badCall struct {
	status int
	says   string // part of standard error
	args   []string
}

// refused makes calls that must fail as they say and print nothing else.
func refused(t *testing.T, calls []badCall, before ...string) {
	t.Helper()
	for _, c := range calls {
		args := append(before[:len(before):len(before)], c.args...)
		if out, errs, status := command(t, nil, args...); status != c.status || out != "" ||
			!strings.Contains(errs, c.says) {
			t.Errorf("%q: status %d, want %d with %q\n%s%s", args, status, c.status, c.says, out, errs)
		}
	}
}

// process is a running command. Its output can be searched for messages.
type process struct {
	name    string
	cmd     *exec.Cmd
	lines   chan string   // of standard error and, unless it is apart, of standard output
	out     chan string   // of standard output that is apart
	output  *bytes.Buffer // what was read of both
	read    sync.WaitGroup
	drained chan struct{} // closed when drain has read everything; nil: it was not called
}

// launch starts a command; apart keeps its standard output apart.
func launch(t *testing.T, name string, cmd *exec.Cmd, apart bool) *process {
	t.Helper()
	p := &process{name: name, cmd: cmd, lines: make(chan string, 1000), output: &bytes.Buffer{}}
	scan := func(from io.Reader, err error, to chan string) {
		if err != nil {
			t.Fatal(err)
		}
		p.read.Go(func() {
			defer close(to)
			for scan := bufio.NewScanner(from); scan.Scan(); {
				to <- scan.Text()
			}
		})
	}
	stdout, err := cmd.StdoutPipe()
	if apart {
		p.out = make(chan string, 1000)
		scan(stdout, err, p.out)
		stderr, err := cmd.StderrPipe()
		scan(stderr, err, p.lines)
	} else {
		cmd.Stderr = cmd.Stdout
		scan(stdout, err, p.lines)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// startCommand starts a command that ends with the test.
func startCommand(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := launch(t, filepath.Base(cmd.Path), cmd, false)
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		p.cmd.Wait()
	})
	return p
}

func start(t *testing.T, name string, args ...string) *process {
	t.Helper()
	return startCommand(t, exec.Command(binary(t, name), args...))
}

// startVenue starts a simulated venue in a process of its own, and returns its address.
func startVenue(t *testing.T, flags ...string) string {
	t.Helper()
	p := start(t, "venuesim", append([]string{"--listen", "127.0.0.1:0"}, flags...)...)
	address := p.find(t, `(http://127\.0\.0\.1:\d+)`)[1]
	p.drain()
	return address
}

// startClient starts a client that ends with the test.
func startClient(t *testing.T, name string, command ...string) *process {
	t.Helper()
	p := launch(t, name, exec.Command(command[0], command[1:]...), true)
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		p.exit(t)
	})
	return p
}

// find waits for a line that matches pattern and returns its submatches.
func (p *process) find(t *testing.T, pattern string) []string {
	t.Helper()
	return p.await(t, p.lines, pattern, 30*time.Second)
}

// note waits for a line that contains text.
func (p *process) note(t *testing.T, text string) {
	t.Helper()
	p.find(t, regexp.QuoteMeta(text))
}

// await waits for a line of a stream that matches pattern, and returns its submatches.
func (p *process) await(t *testing.T, stream <-chan string, pattern string, limit time.Duration) []string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	timeout := time.After(limit)
	for {
		select {
		case line, ok := <-stream:
			if !ok {
				t.Fatalf("%s ended without %q:\n%s", p.name, pattern, p.output)
			}
			p.output.WriteString(line + "\n")
			if m := re.FindStringSubmatch(line); m != nil {
				return m
			}
		case <-timeout:
			t.Fatalf("%s did not say %q in %v:\n%s", p.name, pattern, limit, p.output)
		}
	}
}

// drain reads the rest of a process's lines in the background, so that the process never blocks on
// writing.
func (p *process) drain() (rest func() string) {
	if p.drained == nil {
		p.drained = make(chan struct{})
		go func() {
			defer close(p.drained)
			for line := range p.lines {
				p.output.WriteString(line + "\n")
			}
		}()
	}
	return func() string { <-p.drained; return p.output.String() }
}

// end sends SIGTERM, after which the process must end well and in time. It returns all output.
func (p *process) end(t *testing.T) string {
	t.Helper()
	begun := time.Now()
	p.cmd.Process.Signal(syscall.SIGTERM)
	limit := time.AfterFunc(drainTime+5*time.Second, func() { p.cmd.Process.Kill() })
	defer limit.Stop()
	said := p.drain()()
	if err := p.cmd.Wait(); err != nil || time.Since(begun) > drainTime {
		t.Errorf("%s ended with %v, %v after SIGTERM:\n%s", p.name, err, time.Since(begun), said)
	}
	return said
}

// kill kills the process.
func (p *process) kill() {
	p.cmd.Process.Kill()
	p.drain()()
	p.cmd.Wait()
}

// exit waits until the program ends and returns its exit status.
func (p *process) exit(t *testing.T) int {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.read.Wait()
		p.cmd.Wait()
	}()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatalf("%s does not end", p.name)
	}
	return p.cmd.ProcessState.ExitCode()
}

// remote is a running `ballast serve`.
type remote struct {
	*process
	url, key string
}

// request returns a request with the remote's key and a body of JSON, "" for none.
func (s *remote) request(method, path, body string) *http.Request {
	req, err := http.NewRequest(method, s.url+path, strings.NewReader(body))
	if err != nil {
		panic(err)
	}
	req.Header.Set("Authorization", "Bearer "+s.key)
	req.Header.Set("Content-Type", "application/json")
	return req
}

// post posts a validation and returns status and body.
func (s *remote) post(t *testing.T, body string) (int, map[string]any) {
	t.Helper()
	return do(t, s.request("POST", "/v1/validate", body))
}

func (s *remote) get(t *testing.T, path string) (int, map[string]any) {
	t.Helper()
	return do(t, s.request("GET", path, ""))
}

// keyFile returns a file with the remote's key.
func (s *remote) keyFile(t *testing.T) string {
	t.Helper()
	return writeFile(t, filepath.Join(t.TempDir(), "key"), s.key+"\n")
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

// Accounts of the simulated venue: one with positions, and one whose position is always near liquidation.
const (
	crossWallet = "0xba11a57000000000000000000000000000000001"
	endangered  = "0xba11a57000000000000000000000000000000006"
)

func trade(asset, action string, size float64, wallet string) string {
	return fmt.Sprintf(`{"asset":%q,"action":%q,"size":%g,"wallet":%q}`, asset, action, size, wallet)
}

// shared is the service of sharedSim.
var shared struct {
	sync.Mutex // taken while the service starts
	*remote
	dir string
}

// sharedSim returns a service on the simulated venue for all tests that only ask it something.
func sharedSim(t *testing.T) *remote {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if shared.remote == nil {
		var err error
		if shared.dir, err = os.MkdirTemp("", "ballast-e2e"); err != nil {
			t.Fatal(err)
		}
		p := launch(t, "ballast", exec.Command(binary(t, "ballast"), "serve", "--venue", "sim", "--listen",
			"127.0.0.1:0", "--data-dir", shared.dir), false)
		t.Cleanup(func() {
			shared.Lock()
			defer shared.Unlock()
			if shared.remote == nil { // it did not become ready
				p.kill()
			}
		})
		shared.remote = simulated(t, p)
		shared.drain()
	}
	return shared.remote
}

// serveSim starts the service on the simulated venue, and returns once it is ready.
func serveSim(t *testing.T, args ...string) *remote {
	t.Helper()
	cmd := exec.Command(binary(t, "ballast"), append([]string{"serve", "--venue", "sim"}, args...)...)
	cmd.Env = append(os.Environ(), "BALLAST_LISTEN=127.0.0.1:0", "BALLAST_DATA_DIR="+t.TempDir()) // flags count more
	return simulated(t, startCommand(t, cmd))
}

// simulated waits until a service on the simulated venue is ready.
func simulated(t *testing.T, p *process) *remote {
	t.Helper()
	curl := p.find(t, `^curl '?(http://\S+)/v1/validate`)
	s := &remote{process: p, url: curl[1], key: keyForm.FindString(p.output.String())}
	s.ready(t, 10*time.Second)
	return s
}

// freePort returns a port that is not in use and that outgoing connections will not take.
func freePort(t *testing.T) string {
	t.Helper()
	port, err := freeport.Find()
	if err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(port)
}
