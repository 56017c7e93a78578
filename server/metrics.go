package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/VictoriaMetrics/metrics"
	"github.com/valyala/fasthttp"

	"ballast/compute/risk"
	"ballast/marketcache"
	"ballast/server/admission"
	"ballast/server/alerts"
	"ballast/server/api"
	"ballast/server/transport"
)

// statuses are the HTTP statuses that are counted one by one.
var statuses = [...]int{200, 204, 400, 401, 404, 405, 408, 413, 414, 415, 429, 431, 500, 502, 503, 504, 505}

// statusIndex is the index in statuses of a status, len(statuses) for any other.
var statusIndex = func() (index [600]uint8) {
	for i := range index {
		index[i] = uint8(len(statuses))
	}
	for i, s := range statuses {
		index[s] = uint8(i)
	}
	return index
}()

// Buckets of the latency histogram: upper bounds of 2^k microseconds.
const (
	firstBucket = 2  // 4 us
	lastBucket  = 24 // 16.8 s
	bucketCount = lastBucket - firstBucket + 2
)

// tally is a set of counters that few goroutines write, so that counting does not make
// processors wait for each other. The metrics add all tallies up.
type tally struct {
	_         [64]byte
	requests  [routeCount][len(statuses) + 1]atomic.Uint64
	latency   [bucketCount]atomic.Uint64 // of assessments, the last one everything slower
	latencyNs atomic.Uint64
	verdicts  [3]atomic.Uint64 // by recommendation
	_         [64]byte
}

func (t *tally) count(r routeID, status int) {
	if status < 0 || status >= len(statusIndex) {
		status = 0
	}
	t.requests[r][statusIndex[status]].Add(1)
}

// assessed counts an assessment answered after d.
func (t *tally) assessed(d time.Duration, r risk.Recommendation) {
	bucket := 0
	for us := d.Microseconds() >> firstBucket; us > 0 && bucket < bucketCount-1; us >>= 1 {
		bucket++
	}
	t.latency[bucket].Add(1)
	t.latencyNs.Add(uint64(d))
	t.verdicts[r].Add(1)
}

// serverMetrics are the metrics of one server.
type serverMetrics struct {
	s       *Server
	set     *metrics.Set
	tallies []*tally
	next    atomic.Uint32

	errors map[string]*metrics.Counter // by code; read-only
	panics *metrics.Counter
	// fanoutLocal counts the results of monitor calls that the other replicas did not
	// confirm.
	fanoutLocal *metrics.Counter
	notFinite   *metrics.Counter
	connErrors  *metrics.Counter
	loadErrors  [len(loadKinds)]*metrics.Counter
}

