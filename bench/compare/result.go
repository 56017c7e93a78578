//go:build linux

package main

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"ballast/bench/load"
)

// Result is the result of a run, as written to the file.
type Result struct {
	Date         string   `json:"date"` // UTC
	Machine      Machine  `json:"machine"`
	Settings     Settings `json:"settings"`
	IdleCPUShare float64  `json:"idle_cpu_share"` // share of a core that the idle service uses before the first round
	// TickingCPUShare is the idle service's share of a core with the assets of the stage ticking.
	TickingCPUShare float64  `json:"ticking_cpu_share,omitempty"`
	Summary         []Row    `json:"summary"`
	Goals           []Goal   `json:"goals"`
	Growth          []Growth `json:"growth,omitempty"`
	Rounds          []Round  `json:"rounds"`
}

// Machine describes the machine and the binary that were measured.
type Machine struct {
	CPU        string `json:"cpu"`
	Processors int    `json:"processors"`
	Kernel     string `json:"kernel"`
	Go         string `json:"go"`
	Commit     string `json:"commit"` // commit from which the measured binary was built
	LoadBefore string `json:"load_before"`
	LoadAfter  string `json:"load_after"`
}

// Settings holds the settings of the run.
type Settings struct {
	Rounds      int     `json:"rounds"`
	RoundS      float64 `json:"round_s"`
	Connections int     `json:"connections"`
	Pinned      bool    `json:"pinned"` // server and generator were each pinned to a processor
}

// Round is one run of the generator against one target.
type Round struct {
	Stage  string       `json:"stage"`
	Target string       `json:"target"`
	Round  int          `json:"round"`
	Report *load.Report `json:"report"`
}

// Row holds the medians of the rounds of a stage and target.
type Row struct {
	Stage  string  `json:"stage"`
	Target string  `json:"target"`
	Rounds int     `json:"rounds"`
	CPUUs  float64 `json:"cpu_us"` // CPU time of the server per answer, us
	Busy   float64 `json:"busy"`   // share of a core that the server used
	Rate   float64 `json:"rate"`   // 2xx answers per second
	P50Us  float64 `json:"p50_us"`
	P99Us  float64 `json:"p99_us"`
	P999Us float64 `json:"p999_us"`
	// P99Spread is the largest p99 of a round divided by the smallest.
	P99Spread float64 `json:"p99_spread"`
	// ServiceP99Us is the p99 of the latency from sending, without the wait for a connection.
	ServiceP99Us float64 `json:"service_p99_us"`
	Failed       float64 `json:"failed"`    // share of failed requests
	Shed         float64 `json:"shed"`      // share of requests answered 503
	ShedP99      float64 `json:"shed_p99"`  // p99 of the latency of a 503, us
	CPURatio     float64 `json:"cpu_ratio"` // CPUUs relative to static in the same round; 0: no static round
	// RateRatio and P99Ratio are relative to static in the same round, as CPURatio. In the stage goodput all three
	// are relative to the service that refuses nobody.
	RateRatio float64 `json:"rate_ratio"`
	P99Ratio  float64 `json:"p99_ratio"`
}

// Growth is the CPU time per validation for a wallet with a given number of positions.
type Growth struct {
	Positions int     `json:"positions"`
	CPUUs     float64 `json:"cpu_us"`
}

// serverOf returns the server's use of the processor, zero if it was not measured.
func serverOf(r *load.Report) load.ServerReport {
	if r.Server == nil {
		return load.ServerReport{}
	}
	return *r.Server
}

func cpuOf(r *load.Report) float64  { return serverOf(r).CPUPerAnswer }
func busyOf(r *load.Report) float64 { return serverOf(r).CPUShare }

