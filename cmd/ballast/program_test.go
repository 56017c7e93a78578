package main

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"ballast/internal/freeport"
)

// keptDir returns a new directory that outlives the test. The path stored in built is removed at
// the end of the test run, and its directory with it.
func keptDir(t *testing.T) string {
	dir, err := os.MkdirTemp("", "ballast-e2e")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// program is a running command with standard output and standard error read separately.
type program struct {
	name     string
	cmd      *exec.Cmd
	out, log chan string // lines of standard output and standard error
	read     sync.WaitGroup
}

func launch(t *testing.T, name string, command ...string) *program {
	t.Helper()
	p := &program{
		name: name, cmd: exec.Command(command[0], command[1:]...),
		out: make(chan string, 1000), log: make(chan string, 1000),
	}
	for _, stream := range []struct {
		open func() (io.ReadCloser, error)
		to   chan string
	}{{p.cmd.StdoutPipe, p.out}, {p.cmd.StderrPipe, p.log}} {
		pipe, err := stream.open()
		if err != nil {
			t.Fatal(err)
		}
		p.read.Go(func() {
			defer close(stream.to)
			for scan := bufio.NewScanner(pipe); scan.Scan(); {
				stream.to <- scan.Text()
			}
		})
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// startClient starts a client that ends with the test.
func startClient(t *testing.T, name string, command ...string) *program {
	t.Helper()
	p := launch(t, name, command...)
	t.Cleanup(func() {
		p.cmd.Process.Kill()
		p.exit(t)
	})
	return p
}

// await waits for a line of a stream that matches pattern, and returns its submatches.
func (p *program) await(t *testing.T, stream <-chan string, pattern string, limit time.Duration) []string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	timeout := time.After(limit)
	var heard []string
	for {
		select {
		case line, ok := <-stream:
			if !ok {
				t.Fatalf("%s ended without %q: %q", p.name, pattern, heard)
			}
			heard = append(heard, line)
			if m := re.FindStringSubmatch(line); m != nil {
				return m
			}
		case <-timeout:
			t.Fatalf("%s did not say %q in %v: %q", p.name, pattern, limit, heard)
		}
	}
}

// note waits for a line of standard error that contains text.
func (p *program) note(t *testing.T, text string) {
	t.Helper()
	p.await(t, p.log, regexp.QuoteMeta(text), 30*time.Second)
}

// riskAlert is an alert as printed on standard output.
type riskAlert struct {
	Type      string    `json:"alert_type"`
	Wallet    string    `json:"wallet"`
	Asset     *string   `json:"asset"`
	Severity  string    `json:"severity"`
	Message   string    `json:"message"`
	Timestamp time.Time `json:"timestamp"`
	Current   float64   `json:"current_value"`
	Threshold float64   `json:"threshold"`
}

func (a *riskAlert) key() string {
	if a.Asset == nil {
		return a.Type
	}
	return a.Type + " " + *a.Asset
}

// alert waits for the next alert on standard output.
func (p *program) alert(t *testing.T) riskAlert {
	t.Helper()
	select {
	case line, ok := <-p.out:
		if !ok {
			t.Fatalf("%s ended without an alert", p.name)
		}
		var a riskAlert
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&a); err != nil {
			t.Fatalf("%s printed %q: %v", p.name, line, err)
		}
		return a
	case <-time.After(30 * time.Second):
		t.Fatalf("%s printed no alert in 30 s", p.name)
	}
	panic("unreachable")
}

// exit waits until the program ends and returns its exit status.
func (p *program) exit(t *testing.T) int {
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

// endangered is an account of the simulated venue whose position is always near liquidation.
const endangered = "0xba11a57000000000000000000000000000000006"

// freePort returns a port that is not in use and that outgoing connections will not take.
func freePort(t *testing.T) string {
	t.Helper()
	port, err := freeport.Find()
	if err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(port)
}

// breaches makes a monitor call and returns the alerts that it must cause with these thresholds:
// the value by type and asset.
func (s *remote) breaches(t *testing.T, wallet string, score, distance, portfolioVaR float64) map[string]float64 {
	t.Helper()
	status, report := s.get(t, "/v1/monitor/"+wallet)
	if status != 200 {
		t.Fatalf("monitor: %d %v", status, report)
	}
	found := map[string]float64{}
	for _, p := range report["positions"].([]any) {
		p := p.(map[string]any)
		asset := p["asset"].(string)
		if v := p["risk_score"].(float64); v > score {
			found["high_risk_score "+asset] = v
		}
		if v := p["liquidation_distance_pct"].(float64); v < distance {
			found["liquidation_proximity "+asset] = v
		}
	}
	if book, ok := report["portfolio_risk"].(map[string]any); ok {
		v := 100 * book["portfolio_var_99_24h"].(float64) / report["account_value"].(float64)
		if v > portfolioVaR {
			found["portfolio_var_breach"] = v
		}
	}
	return found
}

// heard reads alerts that a client prints until all of want have arrived, and compares their values.
func (p *program) heard(t *testing.T, wallet string, want map[string]float64) {
	t.Helper()
	rest := map[string]float64{}
	for k, v := range want {
		rest[k] = v
	}
	for len(rest) > 0 {
		a := p.alert(t)
		if a.Type == "funding_drag_excessive" || a.Type == "regime_shift" {
			continue // depends on the simulated market, not on the thresholds of the test
		}
		v, ok := rest[a.key()]
		if !ok {
			t.Fatalf("%s heard %+v, want one of %v", p.name, a, rest)
		}
		delete(rest, a.key())
		if a.Wallet != wallet || a.Current/v-1 > 1e-6 || 1-a.Current/v > 1e-6 || a.Message == "" ||
			a.Timestamp.IsZero() {
			t.Errorf("%s heard %+v, want %v", p.name, a, v)
		}
	}
}