func newServerMetrics(s *Server) *serverMetrics {
	set := s.cfg.Metrics
	m := &serverMetrics{
		s: s, set: set, errors: map[string]*metrics.Counter{},
		panics:     set.NewCounter("ballast_panics_total"),
		notFinite:  set.NewCounter("ballast_not_finite_total"),
		connErrors: set.NewCounter("ballast_connection_errors_total"),
	}
	for i, k := range loadKinds {
		m.loadErrors[i] = set.NewCounter(`ballast_wallet_load_errors_total{kind="` + k.name + `"}`)
	}
	for range 4 * runtime.GOMAXPROCS(0) {
		m.tallies = append(m.tallies, new(tally))
	}
	for _, code := range api.Codes() {
		m.errors[code] = set.NewCounter(fmt.Sprintf("ballast_errors_total{code=%q}", code))
	}
	gauge := func(name string, f func() float64) { set.NewGauge(name, f) }
	gauge("ballast_ready", func() float64 { return number(s.readiness().ready) })
	gauge("ballast_in_flight", func() float64 { return float64(s.admission.InSystem()) })
	gauge("ballast_batches_in_flight", func() float64 { return float64(s.admission.InQueue(admission.Batch)) })
	gauge("ballast_simulating", func() float64 {
		return float64(s.admission.InQueue(admission.Simulation) + s.admission.InQueue(admission.SimulatedBatch))
	})
	gauge("ballast_waiting", func() float64 { return float64(s.admission.Outside()) })
	gauge("ballast_connections", func() float64 { return float64(s.transport.Open()) })
	for _, r := range transport.Refusals {
		gauge(`ballast_connections_refused{kind="`+r.String()+`"}`, func() float64 { return float64(s.transport.Refused(r)) })
	}
	gauge("ballast_wallets_held", func() float64 { return float64(s.cfg.Cache.Accounts()) })
	gauge("ballast_keys", func() float64 { return float64(s.cfg.Keys.Len()) })
	gauge("ballast_keys_refused", func() float64 { return number(!s.cfg.Keys.Trusted(time.Now())) })
	gauge("ballast_assets_listed", func() float64 { return float64(s.readiness().listed) })
	gauge("ballast_assets_fresh", func() float64 { return float64(s.readiness().fresh) })
	gauge("ballast_assets_calibrated", func() float64 { return float64(s.readiness().calibrated) })
	venue := &s.cfg.Cache.Venue
	gauge("ballast_venue_connected", func() float64 { return number(venue.Connected.Load()) })
	gauge("ballast_venue_breaker_open", func() float64 { return number(venue.BreakerOpen.Load()) })
	gauge("ballast_venue_clock_skew_ms", func() float64 { return float64(venue.ClockSkewMs.Load()) })
	gauge("ballast_venue_last_message_age_seconds", func() float64 { return s.cfg.Cache.LastMessageAge(marketcache.Now()).Seconds() })
	gauge("ballast_uptime_seconds", func() float64 { return time.Since(s.started).Seconds() })
	gauge("ballast_calibration_failed_assets", func() float64 { return float64(s.failedFits()) })
	gauge("ballast_alert_connections", func() float64 { return float64(s.hub.Stats().Connections) })
	gauge("ballast_alert_subscriptions", func() float64 { return float64(s.hub.Stats().Subscriptions) })
	for name, of := range map[string]func(*alerts.Stats) uint64{
		"connects_total":        func(a *alerts.Stats) uint64 { return a.Accepted },
		"refused_total":         func(a *alerts.Stats) uint64 { return a.Refused },
		"delivered_total":       func(a *alerts.Stats) uint64 { return a.Delivered },
		"slow_consumers_total":  func(a *alerts.Stats) uint64 { return a.SlowConsumers },
		"crowded_out_total":     func(a *alerts.Stats) uint64 { return a.CrowdedOut },
		"invalid_configs_total": func(a *alerts.Stats) uint64 { return a.InvalidConfigs },
		"panics_total":          func(a *alerts.Stats) uint64 { return a.Panics },
	} {
		gauge("ballast_alert_"+name, func() float64 {
			stats := s.hub.Stats()
			return float64(of(&stats))
		})
	}
	m.fanoutLocal = set.NewCounter("ballast_alert_fanout_local_total")
	set.RegisterMetricsWriter(m.writeFits)
	set.RegisterMetricsWriter(m.writeTallies)
	return m
}

// loadKinds are the reasons why a wallet was not read, the first that fits.
var loadKinds = [...]struct {
	name string
	is   error // nil: any
}{
	{"share", marketcache.ErrShare}, // the key has spent its share
	{"budget", marketcache.ErrBudget},
	{"venue", marketcache.ErrVenue},
	{"unavailable", marketcache.ErrUnavailable},
	{"other", nil}, // took too long
}

// loadFailed counts a failed wallet read by the kind of its error.
func (m *serverMetrics) loadFailed(err error) {
	for i, k := range loadKinds {
		if k.is == nil || errors.Is(err, k.is) {
			m.loadErrors[i].Inc()
			return
		}
	}
}

