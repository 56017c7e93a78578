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
	Name  string  // as given: p99, validate.p99, errors, rate, alerts.missing
	Limit float64 // microseconds, a number, or a fraction
	share bool    // Limit is a fraction: of all requests, or of the requested rate
	text  string  // the limit as given
	get   func(*Report) (value float64, known bool)
	isMin bool // Limit is a minimum, not a maximum
	time  bool // a time in microseconds
}

// Verdict is the result of an objective.
type Verdict struct {
	Name  string `json:"name"`
	Limit string `json:"limit"`
	Got   string `json:"got"`
	OK    bool   `json:"ok"`
}

var quantiles = map[string]func(*Latency) float64{
	"p50":  func(l *Latency) float64 { return l.P50Us },
	"p90":  func(l *Latency) float64 { return l.P90Us },
	"p99":  func(l *Latency) float64 { return l.P99Us },
	"p999": func(l *Latency) float64 { return l.P999Us },
	"max":  func(l *Latency) float64 { return l.MaxUs },
}

var numbers = map[string]func(*Report) (value float64, known bool){
	// a failed attempt to connect alone does not lose an arrival
	"errors":           func(r *Report) (float64, bool) { return float64(r.Failed + r.Lost[lostConnect]), true },
	"rate":             func(r *Report) (float64, bool) { return r.RateAnswered, true },
	"alerts.missing":   func(r *Report) (float64, bool) { return float64(r.alerts().Missing), r.Alerts != nil },
	"alerts.duplicate": func(r *Report) (float64, bool) { return float64(r.alerts().Duplicate), r.Alerts != nil },
}

// ParseSLO parses objectives such as "p99=2ms,errors=0". Names: p50, p90, p99, p999 and max with a
// time, of all requests, of one kind (batch.p99) or of the alerts (alerts.p99); errors with a
// number or a share such as 0.1%; rate, the minimum of the answered rate, with a number or a share
// of the requested rate; alerts.missing and alerts.duplicate with a number. An objective whose
// figure does not exist in the run, such as the p99 of a kind without an answer, counts as missed.
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

func (o *Objective) parse() error {
	scope, figure, scoped := strings.Cut(o.Name, ".")
	if !scoped {
		scope, figure = "", o.Name
	}
	if quantile := quantiles[figure]; quantile != nil {
		return o.parseTime(scope, quantile)
	}
	if o.get = numbers[o.Name]; o.get != nil {
		o.isMin = o.Name == "rate"
		return o.parseNumber(o.Name == "rate" || o.Name == "errors")
	}
	return errors.New("want p50, p90, p99, p999, max, errors, rate, KIND.p99, alerts.p99, alerts.missing or " +
		"alerts.duplicate")
}

func (r *Report) alerts() *AlertReport {
	if r.Alerts == nil {
		return &AlertReport{}
	}
	return r.Alerts
}

func (o *Objective) parseTime(scope string, quantile func(*Latency) float64) error {
	_, isKind := kindOf(scope)
	if scope != "" && scope != "alerts" && !isKind {
		return fmt.Errorf("%s is no kind of request", scope)
	}
	d, err := time.ParseDuration(o.text)
	if err != nil || d <= 0 {
		return errors.New("want a time such as 2ms")
	}
	o.time, o.Limit = true, float64(d.Nanoseconds())/1e3
	o.get = func(r *Report) (float64, bool) {
		l := r.All.Latency
		switch {
		case scope == "alerts":
			l = r.alerts().Latency
		case isKind:
			l = r.Kinds[scope].Latency
		}
		return quantile(&l), l.Count > 0
	}
	return nil
}

func (o *Objective) parseNumber(shares bool) error {
	text, isShare := strings.CutSuffix(o.text, "%")
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0) || math.IsInf(v, 0) || isShare && (!shares || v > 100) {
		return errors.New("want a number, or for errors and rate a share such as 1%")
	}
	o.Limit, o.share = v, isShare
	if isShare {
		o.Limit = v / 100
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
	got, known := o.get(r)
	v := Verdict{Name: o.Name, Limit: o.text}
	limit := o.Limit
	if o.share {
		whole := float64(r.Answered + r.Failed)
		if o.isMin {
			whole = r.RateAsked
			known = known && whole > 0
		}
		limit *= whole
	}
	switch {
	case !known:
		v.Got = "no figure"
	case o.time:
		v.Got = micros(got)
	case o.isMin:
		v.Got = strconv.FormatFloat(got, 'f', 1, 64)
	default:
		v.Got = strconv.FormatFloat(got, 'f', -1, 64)
	}
	v.OK = known && (o.isMin && got >= limit || !o.isMin && got <= limit)
	return v
}
