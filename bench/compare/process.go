//go:build linux

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"ballast/bench/load"
)

// Processors: the server under test runs on the first, all other processes on the second.
const (
	serverCPU    = 0
	generatorCPU = 1
	anyCPU       = -1
)

const (
	startTime = 60 * time.Second // within this time a server must print its address and become ready
	stopTime  = 15 * time.Second // within this time a process must end after the signal
)

// process is a server that this program has started.
type process struct {
	name string
	cmd  *exec.Cmd
	url  string
	done chan struct{} // closed when its output has ended
}

var address = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

// command returns a command of the folder of binaries on processor cpu (anyCPU: not pinned).
func (h *harness) command(ctx context.Context, cpu int, path string, args ...string) *exec.Cmd {
	args = append([]string{filepath.Join(h.flags.Bin, path)}, args...)
	if cpu != anyCPU && runtime.NumCPU() > generatorCPU {
		args = append([]string{"taskset", "-c", fmt.Sprint(cpu)}, args...)
	}
	if path == "venuesim" { // it updates all books at one moment, which must not delay the generator beside it
		args = append([]string{"nice", "-n", "19"}, args...)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = cleanEnvironment()
	return cmd
}

// start starts a server and waits until it prints the address on which it listens.
func (h *harness) start(name string, cpu int, path string, args ...string) (*process, error) {
	p := &process{name: name, done: make(chan struct{})}
	p.cmd = h.command(context.Background(), cpu, path, args...)
	pipe, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.cmd.Stderr = p.cmd.Stdout
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	h.running = append(h.running, p)
	found, failed := make(chan string, 1), make(chan error, 1)
	go p.follow(pipe, found, failed)
	select {
	case p.url = <-found:
		return p, nil
	case err = <-failed:
	case <-time.After(startTime):
		err = fmt.Errorf("%s does not say where it listens within %v", name, startTime)
	case <-h.ctx.Done():
		err = h.ctx.Err()
	}
	return nil, err
}

// follow reads the output until it ends. It finds the address in one of the first lines, and discards
// the rest so that the process does not block. Without an address it reports the last lines.
func (p *process) follow(out io.Reader, found chan string, failed chan error) {
	defer close(p.done)
	lines := bufio.NewScanner(out)
	var seen []string
	for told := false; lines.Scan(); {
		if told {
			continue
		}
		seen = append(seen, lines.Text())
		if url := address.FindString(lines.Text()); url != "" {
			found <- url
			told = true
		}
	}
	failed <- fmt.Errorf("%s has ended: %s", p.name, strings.Join(seen[max(0, len(seen)-5):], "\n"))
}

// cleanEnvironment returns this process's environment without the settings of the service and
// the generator.
func cleanEnvironment() []string {
	var env []string
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "BALLAST_") {
			env = append(env, e)
		}
	}
	return env
}

func (p *process) pid() int { return p.cmd.Process.Pid }

// stop asks the process to end, and kills it after stopTime.
func (p *process) stop() {
	p.cmd.Process.Signal(syscall.SIGTERM)
	timer := time.AfterFunc(stopTime, func() { p.cmd.Process.Kill() })
	<-p.done
	p.cmd.Wait()
	timer.Stop()
}

// stopAll stops all running processes, the last started first.
func (h *harness) stopAll() {
	for i := len(h.running) - 1; i >= 0; i-- {
		h.running[i].stop()
	}
	h.running = nil
}

// stopOne stops one process before the end of the run.
func (h *harness) stopOne(p *process) {
	p.stop()
	h.running = slices.DeleteFunc(h.running, func(q *process) bool { return q == p })
}

// issueKey creates an API key in the data directory of the service.
func (h *harness) issueKey(dataDir string) error {
	out, err := h.command(h.ctx, anyCPU, "ballast", "keys", "issue", "--email", "compare@localhost", "--data-dir",
		dataDir, "--json").Output()
	if err != nil {
		return fmt.Errorf("issue a key: %w", err)
	}
	var issued struct{ Key string }
	if err := json.Unmarshal(out, &issued); err != nil || issued.Key == "" {
		return errors.New("issue a key: the answer has none")
	}
	h.key = issued.Key
	return nil
}

// settled waits until the service is ready and has calibrated all assets.
func (h *harness) settled(p *process) error {
	deadline := time.Now().Add(startTime)
	for time.Now().Before(deadline) && h.ctx.Err() == nil {
		if h.calibrated(p) {
			return h.ctx.Err()
		}
	}
	return fmt.Errorf("%s is not ready within %v", p.name, startTime)
}

// calibrated observes the service for one second. It reports whether the service is ready and
// idle, and its number of calibrated assets does not change.
func (h *harness) calibrated(p *process) bool {
	look := func() (n float64, ready bool) {
		request, err := http.NewRequestWithContext(h.ctx, "GET", p.url+"/health", nil)
		if err != nil {
			return 0, false
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return 0, false
		}
		defer response.Body.Close()
		var health struct {
			Ready  bool
			Assets struct{ Calibrated float64 }
		}
		err = json.NewDecoder(response.Body).Decode(&health)
		return health.Assets.Calibrated, err == nil && health.Ready
	}
	before, _ := look()
	used, err := load.ProcessCPU(p.pid())
	select {
	case <-h.ctx.Done():
		return false
	case <-time.After(time.Second):
	}
	n, ready := look()
	now, err2 := load.ProcessCPU(p.pid())
	return err == nil && err2 == nil && ready && n == before && n > 0 && now-used < 300*time.Millisecond
}

// visit runs the generator against a server and returns the generator's report.
func (h *harness) visit(ctx context.Context, p *process, args ...string) (*load.Report, error) {
	cpu := generatorCPU
	if h.free {
		cpu = anyCPU
	}
	cmd := h.command(ctx, cpu, "ballast-load", append([]string{"--url", p.url, "--json", "--server-pid",
		fmt.Sprint(p.pid())}, args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopTime
	cmd.Env = append(cmd.Env, "BALLAST_LOAD_KEY="+h.key)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var report load.Report
	if bad := json.Unmarshal([]byte(out.String()), &report); bad != nil { // the generator printed no report
		return nil, fmt.Errorf("the generator at %s: %v: %s", p.name, err, errs.String())
	}
	return &report, ctx.Err()
}
