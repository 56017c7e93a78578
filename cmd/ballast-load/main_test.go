package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ballast/bench/load"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// service answers every request after a delay. With refuse set, every third answer is a 503.
func service(t *testing.T, delay time.Duration, refuse bool) string {
	t.Helper()
	n := 0
	turn := make(chan int, 1)
	turn <- n
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i := <-turn
		turn <- i + 1
		time.Sleep(delay)
		if r.Header.Get("Authorization") != "Bearer k" {
			w.WriteHeader(401)
		} else if refuse && i%3 == 0 {
			w.WriteHeader(503)
		}
		io.WriteString(w, "{}")
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestUsage(t *testing.T) {
	rows := []struct {
		name   string
		args   []string
		env    []string
		status int
		stderr string
	}{
		{"unknown flag", []string{"--nonsense"}, nil, 2, "unknown flag --nonsense"},
		{"leftover argument", []string{"now"}, nil, 2, "unexpected argument now"},
		{"unknown environment", nil, []string{"BALLAST_LOAD_RAET=1"}, 2, "BALLAST_LOAD_RAET"},
		{"bad mix", []string{"--mix", "x=1"}, nil, 2, "--mix"},
		{"bad objective", []string{"--slo", "p98=1ms"}, nil, 2, "--slo"},
		{"bad url", []string{"--url", "https://h"}, nil, 2, "plain HTTP"},
		{"bad rate", []string{"--rate", "0"}, nil, 2, "rate"},
		{"not a number", []string{"--rate", "x"}, nil, 2, "--rate"},
		{"nobody there", []string{"--url", "http://127.0.0.1:1", "--duration", "100ms"}, nil, 1, "127.0.0.1:1"},
		{"help", []string{"--help"}, nil, 0, ""},
	}
	for _, row := range rows {
		var out, errs bytes.Buffer
		if status := run(row.args, row.env, &out, &errs, false); status != row.status ||
			!strings.Contains(errs.String(),
				row.stderr) {
			t.Errorf("%s: status %d, want %d; %s", row.name, status, row.status, errs.String())
		}
	}
}

func TestExitStatus(t *testing.T) {
	t.Setenv("BALLAST_LOAD_KEY", "k")
	fast, slow, refusing := service(t, 0, false), service(t, 20*time.Millisecond, false), service(t, 0, true)
	rows := []struct {
		name   string
		args   []string
		status int
	}{
		{"no objectives", []string{"--url", refusing}, 0},
		{"all met", []string{"--url", fast, "--slo", "p99=5s,max=9s,errors=0,rate=90%"}, 0},
		{"too slow", []string{"--url", slow, "--slo", "p50=10ms"}, 1},
		{"errors", []string{"--url", refusing, "--slo", "errors=10%"}, 1},
		{"wrong key", []string{"--url", fast, "--slo", "errors=0", "--key", "other"}, 1},
		{"rate not reached", []string{"--url", slow, "--slo", "rate=99%", "--connections", "1"}, 1},
		{"backlog", []string{"--url", slow, "--connections", "1", "--max-backlog", "10"}, 1},
	}
	for _, row := range rows {
		var out, errs bytes.Buffer
		args := append([]string{"--rate", "200", "--duration", "500ms"}, row.args...)
		if status := run(args, nil, &out, &errs, false); status != row.status {
			t.Errorf("%s: status %d, want %d\n%s%s", row.name, status, row.status, out.String(), errs.String())
		}
	}
}

func TestOutput(t *testing.T) {
	t.Setenv("BALLAST_LOAD_KEY", "k")
	file := filepath.Join(t.TempDir(), "h.hgrm")
	args := []string{"--url", service(t, 0, false), "--rate", "100", "--duration", "1200ms", "--hdr", file}
	var out, errs bytes.Buffer
	if status := run(append(args, "--json"), nil, &out, &errs, true); status != 0 {
		t.Fatalf("%d %s", status, errs.String())
	}
	var r load.Report
	if err := json.Unmarshal(out.Bytes(), &r); err != nil || r.Answered != 120 ||
		r.Kinds["validate"].Latency.P50Us == 0 {
		t.Errorf("%v %s", err, out.String())
	}
	if !strings.Contains(errs.String(), "answered") {
		t.Errorf("no line of progress: %q", errs.String())
	}
	if b, err := os.ReadFile(file); err != nil || !strings.Contains(string(b), "TotalCount") {
		t.Errorf("%v %s", err, b)
	}
	out.Reset()
	if status := run(args, nil, &out, &errs, false); status != 0 || !strings.Contains(out.String(), "p99.9") {
		t.Errorf("%d %s", status, out.String())
	}
	if status := run(append(args, "--hdr", filepath.Join(file, "x")), nil, &out, &errs, false); status != 1 {
		t.Errorf("a file that cannot be written: %d", status)
	}
}

func TestProgressLine(t *testing.T) {
	var b bytes.Buffer
	progressLine(&b, load.Progress{Elapsed: 3 * time.Second, Total: 10 * time.Second, Answered: 5, Failed: 1,
		Backlog: 7})
	if !strings.HasSuffix(b.String(), "3s of 10s: 5 answered, 1 failed, 7 waiting") {
		t.Errorf("%q", b.String())
	}
	if isTerminal(os.NewFile(^uintptr(0), "none")) {
		t.Error("a terminal that is none")
	}
}
