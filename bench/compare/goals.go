//go:build linux

package main

import (
	"fmt"
	"slices"
)

// Verdicts on a goal.
const (
	verdictAim     = "aim reached"
	verdictMust    = "reached"
	verdictMissed  = "MISSED"
	verdictNoisy   = "too noisy to say"
	verdictUnknown = "not measured"
)

// Goal is a figure with its bounds. A figure is a ratio of two measurements of the same run.
type Goal struct {
	Name    string  `json:"name"`
	Must    float64 `json:"must"`
	Aim     float64 `json:"aim"`
	AtLeast bool    `json:"least"` // true: the bounds are minima; false: maxima
	Got     float64 `json:"got"`
	Verdict string  `json:"verdict"`
}

// steadyP99 is the largest ratio of p99 between two rounds of a target at which a goal on the p99
// is judged. Above it, other work on the machine dominates, and a ratio of two such figures is
// meaningless. A single round has no spread, and is not judged either.
const steadyP99 = 3

// figure finds the value of a goal; 0 means that it was not measured.
type figure func(rows map[string]Row) float64

// goals holds ratios that do not depend on the machine: two processes on the same processor,
// measured within seconds of each other. A release needs must; aim is the desired value.
var goals = []struct {
	Goal
	figure
	tails []string // rows whose p99 enters the figure
}{
	{Goal{Name: "CPU of a warm validation, x static", Must: 1.7, Aim: 1.4},
		func(r map[string]Row) float64 { return r[stageCapacity+targetFlat].CPURatio }, nil},
	{Goal{Name: "requests a second at saturation, x static", Must: 0.6, Aim: 0.7, AtLeast: true},
		func(r map[string]Row) float64 { return r[stageCapacity+targetFlat].RateRatio }, nil},
	{Goal{Name: "CPU of a warm validation, x net/http with encoding/json", Must: 0.35, Aim: 0.27},
		func(r map[string]Row) float64 {
			return over(r[stageCapacity+targetFlat].CPUUs, r[stageCapacity+targetNetHTTP].CPUUs)
		}, nil},
	{Goal{Name: "p99/p50 at half the capacity, x that of static", Must: 1.3, Aim: 1.1},
		func(r map[string]Row) float64 {
			b, s := r[stageLatency+targetFlat], r[stageLatency+targetStatic]
			return over(over(b.P99Us, b.P50Us), over(s.P99Us, s.P50Us))
		}, []string{stageLatency + targetFlat, stageLatency + targetStatic}},
	{Goal{Name: "p99 at half the capacity, x static", Must: 1.5, Aim: 1.2},
		func(r map[string]Row) float64 { return r[stageLatency+targetFlat].P99Ratio },
		[]string{stageLatency + targetFlat, stageLatency + targetStatic}},
	{Goal{Name: "p99 while 200 assets tick, x while the venue is frozen", Must: 1.2, Aim: 1.05},
		func(r map[string]Row) float64 {
			return over(r[stageTicking+targetFlat].P99Us, r[stageFrozen+targetFlat].P99Us)
		}, []string{stageTicking + targetFlat, stageFrozen + targetFlat}},
	{Goal{Name: "p99 beside simulations, x without", Must: 3, Aim: 1.5},
		func(r map[string]Row) float64 {
			return over(r[stageBeside+targetFlat].P99Us, r[stageAlone+targetFlat].P99Us)
		}, []string{stageBeside + targetFlat, stageAlone + targetFlat}},
	{Goal{Name: "p99 a second after an overload, x before", Must: 1.5, Aim: 1.2},
		func(r map[string]Row) float64 {
			return over(r[stageRecovered+targetHeld].P99Us, r[stageUnloaded+targetHeld].P99Us)
		}, []string{stageRecovered + targetHeld, stageUnloaded + targetHeld}},
	{Goal{Name: "good answers a second in closed loops, x with refusals off", Must: 0.85, Aim: 1, AtLeast: true},
		worstGoodput, nil},
	{Goal{Name: "p99 of a refusal in closed loops, x 25 ms", Must: 1, Aim: 0.8}, slowestRefusal, nil},
}

// over returns a/b, 0 when a or b was not measured.
func over(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// judge compares a result with the goals.
func judge(r *Result) []Goal {
	rows := map[string]Row{}
	for _, row := range r.Summary {
		rows[row.Stage+row.Target] = row
	}
	var all []Goal
	for _, g := range goals {
		goal := g.Goal
		goal.Got = g.figure(rows)
		reaches := func(limit float64) bool {
			return goal.AtLeast && goal.Got >= limit || !goal.AtLeast && goal.Got <= limit
		}
		switch {
		case goal.Got == 0:
			goal.Verdict = verdictUnknown
		case slices.ContainsFunc(g.tails, func(name string) bool {
			return rows[name].Rounds < 2 || rows[name].P99Spread > steadyP99
		}):
			goal.Verdict = verdictNoisy
		case reaches(goal.Aim):
			goal.Verdict = verdictAim
		case reaches(goal.Must):
			goal.Verdict = verdictMust
		default:
			goal.Verdict = verdictMissed
		}
		all = append(all, goal)
	}
	return all
}

func growthTarget(positions int) string { return fmt.Sprintf("%d positions", positions) }
