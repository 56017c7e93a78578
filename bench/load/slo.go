package load

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Objective is one condition of an SLO: a figure of the report and its limit.
type Objective struct {
	Name  string // as given: p99, errors, rate, alerts.missing
	text  string // the limit as given
	limit float64
	share bool // limit is a fraction: of all requests, or of the requested rate
	get   func(*Report) float64
}

// Verdict is the result of an objective.
type Verdict struct {
	Name  string `json:"name"`
	Limit string `json:"limit"`
	Got   string `json:"got"`
	OK    bool   `json:"ok"`
}

// quantiles are the latencies that objectives may be about, microseconds.
var quantiles = map[string]func(*Report) float64{
	"p50":  func(r *Report) float64 { return r.All.Latency.P50Us },
	"p90":  func(r *Report) float64 { return r.All.Latency.P90Us },
	"p99":  func(r *Report) float64 { return r.All.Latency.P99Us },
	"p999": func(r *Report) float64 { return r.All.Latency.P999Us },
	"max":  func(r *Report) float64 { return r.All.Latency.MaxUs },
}

var numbers = map[string]func(*Report) float64{
	// a failed attempt to connect alone does not lose an arrival
	"errors":           func(r *Report) float64 { return float64(r.Failed + r.Lost[lostConnect]) },
	"rate":             func(r *Report) float64 { return r.RateAnswered },
	"alerts.missing":   alertCount(func(a *AlertReport) int64 { return a.Missing }),
	"alerts.duplicate": alertCount(func(a *AlertReport) int64 { return a.Duplicate }),
}

// alertCount returns a figure of a run: a number of alerts, NaN when none were counted.
func alertCount(of func(*AlertReport) int64) func(*Report) float64 {
	return func(r *Report) float64 {
		if r.Alerts == nil {
			return math.NaN()
		}
		return float64(of(r.Alerts))
	}
}

// ParseSLO parses objectives such as "p99=2ms,errors=0". Names: p50, p90, p99, p999 and max with a
// time; errors with a number or a share such as 0.1%; rate, the minimum of the answered rate, with a number or a
// share of the requested rate; alerts.missing and alerts.duplicate with a number. An objective whose
// figure does not exist in the run counts as missed.
func ParseSLO(text string) ([]Objective, error) {
	var all []Objective
	for item := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(item), "=")
		o := Objective{Name: name, text: value}
		if err := o.parse(); err != nil {
			return nil, fmt.Errorf("slo: %q: %w", item, err)
		}
		all = append(all, o)
	}
	return all, nil
}

func (o *Objective) parse() (err error) {
	if o.get = quantiles[o.Name]; o.get != nil {
		d, err := time.ParseDuration(o.text)
		if err != nil || d <= 0 {
			return errors.New("want a time such as 2ms")
		}
		o.limit = float64(d.Nanoseconds()) / 1e3
		return nil
	}
	if o.get = numbers[o.Name]; o.get == nil {
		return errors.New("want p50, p90, p99, p999, max, errors, rate, alerts.missing or alerts.duplicate")
	}
	text, isShare := strings.CutSuffix(o.text, "%")
	o.limit, err = strconv.ParseFloat(text, 64)
	shares := o.Name == "rate" || o.Name == "errors"
	if err != nil || !(o.limit >= 0) || math.IsInf(o.limit, 0) || isShare && (!shares || o.limit > 100) {
		return errors.New("want a number, or for errors and rate a share such as 1%")
	}
	if o.share = isShare; isShare {
		o.limit /= 100
	}
	return nil
}

// Judge compares the report with the objectives, adds the verdicts to the report, and reports
// whether all objectives are met.
func (r *Report) Judge(slo []Objective) bool {
	met := true
	for _, o := range slo {
		v := o.judge(r)
		met = met && v.OK
		r.SLO = append(r.SLO, v)
	}
	return met
}

func (o *Objective) judge(r *Report) Verdict {
	got, limit := o.get(r), o.limit
	v := Verdict{Name: o.Name, Limit: o.text, Got: strconv.FormatFloat(got, 'g', 6, 64)}
	isTime := quantiles[o.Name] != nil
	if isTime {
		v.Got = micros(got)
	}
	switch {
	case math.IsNaN(got), isTime && r.All.Latency.Count == 0, o.share && o.Name == "rate" && !(r.RateAsked > 0):
		v.Got = "no figure"
	case o.Name == "rate" && o.share:
		v.OK = got >= limit*r.RateAsked
	case o.Name == "rate":
		v.OK = got >= limit
	case o.share:
		v.OK = got <= limit*float64(r.Answered+r.Failed)
	default:
		v.OK = got <= limit
	}
	return v
}
