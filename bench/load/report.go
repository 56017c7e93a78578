package load

import (
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Latency summarises a distribution of latencies, in microseconds.
type Latency struct {
	Count  int64   `json:"count"`
	P50Us  float64 `json:"p50_us"`
	P90Us  float64 `json:"p90_us"`
	P99Us  float64 `json:"p99_us"`
	P999Us float64 `json:"p999_us"`
	MaxUs  float64 `json:"max_us"`
}

// KindReport is the result for the requests of one kind.
type KindReport struct {
	Answered int64 `json:"answered"` // answered with 2xx
	Failed   int64 `json:"failed"`   // answered with another status, or not answered
	// of 2xx answers; requests that timed out or were never sent count with their waiting time, a lower bound
	Latency Latency `json:"latency"`
}

// ServerReport is the server's use of CPU and memory during the measured period.
type ServerReport struct {
	CPUSeconds float64 `json:"cpu_s"`
	CPUShare   float64 `json:"cpu_share"` // share of one core
	// CPU time divided by answers of any status, microseconds; 0 without an answer
	CPUPerAnswer float64 `json:"cpu_answer_us"`
	MemoryBytes  int64   `json:"memory_bytes"`   // resident memory at the end
	Answers      int64   `json:"answers"`        // answers of any status in the measured period
	WindowS      float64 `json:"window_seconds"` // length of the measured period
}

// Report is the result of a run. Rates are per second; times have their unit in the name.
type Report struct {
	URL         string  `json:"url"`
	Loop        string  `json:"loop"` // open or closed
	Connections int     `json:"connections"`
	DurationS   float64 `json:"duration_s"` // length of the measured period
	// Ended says why the run ended early; empty: it did not.
	Ended string `json:"ended,omitempty"`

	RateAsked float64 `json:"rate_asked,omitempty"`
	// 2xx answers per second to measured arrivals, until the last of them was answered
	RateAnswered float64 `json:"rate_answered"`
	Answered     int64   `json:"answered"`
	Failed       int64   `json:"failed"`

	All   KindReport            `json:"all"`
	Kinds map[string]KindReport `json:"kinds"`
	// Statuses counts answers by status. Refused holds the latency of the answers other than 2xx,
	// by status.
	Statuses map[int]int64   `json:"statuses"`
	Refused  map[int]Latency `json:"refused,omitempty"`
	// Lost counts the requests without an answer, by reason; "connect" counts failed attempts to
	// connect.
	Lost       map[string]int64 `json:"lost,omitempty"`
	Reconnects int64            `json:"reconnects"`

	BytesIn    int64 `json:"bytes_in"`
	BytesOut   int64 `json:"bytes_out"`
	MaxBacklog int64 `json:"max_backlog"` // largest number of arrivals that waited for a connection at the same time
	// of 2xx answers, counted from the sending of the request, without the wait for a connection
	Service    Latency `json:"service"`
	StartDelay Latency `json:"start_delay"` // from when a request was due to when it was sent

	Server *ServerReport `json:"server,omitempty"`
	Alerts *AlertReport  `json:"alerts,omitempty"`
	SLO    []Verdict     `json:"slo,omitempty"`

	histogram *hdrhistogram.Histogram
}

func latencyOf(h *hdrhistogram.Histogram) Latency {
	if h.TotalCount() == 0 {
		return Latency{}
	}
	v := h.ValueAtPercentilesSlice([]float64{50, 90, 99, 99.9})
	return Latency{h.TotalCount(), us(v[0]), us(v[1]), us(v[2]), us(v[3]), us(h.Max())}
}

// us converts nanoseconds to microseconds with one decimal.
func us(ns int64) float64 { return math.Round(float64(ns)/100) / 10 }

// report returns the report of the counted arrivals.
func (t *tally) report(c *Config) *Report {
	answered, failed := t.sums()
	h := t.all()
	r := &Report{
		URL: c.URL, Loop: "open", Connections: c.Connections, RateAsked: c.Rate,
		Answered: answered, Failed: failed,
		All:   KindReport{answered, failed, latencyOf(h)},
		Kinds: map[string]KindReport{}, Statuses: map[int]int64{}, Refused: map[int]Latency{}, Lost: t.lost,
		Reconnects: t.reconnects, BytesIn: t.bytesIn, BytesOut: t.bytesOut, MaxBacklog: t.backlog,
		StartDelay: latencyOf(t.delay), Service: latencyOf(t.service),
		histogram: h,
	}
	if c.Closed {
		r.Loop, r.RateAsked = "closed", 0
	}
	for k, name := range kindNames {
		if t.answered[k]+t.failed[k] > 0 {
			r.Kinds[name] = KindReport{t.answered[k], t.failed[k], latencyOf(t.latency[k])}
		}
	}
	for status, n := range t.statuses {
		if n > 0 {
			r.Statuses[status] = n
		}
	}
	for status, h := range t.refused {
		r.Refused[status] = latencyOf(h)
	}
	return r
}

// setDuration sets the length of the measured period, and the rate of answers. answers is the time
// until the last answer; when it exceeds the measured period, the rate is computed over it.
func (r *Report) setDuration(arrivals, answers time.Duration) {
	r.DurationS = arrivals.Seconds()
	if d := max(arrivals, answers); d > 0 {
		r.RateAnswered = float64(r.Answered) / d.Seconds()
	}
}