func number(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// nextTally deals out the tallies in turn.
func (m *serverMetrics) nextTally() *tally {
	return m.tallies[int(m.next.Add(1))%len(m.tallies)]
}

func (m *serverMetrics) failed(code string) {
	if c := m.errors[code]; c != nil {
		c.Inc()
	}
}

// sum adds a counter up over all tallies.
func (m *serverMetrics) sum(of func(*tally) *atomic.Uint64) (n uint64) {
	for _, t := range m.tallies {
		n += of(t).Load()
	}
	return n
}

// failedFits counts the assets whose newest fit failed and that are served with the last
// good one.
func (s *Server) failedFits() (n int) {
	for _, fit := range s.cfg.Cache.Model().Assets {
		if fit != nil && fit.FitError != "" {
			n++
		}
	}
	return n
}

// writeFits writes how long the newest fit of each asset took.
func (m *serverMetrics) writeFits(w io.Writer) {
	for _, fit := range m.s.cfg.Cache.Model().Assets {
		if fit != nil {
			fmt.Fprintf(w, "ballast_calibration_fit_seconds{asset=%q} %g\n", fit.Name, fit.FitDuration.Seconds())
		}
	}
}

// writeTallies writes the sums in the text format of Prometheus.
func (m *serverMetrics) writeTallies(w io.Writer) {
	for r := range routeCount {
		for i := range len(statuses) + 1 {
			n := m.sum(func(t *tally) *atomic.Uint64 { return &t.requests[r][i] })
			if n == 0 {
				continue
			}
			status := "other"
			if i < len(statuses) {
				status = strconv.Itoa(statuses[i])
			}
			fmt.Fprintf(w, "ballast_http_requests_total{route=%q,status=%q} %d\n", routeTable[r].path, status, n)
		}
	}
	for r := range risk.Recommendation(3) {
		fmt.Fprintf(w, "ballast_assessments_total{recommendation=%q} %d\n", r, m.sum(func(t *tally) *atomic.Uint64 { return &t.verdicts[r] }))
	}
	total := uint64(0)
	for b := range bucketCount {
		total += m.sum(func(t *tally) *atomic.Uint64 { return &t.latency[b] })
		bound := "+Inf"
		if b < bucketCount-1 {
			bound = strconv.FormatFloat(float64(int(1)<<(firstBucket+b))/1e6, 'f', -1, 64)
		}
		fmt.Fprintf(w, "ballast_validate_seconds_bucket{le=%q} %d\n", bound, total)
	}
	fmt.Fprintf(w, "ballast_validate_seconds_sum %g\n", float64(m.sum(func(t *tally) *atomic.Uint64 { return &t.latencyNs }))/1e9)
	fmt.Fprintf(w, "ballast_validate_seconds_count %d\n", total)
}

// metricsHandler answers GET /metrics.
func (s *Server) metricsHandler(x *exchange) {
	var b bytes.Buffer
	s.metrics.set.WritePrometheus(&b)
	metrics.WriteProcessMetrics(&b)
	x.reply(fasthttp.StatusOK, typeMetrics, b.Bytes())
}

// ServeMetrics answers GET /metrics, and nothing else, without a key on a listener of its
// own until the server shuts down or ln fails.
func (s *Server) ServeMetrics(ln net.Listener) error {
	open := fasthttp.Server{
		Name:                 serverName,
		ReadTimeout:          s.cfg.ReadTimeout,
		WriteTimeout:         s.cfg.WriteTimeout,
		Concurrency:          64,
		NoDefaultContentType: true,
		Logger:               quiet{s},
		ErrorHandler:         s.handleBroken,
		Handler: func(ctx *fasthttp.RequestCtx) {
			x := s.begin(ctx, ctx.Time())
			defer s.end(x)
			if x.route = findRoute(x.path); x.route != routeMetrics || !ctx.IsGet() {
				x.fail(api.CodeNotFound, "this listener serves GET /metrics only")
				return
			}
			s.metricsHandler(x)
		},
	}
	end := make(chan struct{})
	defer close(end)
	go func() {
		select {
		case <-s.life.Done():
			open.Shutdown()
		case <-end:
		}
	}()
	return open.Serve(s.transport.Steady(ln))
}
