//go:build linux

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"ballast/bench/load"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestUsage(t *testing.T) {
	for _, args := range [][]string{
		{"--nonsense"}, {"leftover"}, {"--stages", "lunch"}, {"--rounds", "0"}, {"--round", "1ms"}, {"--warmup=-1s"},
		{"--sockets", "0"},
	} {
		var out, errs bytes.Buffer
		if status := run(args, &out, &errs); status != 2 || errs.Len() == 0 {
			t.Errorf("arguments %v: status %d, want 2 and a message, got %s", args, status, errs.String())
		}
	}
	var out, errs bytes.Buffer
	if status := run([]string{"--bin", t.TempDir()}, &out, &errs); status != 1 ||
		!strings.Contains(errs.String(), "issue a key") {
		t.Errorf("without binaries: status %d, want 1, message %s", status, errs.String())
	}
}

// report returns the report of a round with known figures.
func report(cpu, rate, p50, p99 float64) *load.Report {
	return &load.Report{
		RateAnswered: rate, Answered: 75, Failed: 25, Statuses: map[int]int64{200: 75, 503: 20},
		Refused: map[int]load.Latency{503: {P99Us: 400}},
		All:     load.KindReport{Latency: load.Latency{P50Us: p50, P99Us: p99}},
		Server:  &load.ServerReport{CPUPerAnswer: cpu, CPUShare: 0.5},
	}
}

// Figures are medians over rounds. Ratios are computed within a round first, so that a slow
// moment of the machine, which affects both servers of a round, does not change a ratio.
func TestResult(t *testing.T) {
	var r result
	for _, slow := range []float64{1, 10, 1.2} {
		r.add(stageCapacity, targetFlat, report(15*slow, 6000/slow, 100, 200))
		r.add(stageCapacity, targetStatic, report(10*slow, 8000/slow, 100, 100*slow))
		r.add(stageBeside, targetFlat, report(80, 1, 1, 900))
		r.add(stageAlone, targetFlat, report(80, 1, 1, 300))
		// The p99 of the static server varies tenfold: a goal on it is neither reached nor missed.
		r.add(stageLatency, targetFlat, report(1, 1, 50, 110))
		r.add(stageLatency, targetStatic, report(1, 1, 50, 100*slow))
	}
	verdicts := map[string]string{}
	for _, g := range r.goals() {
		verdicts[g.name] = fmt.Sprintf("%.2f %s", g.got, r.verdict(g))
	}
	for name, want := range map[string]string{
		"CPU of a warm validation, x static":        "1.50 reached",
		"requests a second at saturation, x static": "0.75 aim reached",
		"p99 beside simulations, x without":         "3.00 reached",
		"p99 a second after an overload, x before":  "0.00 not measured",
		"p99 at half the capacity, x static":        "0.92 too noisy to say",
	} {
		if verdicts[name] != want {
			t.Errorf("%s: %q, want %q", name, verdicts[name], want)
		}
	}
	var out bytes.Buffer
	bad := r.write(&out)
	for _, want := range []string{"18.0", "20.0 %", "not measured", "1.50", "400"} {
		if !strings.Contains(out.String(), want) || bad {
			t.Errorf("no %q, or missed %v, in\n%s", want, bad, out.String())
		}
	}
}

// Runs all stages against all servers, with rounds too short for meaningful figures.
func TestE2ECompare(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs whole processes")
	}
	bin := t.TempDir()
	for _, build := range [][]string{
		{"-o", bin + "/", "ballast/cmd/ballast", "ballast/cmd/venuesim", "ballast/cmd/ballast-load"},
		{"-o", bin + "/yardsticks/", "ballast/bench/yardstick/static", "ballast/bench/yardstick/nethttp"},
	} {
		if err := os.MkdirAll(filepath.Join(bin, "yardsticks"), 0o755); err != nil {
			t.Fatal(err)
		}
		if text, err := exec.Command("go", append([]string{"build"}, build...)...).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	var text, errs bytes.Buffer
	status := run([]string{"--bin", bin, "--rounds", "1", "--round", "500ms", "--warmup", "50ms", "--sockets", "10",
		"--connections", "4"}, &text, &errs)
	if status != 0 {
		t.Fatalf("status %d\n%s", status, errs.String())
	}
	if strings.Contains(text.String()+errs.String(), "blst_") {
		t.Error("the output contains an API key")
	}
	for _, want := range []string{
		"capacity\\s+ballast held", "latency\\s+nethttp", "before overload\\s+ballast batch",
		"after overload\\s+ballast held",
		"without simulations\\s+ballast", "beside simulations\\s+ballast", "goodput 256\\s+ballast simulated",
		"goodput 16\\s+ballast monitor, patient", "growth\\s+60 positions",
		"alerts: 10 sockets, 20 monitor calls, 400 alerts: 0 missing, 0 duplicate",
	} {
		if !regexp.MustCompile(want).MatchString(text.String()) {
			t.Errorf("no %s in\n%s", want, text.String())
		}
	}
}
