//go:build linux

package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"ballast/bench/load"
)

// writeText prints the result for people.
func (r *Result) writeText(w io.Writer) {
	m := &r.Machine
	fmt.Fprintf(w, "%s, %d processors, Linux %s, %s, commit %s, %s\n", m.CPU, m.Processors, m.Kernel, m.Go, m.Commit,
		r.Date)
	fmt.Fprintf(w, "load average %s before, %s after; medians of %d rounds of %g s, %d connections", m.LoadBefore,
		m.LoadAfter, r.Settings.Rounds, r.Settings.RoundS, r.Settings.Connections)
	if r.Settings.Pinned {
		fmt.Fprintf(w, ", server and generator on a processor each")
	}
	fmt.Fprintf(w, "\nthe service uses %.1f %% of a core when nobody asks", 100*r.IdleCPUShare)
	if r.TickingCPUShare > 0 {
		fmt.Fprintf(w, ", %.1f %% with %d assets", 100*r.TickingCPUShare, manyAssets)
	}
	fmt.Fprint(w, "\n\n")
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "stage\ttarget\tCPU us\tx static\tbusy\treq/s\tx static\tp50 us\tp99 us\tx static\tspread\tp99.9 "+
		"us\tp99 sent\tfailed\t503\tp99 of 503\t")
	last := ""
	for _, row := range r.Summary {
		if last != "" && last != row.Stage {
			fmt.Fprintln(t, "\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t")
		}
		last = row.Stage
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.0f %%\t%.0f\t%s\t%.0f\t%.0f\t%s\t%s\t%.0f\t%.0f\t%s\t%s\t%s\t\n", row.Stage,
			row.Target, shown("%.1f", row.CPUUs), shown("%.2f", row.CPURatio), 100*row.Busy, row.Rate,
			shown("%.2f", row.RateRatio), row.P50Us, row.P99Us, shown("%.2f", row.P99Ratio),
			shown("%.2f", row.P99Spread), row.P999Us, row.ServiceP99Us, shown("%.1f %%", 100*row.Failed),
			shown("%.1f %%", 100*row.Shed), shown("%.0f", row.ShedP99))
	}
	t.Flush()
	for _, one := range r.Rounds {
		if a := one.Report.Alerts; a != nil {
			r.alertText(w, a)
		}
	}
	fmt.Fprintln(w)
	t = tabwriter.NewWriter(w, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "goal\tgot\tmust\taim\t\t")
	for _, g := range r.Goals {
		sign := "<="
		if g.AtLeast {
			sign = ">="
		}
		fmt.Fprintf(t, "%s\t%s\t%s %g\t%s %g\t%s\t\n", g.Name, shown("%.2f", g.Got), sign, g.Must, sign, g.Aim,
			g.Verdict)
	}
	t.Flush()
}

func (r *Result) alertText(w io.Writer, a *load.AlertReport) {
	fmt.Fprintf(w, "\nalerts: %d sockets, %d monitor calls, %d alerts: %d missing, %d duplicate; from answer to "+
		"socket p50 %.0f us, p99 %.0f us, %d before the answer\n",
		a.Sockets, a.Calls, a.Expected, a.Missing, a.Duplicate, a.Latency.P50Us, a.Latency.P99Us, a.Early)
}

// shown formats a figure, or says that there is none.
func shown(format string, x float64) string {
	if x == 0 {
		return "-"
	}
	return fmt.Sprintf(format, x)
}