// sum computes the rows and goals from the rounds.
func (r *Result) sum() {
	type name struct{ stage, target string }
	var order []name
	rounds := map[name][]*load.Report{}
	for _, one := range r.Rounds {
		n := name{one.Stage, one.Target}
		if rounds[n] == nil {
			order = append(order, n)
		}
		rounds[n] = append(rounds[n], one.Report)
	}
	r.Summary, r.Growth = nil, nil
	for _, n := range order {
		yardstick := rounds[name{n.stage, targetStatic}]
		if strings.HasPrefix(n.stage, stageGoodput) {
			yardstick = rounds[name{n.stage, patient(n.target)}]
		}
		row := summarise(rounds[n], yardstick)
		row.Stage, row.Target = n.stage, n.target
		if n.stage == stageBeside || n.stage == stageJobs {
			row.CPUUs = 0 // undefined: two kinds of traffic share the CPU time
		}
		r.Summary = append(r.Summary, row)
	}
	for _, g := range growthWallets {
		for _, row := range r.Summary {
			if row.Stage == stageGrowth && row.Target == growthTarget(g.positions) {
				r.Growth = append(r.Growth, Growth{g.positions, row.CPUUs})
			}
		}
	}
	r.Goals = judge(r)
}

// summarise returns the row of a target's rounds. yardstick holds the yardstick's rounds of the
// same stage in the same order.
func summarise(all, yardstick []*load.Report) Row {
	medianOf := func(of func(*load.Report) float64) float64 {
		var v []float64
		for _, r := range all {
			v = append(v, of(r))
		}
		return median(v)
	}
	ratio := func(of func(*load.Report) float64) float64 {
		var v []float64
		for i := range min(len(all), len(yardstick)) {
			if d := of(yardstick[i]); d > 0 {
				v = append(v, of(all[i])/d)
			}
		}
		return median(v)
	}
	share := func(of func(*load.Report) int64) func(*load.Report) float64 {
		return func(r *load.Report) float64 { return float64(of(r)) / max(1, float64(r.Answered+r.Failed)) }
	}
	rate := func(r *load.Report) float64 { return r.RateAnswered }
	p99 := func(r *load.Report) float64 { return r.All.Latency.P99Us }
	return Row{
		Rounds: len(all), CPUUs: medianOf(cpuOf), Busy: medianOf(busyOf), Rate: medianOf(rate), P99Us: medianOf(p99),
		P99Spread:    spread(all, p99),
		ServiceP99Us: medianOf(func(r *load.Report) float64 { return r.Service.P99Us }),
		P50Us:        medianOf(func(r *load.Report) float64 { return r.All.Latency.P50Us }),
		P999Us:       medianOf(func(r *load.Report) float64 { return r.All.Latency.P999Us }),
		Failed:       medianOf(share(func(r *load.Report) int64 { return r.Failed })),
		Shed:         medianOf(share(func(r *load.Report) int64 { return r.Statuses[503] })),
		ShedP99:      medianOf(func(r *load.Report) float64 { return r.Refused[503].P99Us }),
		CPURatio:     ratio(cpuOf),
		RateRatio:    ratio(rate),
		P99Ratio:     ratio(p99),
	}
}

// spread returns the ratio of a figure's maximum to its minimum, 0 when unknown.
func spread(all []*load.Report, of func(*load.Report) float64) float64 {
	low, high := math.Inf(1), 0.0
	for _, r := range all {
		low, high = min(low, of(r)), max(high, of(r))
	}
	return over(high, low)
}

// median returns the median of the values, 0 without a value.
func median(v []float64) float64 {
	if len(v) == 0 {
		return 0
	}
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

func (r *Result) save(path string) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}

// describe returns the description of this machine. Fields that cannot be determined stay empty.
func describe(bin string) Machine {
	m := Machine{Processors: runtime.NumCPU(), Go: runtime.Version(), LoadBefore: loadAverage()}
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.SplitSeq(string(text), "\n") {
			if key, value, _ := strings.Cut(line, ":"); strings.TrimSpace(key) == "model name" {
				m.CPU = strings.TrimSpace(value)
				break
			}
		}
	}
	if text, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		m.Kernel = strings.TrimSpace(string(text))
	}
	version := exec.Command(filepath.Join(bin, "ballast"), "version", "--json")
	version.Env = cleanEnvironment()
	var v struct{ Version string }
	if out, err := version.Output(); err == nil && json.Unmarshal(out, &v) == nil {
		m.Commit = v.Version // git describe at its build, with -dirty when the tree had changes
	}
	return m
}

// loadAverage returns the load averages over 1, 5 and 15 minutes.
func loadAverage() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return ""
	}
	fields := strings.Fields(string(text))
	return strings.Join(fields[:min(3, len(fields))], " ")
}
