package main

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"ballast/internal/locked"
)

func TestArguments(t *testing.T) {
	rows := []struct {
		name   string
		args   []string
		status int
		stderr string
	}{
		{"unknown flag", []string{"--nonsense"}, 2, "unknown flag --nonsense"},
		{"leftover argument", []string{"now"}, 2, "unexpected argument now"},
		{"no assets", []string{"--assets", "0"}, 2, "--assets 0"},
		{"too many assets of dexes", []string{"--dex-assets", "292"}, 2, "--dex-assets 292"},
		{"unknown limits", []string{"--limits", "some"}, 2, "--limits"},
		{"speed zero", []string{"--speed", "0"}, 2, "--speed 0"},
		{"not a number", []string{"--speed", "NaN"}, 2, "--speed NaN"},
		{"unknown fault", []string{"--fault", "nonsense"}, 2, `unknown fault "nonsense"`},
		{"no such folder", []string{"--replay", "/does/not/exist"}, 2, "/does/not/exist"},
		{"no such address", []string{"--listen", "256.0.0.1:1", "--assets", "4"}, 1, "256.0.0.1"},
		{"help", []string{"--help"}, 0, ""},
		{"faults", []string{"--list-faults"}, 0, ""},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			if status := run(row.args, &out, &errs); status != row.status || !strings.Contains(errs.String(),
				row.stderr) {
				t.Errorf("status %d, want %d; %s", status, row.status, errs.String())
			}
		})
	}
}

// Runs the program as a process: it prints its address and wallets, answers requests, and exits
// with status 0 on SIGTERM.
func TestProcess(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	binary := filepath.Join(t.TempDir(), "venuesim")
	if out, err := exec.CommandContext(ctx, "go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var out locked.Buffer
	p := exec.CommandContext(ctx, binary, "--listen", "127.0.0.1:0", "--assets", "12", "--seed", "3", "--dex-assets",
		"0", "--limits", "venue", "--fault", "cap:BTC,slow:1ms")
	p.Stdout, p.Stderr = &out, os.Stderr
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	address := regexp.MustCompile(`http://(127\.0\.0\.1:\d+)`)
	for !strings.Contains(out.String(), "not the venue's") && ctx.Err() == nil {
		time.Sleep(10 * time.Millisecond)
	}
	m := address.FindStringSubmatch(out.String())
	if m == nil || !strings.Contains(out.String(), "0xba11a57000000000000000000000000000000003  unified") {
		t.Fatalf("printed %s", out.String())
	}
	resp, err := http.Post("http://"+m[1]+"/info", "application/json", strings.NewReader(`{"type":"meta"}`))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != 200 {
		t.Errorf("status %d", resp.StatusCode)
	}
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.Wait(); err != nil {
		t.Errorf("after SIGTERM: %v", err)
	}
}
