//go:build linux

package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"ballast/bench/load"
)

// cell is a stage and a target.
type cell struct{ stage, target string }

// result holds the reports of a run.
type result struct {
	order  []cell
	rounds map[cell][]*load.Report
	alerts *load.AlertReport // nil: not measured
}

func (r *result) add(stage, target string, report *load.Report) {
	c := cell{stage, target}
	if r.rounds == nil {
		r.rounds = map[cell][]*load.Report{}
	}
	if r.rounds[c] == nil {
		r.order = append(r.order, c)
	}
	r.rounds[c] = append(r.rounds[c], report)
}

// figure is a number of a report.
type figure func(*load.Report) float64

// cpuOf returns the server's CPU time per answer, us, 0 if it was not measured.
func cpuOf(r *load.Report) float64 {
	if r.Server == nil {
		return 0
	}
	return r.Server.CPUPerAnswer
}

func busyOf(r *load.Report) float64 {
	if r.Server == nil {
		return 0
	}
	return r.Server.CPUShare
}

func rateOf(r *load.Report) float64    { return r.RateAnswered }
func p50Of(r *load.Report) float64     { return r.All.Latency.P50Us }
func p99Of(r *load.Report) float64     { return r.All.Latency.P99Us }
func serviceOf(r *load.Report) float64 { return r.Service.P99Us }      // without the wait for a connection
func shedP99Of(r *load.Report) float64 { return r.Refused[503].P99Us } // of the latency of a 503

// median returns the median of the values, 0 without a value.
func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// of returns the median of a figure over the rounds of a cell, 0 when it was not measured.
func (r *result) of(stage, target string, f figure) float64 {
	var v []float64
	for _, report := range r.rounds[cell{stage, target}] {
		v = append(v, f(report))
	}
	return median(v)
}

// ratio returns the median of a figure's ratio to that of another cell in the same round.
func (r *result) ratio(a, b cell, f figure) float64 {
	var v []float64
	for i, report := range r.rounds[a][:min(len(r.rounds[a]), len(r.rounds[b]))] {
		if d := f(r.rounds[b][i]); d > 0 {
			v = append(v, f(report)/d)
		}
	}
	return median(v)
}

// yardstick returns with which cell the ratios of a cell's row are.
func yardstick(c cell) cell {
	if strings.HasPrefix(c.stage, stageGoodput) {
		return cell{c.stage, patient(c.target)}
	}
	return cell{c.stage, targetStatic}
}

// share returns a figure: a count's share of all requests.
func share(count func(*load.Report) int64) figure {
	return func(r *load.Report) float64 { return float64(count(r)) / max(1, float64(r.Answered+r.Failed)) }
}

// steadyP99 bounds how far apart the p99 of a target's rounds may lie, as a ratio. Beyond it the machine's other work
// decides the p99, and no goal is judged by it; nor is one after a single round.
const steadyP99 = 3

// steady reports whether the p99 of a cell varies little enough.
func (r *result) steady(c cell) bool {
	var v []float64
	for _, report := range r.rounds[c] {
		v = append(v, p99Of(report))
	}
	return len(v) > 1 && slices.Max(v) <= steadyP99*slices.Min(v)
}

// goal is a ratio that does not depend on the machine: two processes on the same processor, measured within
// seconds of each other. A release needs must; aim is the desired value.
type goal struct {
	name      string
	must, aim float64 // minima if aim is the larger, otherwise maxima
	got       float64 // 0: not measured
	tails     []cell  // whose p99 got is made of
}

