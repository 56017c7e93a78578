//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
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
	if status := run([]string{"--bin", t.TempDir(), "--out", ""}, &out, &errs); status != 1 ||
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

// Summary figures are medians over rounds. Ratios are computed within a round first, so that a slow
// moment of the machine, which affects both servers of a round, does not change a ratio.
func TestSum(t *testing.T) {
	r := &Result{}
	for i, slow := range []float64{1, 10, 1.2} {
		r.Rounds = append(r.Rounds,
			Round{Stage: stageCapacity, Target: targetFlat, Round: i, Report: report(15*slow, 6000/slow, 100, 200)},
			Round{Stage: stageCapacity, Target: targetStatic, Round: i, Report: report(10*slow, 8000/slow, 100,
				100*slow)},
			Round{Stage: stageCapacity, Target: targetNetHTTP, Round: i, Report: report(50*slow, 1000/slow, 100, 200)},
			Round{Stage: stageGrowth, Target: growthTarget(5), Round: i, Report: report(80*slow, 1, 1, 1)},
			Round{Stage: stageBeside, Target: targetFlat, Round: i, Report: report(80, 1, 1, 900)},
			Round{Stage: stageAlone, Target: targetFlat, Round: i, Report: report(80, 1, 1, 300)},
		)
	}
	r.sum()
	if len(r.Summary) != 6 || len(r.Growth) != 1 || r.Growth[0] != (Growth{5, 96}) {
		t.Fatalf("number of rows or CPU by positions: %+v %+v", r.Summary, r.Growth)
	}
	row := r.Summary[0]
	if row.Target != targetFlat || row.Rounds != 3 || row.CPUUs != 18 || row.CPURatio != 1.5 || row.RateRatio != 0.75 ||
		row.Failed != 0.25 || row.Shed != 0.2 || row.ShedP99 != 400 || row.Busy != 0.5 {
		t.Errorf("medians and ratios: %+v", row)
	}
	verdicts := map[string]string{}
	for _, g := range r.Goals {
		verdicts[g.Name] = g.Verdict
	}
	for name, want := range map[string]string{
		"CPU of a warm validation, x static":                      verdictMust,
		"requests a second at saturation, x static":               verdictAim,
		"CPU of a warm validation, x net/http with encoding/json": verdictMust,
		"p99 beside simulations, x without":                       verdictMust,
		"p99 at half the capacity, x static":                      verdictUnknown,
	} {
		if verdicts[name] != want {
			t.Errorf("%s: %q, want %q", name, verdicts[name], want)
		}
	}
	// The p99 of the static server varies from 100 to 1,000 us. The goal on the p99 must then be
	// judged too noisy, neither reached nor missed.
	for i, p99 := range []float64{100, 1000, 120} {
		r.Rounds = append(r.Rounds, Round{Stage: stageLatency, Target: targetFlat, Round: i,
			Report: report(1, 1, 50, 110)},
			Round{Stage: stageLatency, Target: targetStatic, Round: i, Report: report(1, 1, 50, p99)})
	}
	r.sum()
	for _, g := range r.Goals {
		if strings.Contains(g.Name, "half the capacity") && (g.Verdict != verdictNoisy || g.Got == 0) {
			t.Errorf("goal with a varying yardstick: %+v", g)
		}
	}
	var out bytes.Buffer
	r.writeText(&out)
	for _, want := range []string{"5 positions", "20.0 %", "not measured", "1.50", verdictNoisy} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestMedian(t *testing.T) {
	for _, row := range []struct {
		v    []float64
		want float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{5, 1}, 3}, {[]float64{9, 1, 2}, 2}} {
		if got := median(row.v); got != row.want {
			t.Errorf("median of %v is %v", row.v, got)
		}
	}
}

// Runs all stages against all servers, with rounds too short for meaningful figures.
func TestE2ECompare(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs whole processes")
	}
	bin, out := t.TempDir(), t.TempDir()
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
	status := run([]string{"--bin", bin, "--out", out, "--rounds", "1", "--round", "500ms", "--warmup", "50ms",
		"--sockets", "10", "--connections", "4"}, &text, &errs)
	if status != 0 {
		t.Fatalf("status %d\n%s", status, errs.String())
	}
	files, err := filepath.Glob(filepath.Join(out, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v %v", files, err)
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(b, []byte("blst_")) {
		t.Error("the result file contains an API key")
	}
	var r Result
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	checkRows(t, r.Summary)
	last := r.Rounds[len(r.Rounds)-1].Report.Alerts
	if last == nil || last.Expected != alertCalls*10*2 || last.Missing != 0 || last.Duplicate != 0 {
		t.Errorf("alerts: %+v", last)
	}
	if r.Machine.Commit != "dev" { // the test builds the binaries without the linker flags that set the commit
		t.Errorf("commit of a binary built without linker flags: %+v", r.Machine)
	}
	if len(r.Growth) != len(growthWallets) || r.IdleCPUShare > 2 || r.TickingCPUShare == 0 {
		t.Errorf("growth or CPU while ticking: %+v %v", r.Growth, r.TickingCPUShare)
	}
}

// checkRows: the summary has a row for every stage and target, without failures that were no refusals.
func checkRows(t *testing.T, rows []Row) {
	t.Helper()
	seen := map[string]bool{}
	for _, row := range rows {
		seen[row.Stage+", "+row.Target] = true
		// In these three stages the rate is a share of the measured capacity, and other tests on
		// the machine may reduce the capacity during the round, so requests may fail. In the other
		// stages a request may only be refused.
		around := row.Stage == stageOverload || row.Stage == stageUnloaded || row.Stage == stageRecovered
		if !around && row.Failed > row.Shed {
			t.Errorf("requests failed that were not refused: %+v", row)
		}
	}
	for _, target := range targets {
		if !seen[stageCapacity+", "+target] || !seen[stageLatency+", "+target] {
			t.Errorf("no row for %s among %v", target, seen)
		}
	}
	for _, want := range []string{
		stageUnloaded + ", " + targetHeld, stageOverload + ", " + targetHeld, stageRecovered + ", " + targetHeld,
		stageFrozen + ", " + targetFlat, stageTicking + ", " + targetFlat, stageAlone + ", " + targetFlat,
		stageBeside +
			", " + targetFlat, stageJobs + ", " + targetFlat, stageAlerts + ", " + targetMonitor,
		goodputStage(256) + ", " + targetMonte, goodputStage(16) + ", " + patient(targetMonitor),
	} {
		if !seen[want] {
			t.Errorf("no row for %s among %v", want, seen)
		}
	}
}
