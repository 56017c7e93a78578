package load

import (
	"math"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Latency sums up a distribution of times, in microseconds.
type Latency struct {
	Count  int64   `json:"count"`
	P50Us  float64 `json:"p50_us"`
	P90Us  float64 `json:"p90_us"`
	P99Us  float64 `json:"p99_us"`
	P999Us float64 `json:"p999_us"`
	MaxUs  float64 `json:"max_us"`
}

// KindReport is what happened to requests of one kind.
type KindReport struct {
	Answered int64   `json:"answered"` // with 2xx
	Failed   int64   `json:"failed"`   // answered otherwise, or not at all
	Latency  Latency `json:"latency"`  // of 2xx answers; of what was lost to time, at least so much
}

// Point is one point of a distribution: so much of it is not above a time.
type Point struct {
	Percent float64 `json:"percent"`
	Us      float64 `json:"us"`
}

// ServerReport is what the server's process used while arrivals were measured.
type ServerReport struct {
	CPUSeconds   float64 `json:"cpu_s"`
	CPUShare     float64 `json:"cpu_share"`      // of one core
	CPUPerAnswer float64 `json:"cpu_answer_us"`  // CPU time divided by answers of any status, microseconds; 0 without one
	MemoryBytes  int64   `json:"memory_bytes"`   // in memory at the end
	Answers      int64   `json:"answers"`        // of any status, in that time
	WindowS      float64 `json:"window_seconds"` // that time
}

// Report is the result of a run. Rates are requests a second, times what their names say.
type Report struct {
	URL         string  `json:"url"`
	Loop        string  `json:"loop"` // open or closed
	Connections int     `json:"connections"`
	DurationS   float64 `json:"duration_s"` // that arrivals were measured
	// Ended says why the run ended early; empty: it did not.
	Ended string `json:"ended,omitempty"`

	RateAsked    float64 `json:"rate_asked,omitempty"`
	RateAnswered float64 `json:"rate_answered"` // 2xx answers to arrivals that are measured, a second until the last of them
	Answered     int64   `json:"answered"`
	Failed       int64   `json:"failed"`

	All   KindReport            `json:"all"`
	Kinds map[string]KindReport `json:"kinds"`
	// Statuses counts answers by status; Refused has the latency of those that are not 2xx.
	Statuses map[int]int64   `json:"statuses"`
	Refused  map[int]Latency `json:"refused,omitempty"`
	// Lost counts what got no answer, by reason; "connect" are attempts to connect.
	Lost       map[string]int64 `json:"lost,omitempty"`
	Reconnects int64            `json:"reconnects"`

	BytesIn    int64   `json:"bytes_in"`
	BytesOut   int64   `json:"bytes_out"`
	MaxBacklog int64   `json:"max_backlog"` // most arrivals that waited for a connection at once
	Service    Latency `json:"service"`     // of 2xx answers, from when the request was sent: without what it waited for a connection
	StartDelay Latency `json:"start_delay"` // from when a request was due to when it was sent

	Server *ServerReport `json:"server,omitempty"`
	Alerts *AlertReport  `json:"alerts,omitempty"`
	SLO    []Verdict     `json:"slo,omitempty"`

	Curve []Point `json:"curve"` // of all kinds

	histogram *hdrhistogram.Histogram
}

func latencyOf(h *hdrhistogram.Histogram) Latency {
	if h.TotalCount() == 0 {
		return Latency{}
	}
	v := h.ValueAtPercentilesSlice([]float64{50, 90, 99, 99.9})
	return Latency{h.TotalCount(), us(v[0]), us(v[1]), us(v[2]), us(v[3]), us(h.Max())}
}

// us turns nanoseconds into microseconds with one decimal.
func us(ns int64) float64 { return math.Round(float64(ns)/100) / 10 }

// curvePercents are the points of Report.Curve.
var curvePercents = []float64{
	0, 1, 5, 10, 20, 30, 40, 50, 60, 70, 75, 80, 85, 90, 92.5, 95, 96, 97, 98, 98.5, 99, 99.25, 99.5, 99.75, 99.9, 99.95, 99.975, 99.99, 99.995, 99.999, 100,
}

func curveOf(h *hdrhistogram.Histogram) []Point {
	if h.TotalCount() == 0 {
		return nil
	}
	points := make([]Point, len(curvePercents))
	for i, v := range h.ValueAtPercentilesSlice(curvePercents) {
		points[i] = Point{curvePercents[i], us(v)}
	}
	return points
}

// report sums a run up.
func (t *tally) report(c *Config) *Report {
	answered, failed := t.sums()
	h := t.all()
	r := &Report{
		URL: c.URL, Loop: "open", Connections: c.Connections, RateAsked: c.Rate,
		Answered: answered, Failed: failed,
		All:   KindReport{answered, failed, latencyOf(h)},
		Kinds: map[string]KindReport{}, Statuses: map[int]int64{}, Refused: map[int]Latency{}, Lost: t.lost,
		Reconnects: t.reconnects, BytesIn: t.bytesIn, BytesOut: t.bytesOut, MaxBacklog: t.backlog, StartDelay: latencyOf(t.delay), Service: latencyOf(t.service),
		Curve: curveOf(h), histogram: h,
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

// setDuration sets what depends on how long arrivals were measured, and until when their
// answers came: those that came late have taken that long.
func (r *Report) setDuration(arrivals, answers time.Duration) {
	r.DurationS = arrivals.Seconds()
	if d := max(arrivals, answers); d > 0 {
		r.RateAnswered = float64(r.Answered) / d.Seconds()
	}
}

// connectFailures are attempts to connect that failed; no arrival failed by them alone.
func (r *Report) connectFailures() int64 { return r.Lost[lostConnect] }