func (r *result) goals() []goal {
	flat, static := cell{stageCapacity, targetFlat}, cell{stageCapacity, targetStatic}
	half, halfStatic := cell{stageLatency, targetFlat}, cell{stageLatency, targetStatic}
	alone, beside := cell{stageAlone, targetFlat}, cell{stageBeside, targetFlat}
	before, after := cell{stageUnloaded, targetHeld}, cell{stageRecovered, targetHeld}
	tail := func(report *load.Report) float64 { return p99Of(report) / max(1, p50Of(report)) }
	goodput, refusal := 0.0, 0.0
	for _, connections := range goodputConnections {
		for _, target := range goodputTargets {
			c := cell{goodputStage(connections), target}
			if x := r.ratio(c, yardstick(c), rateOf); goodput == 0 || x < goodput {
				goodput = x
			}
			refusal = max(refusal, r.of(c.stage, c.target, shedP99Of)/25_000)
		}
	}
	return []goal{
		{"CPU of a warm validation, x static", 1.7, 1.4, r.ratio(flat, static, cpuOf), nil},
		{"requests a second at saturation, x static", 0.6, 0.7, r.ratio(flat, static, rateOf), nil},
		{"CPU of a warm validation, x net/http with encoding/json", 0.35, 0.27,
			r.ratio(flat, cell{stageCapacity, targetNetHTTP}, cpuOf), nil},
		{"p99/p50 at half the capacity, x that of static", 1.3, 1.1, r.ratio(half, halfStatic, tail),
			[]cell{half, halfStatic}},
		{"p99 at half the capacity, x static", 1.5, 1.2, r.ratio(half, halfStatic, p99Of), []cell{half, halfStatic}},
		{"p99 beside simulations, x without", 3, 1.5, r.ratio(beside, alone, p99Of), []cell{beside, alone}},
		{"p99 a second after an overload, x before", 1.5, 1.2, r.ratio(after, before, p99Of), []cell{after, before}},
		{"good answers a second in closed loops, x with refusals off", 0.85, 1, goodput, nil},
		{"p99 of a refusal in closed loops, x 25 ms", 1, 0.8, refusal, nil},
	}
}

// verdict returns what a run says of a goal.
func (r *result) verdict(g goal) string {
	reaches := func(limit float64) bool {
		return g.aim > g.must && g.got >= limit || g.aim < g.must && g.got <= limit
	}
	switch {
	case g.got == 0:
		return "not measured"
	case slices.ContainsFunc(g.tails, func(c cell) bool { return !r.steady(c) }):
		return "too noisy to say"
	case reaches(g.aim):
		return "aim reached"
	case reaches(g.must):
		return "reached"
	}
	return missed
}

const missed = "MISSED"

// write prints the medians and goals. It reports whether a goal was missed.
func (r *result) write(w io.Writer) (bad bool) {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "stage\ttarget\tCPU us\tx static\tbusy\treq/s\tx static\tp50 us\tp99 us\tx static\tp99 sent"+
		"\tfailed\t503\tp99 of 503\t")
	for i, c := range r.order {
		if i > 0 && r.order[i-1].stage != c.stage {
			fmt.Fprintln(t, strings.Repeat("\t", 14))
		}
		of := func(f figure) float64 { return r.of(c.stage, c.target, f) }
		ratio := func(f figure) string { return shown("%.2f", r.ratio(c, yardstick(c), f)) }
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.0f %%\t%.0f\t%s\t%.0f\t%.0f\t%s\t%.0f\t%s\t%s\t%s\t\n", c.stage, c.target,
			shown("%.1f", of(cpuOf)), ratio(cpuOf), 100*of(busyOf), of(rateOf), ratio(rateOf), of(p50Of), of(p99Of),
			ratio(p99Of), of(serviceOf),
			shown("%.1f %%", 100*of(share(func(r *load.Report) int64 { return r.Failed }))),
			shown("%.1f %%", 100*of(share(func(r *load.Report) int64 { return r.Statuses[503] }))),
			shown("%.0f", of(shedP99Of)))
	}
	t.Flush()
	if a := r.alerts; a != nil {
		fmt.Fprintf(w, "\nalerts: %d sockets, %d monitor calls, %d alerts: %d missing, %d duplicate; from answer to "+
			"socket p50 %.0f us, p99 %.0f us, %d before the answer\n",
			a.Sockets, a.Calls, a.Expected, a.Missing, a.Duplicate, a.Latency.P50Us, a.Latency.P99Us, a.Early)
	}
	fmt.Fprintln(w)
	fmt.Fprintln(t, "goal\tgot\tmust\taim\t\t")
	for _, g := range r.goals() {
		sign := "<="
		if g.aim > g.must {
			sign = ">="
		}
		verdict := r.verdict(g)
		bad = bad || verdict == missed
		fmt.Fprintf(t, "%s\t%s\t%s %g\t%s %g\t%s\t\n", g.name, shown("%.2f", g.got), sign, g.must, sign, g.aim, verdict)
	}
	t.Flush()
	return bad
}

// shown formats a figure, or says that there is none.
func shown(format string, x float64) string {
	if x == 0 {
		return "-"
	}
	return fmt.Sprintf(format, x)
}

// loadAverage returns the load averages over 1, 5 and 15 minutes.
func loadAverage() string {
	text, _ := os.ReadFile("/proc/loadavg")
	fields := strings.Fields(string(text))
	return strings.Join(fields[:min(3, len(fields))], " ")
}
