package load

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
)

// micros formats a number of microseconds with a suitable unit.
func micros(us float64) string {
	switch {
	case us >= 1e6:
		return strconv.FormatFloat(us/1e6, 'f', 2, 64) + " s"
	case us >= 1e4:
		return strconv.FormatFloat(us/1e3, 'f', 1, 64) + " ms"
	case us >= 1e3:
		return strconv.FormatFloat(us/1e3, 'f', 2, 64) + " ms"
	}
	return strconv.FormatFloat(us, 'f', 0, 64) + " us"
}

// WriteText writes the report as text tables.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s loop, %d connections, %.1f s\n", r.URL, r.Loop, r.Connections, r.DurationS)
	if r.Ended != "" {
		fmt.Fprintf(&b, "\nENDED EARLY: %s\n", r.Ended)
	}
	b.WriteByte('\n')
	t := tabwriter.NewWriter(&b, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tanswered\tfailed\tp50\tp90\tp99\tp99.9\tmax\t")
	for _, name := range kindNames {
		if k, ok := r.Kinds[name]; ok {
			k.row(t, name)
		}
	}
	if len(r.Kinds) != 1 {
		r.All.row(t, "all")
	}
	for _, status := range sorted(r.Refused) {
		l := r.Refused[status]
		latencyRow(t, fmt.Sprintf("answered %d", status), "", strconv.FormatInt(l.Count, 10), &l)
	}
	if a := r.Alerts; a != nil {
		latencyRow(t, "alerts", strconv.FormatInt(a.Received, 10), strconv.FormatInt(a.Missing, 10), &a.Latency)
	}
	t.Flush()
	b.WriteByte('\n')
	if r.RateAsked > 0 {
		fmt.Fprintf(&b, "service     p50 %s, p99 %s from when a request was sent: what the service alone is late by\n",
			micros(r.Service.P50Us), micros(r.Service.P99Us))
		fmt.Fprintf(&b, "rate        %.1f/s answered of %.1f/s asked for\n", r.RateAnswered, r.RateAsked)
		fmt.Fprintf(&b, "start       p50 %s, p99 %s after it was due; at most %d waited for a connection\n",
			micros(r.StartDelay.P50Us), micros(r.StartDelay.P99Us), r.MaxBacklog)
	} else {
		fmt.Fprintf(&b, "rate        %.1f/s answered, with every connection always waiting for an answer\n",
			r.RateAnswered)
	}
	fmt.Fprintf(&b, "statuses   ")
	for _, status := range sorted(r.Statuses) {
		fmt.Fprintf(&b, " %d: %d", status, r.Statuses[status])
	}
	fmt.Fprintf(&b, "\nlost       ")
	for _, why := range sorted(r.Lost) {
		fmt.Fprintf(&b, " %s: %d", why, r.Lost[why])
	}
	if len(r.Lost) == 0 {
		fmt.Fprintf(&b, " nothing")
	}
	fmt.Fprintf(&b, "\nbytes       %.2f MB/s in, %.2f MB/s out\n", perSecond(r.BytesIn, r.DurationS)/1e6,
		perSecond(r.BytesOut, r.DurationS)/1e6)
	if s := r.Server; s != nil {
		fmt.Fprintf(&b, "server      %.1f us of CPU an answer, %.0f %% of a core, %.1f MB in memory\n", s.CPUPerAnswer,
			100*s.CPUShare, float64(s.MemoryBytes)/1e6)
	}
	if a := r.Alerts; a != nil {
		fmt.Fprintf(&b,
			"alerts      %d sockets, %d calls: %d of %d expected, %d missing, %d duplicate, %d before the "+
				"answer, %d unclaimed, %d of other kinds, %d sockets ended\n",
			a.Sockets, a.Calls, a.Received, a.Expected, a.Missing, a.Duplicate, a.Early, a.Unclaimed, a.Others,
			a.Ended)
	}
	for _, v := range r.SLO {
		word := "met"
		if !v.OK {
			word = "BROKEN"
		}
		fmt.Fprintf(&b, "slo         %s=%s: %s, %s\n", v.Name, v.Limit, word, v.Got)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (k *KindReport) row(w io.Writer, name string) {
	latencyRow(w, name, strconv.FormatInt(k.Answered, 10), strconv.FormatInt(k.Failed, 10), &k.Latency)
}

func latencyRow(w io.Writer, name, answered, failed string, l *Latency) {
	if l.Count == 0 {
		fmt.Fprintf(w, "%s\t%s\t%s\t-\t-\t-\t-\t-\t\n", name, answered, failed)
		return
	}
	fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", name, answered, failed,
		micros(l.P50Us), micros(l.P90Us), micros(l.P99Us), micros(l.P999Us), micros(l.MaxUs))
}

func perSecond(n int64, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return float64(n) / seconds
}

// WriteHDR writes the latency distribution of all kinds in the .hgrm format, in milliseconds.
func (r *Report) WriteHDR(w io.Writer) error {
	h := r.histogram
	if h == nil {
		h = newHistogram()
	}
	_, err := h.PercentilesPrint(w, 5, 1e6)
	return err
}
