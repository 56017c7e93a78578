package server

import (
	"errors"
	"math/bits"
	"runtime"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/valyala/fasthttp"

	"ballast/compute/risk"
	"ballast/internal/promtext"
	"ballast/marketcache"
	"ballast/server/admission"
	"ballast/server/api"
	"ballast/server/transport"
)

// statuses are the HTTP statuses that are counted separately.
var statuses = [...]int{101, 200, 204, 304, 400, 401, 403, 404, 405, 408, 409, 412, 413, 414, 415, 417, 428, 429, 431,
	500,
	502, 503, 504, 505}

// Buckets of the latency histograms: upper bounds of 2^k microseconds.
const (
	firstBucket = 4  // 16 us
	lastBucket  = 24 // 16.8 s
	bucketCount = lastBucket - firstBucket + 2
)

// bucketBounds are the upper bounds in seconds, except that of the last bucket.
var bucketBounds = func() (bounds [bucketCount - 1]float64) {
	for i := range bounds {
		bounds[i] = float64(int(1)<<(firstBucket+i)) / 1e6
	}
	return bounds
}()

// tally is a set of counters for few goroutines, so that processors do not contend for them. The metrics
// add up all tallies.
type tally struct {
	_        [64]byte
	routes   []routeTally     // as routeTable
	verdicts [3]atomic.Uint64 // by recommendation
	_        [64]byte
}

type routeTally struct {
	requests  [len(statuses) + 1]atomic.Uint64 // the last is for all other statuses
	latency   [bucketCount]atomic.Uint64       // of answers below 400; the last bucket holds all slower ones
	latencyNs atomic.Uint64
}

// count counts a request that was answered in the given time.
func (t *tally) count(route int, status int, took time.Duration) {
	i := slices.Index(statuses[:], status)
	if i < 0 {
		i = len(statuses)
	}
	r := &t.routes[route]
	r.requests[i].Add(1)
	if status < fasthttp.StatusBadRequest { // refusals are quick and would improve the figures
		bucket := bits.Len64(uint64(took) / uint64(time.Microsecond) >> firstBucket)
		r.latency[min(bucket, bucketCount-1)].Add(1)
		r.latencyNs.Add(uint64(took))
	}
}

// serverMetrics are the counters of one server.
type serverMetrics struct {
	tallies []*tally
	next    atomic.Uint32

	errors      map[string]*atomic.Uint64 // by code; the map is never written
	fanoutLocal atomic.Uint64             // results of monitor calls that other replicas did not confirm
	notFinite   atomic.Uint64
	connErrors  atomic.Uint64
	loadErrors  [len(loadKinds)]atomic.Uint64
}

func newServerMetrics() *serverMetrics {
	m := &serverMetrics{errors: map[string]*atomic.Uint64{}}
	for range 4 * runtime.GOMAXPROCS(0) {
		m.tallies = append(m.tallies, &tally{routes: make([]routeTally, len(routeTable))})
	}
	for _, code := range api.Codes() {
		m.errors[code] = new(atomic.Uint64)
	}
	return m
}

// loadKinds are the reasons why a wallet was not read; the first match counts.
var loadKinds = [...]struct {
	name string
	is   error // nil: any error
}{
	{"share", marketcache.ErrShare}, // the key has used its share
	{"budget", marketcache.ErrBudget},
	{"contradiction", marketcache.ErrContradiction},
	{"venue", marketcache.ErrVenue},
	{"unavailable", marketcache.ErrUnavailable},
	{"other", nil}, // such as a timeout
}

// loadFailed counts a failed wallet read by its kind of error.
func (m *serverMetrics) loadFailed(err error) {
	for i, k := range loadKinds {
		if k.is == nil || errors.Is(err, k.is) {
			m.loadErrors[i].Add(1)
			return
		}
	}
}

// nextTally returns the tallies in turn.
func (m *serverMetrics) nextTally() *tally {
	return m.tallies[int(m.next.Add(1))%len(m.tallies)]
}

func (m *serverMetrics) failed(code string) {
	if c := m.errors[code]; c != nil {
		c.Add(1)
	}
}

// sum returns the sum of a counter over all tallies.
func (m *serverMetrics) sum(of func(*tally) *atomic.Uint64) (n uint64) {
	for _, t := range m.tallies {
		n += of(t).Load()
	}
	return n
}

// failedFits counts the assets whose newest fit failed and that use the last good one.
func (s *Server) failedFits() (n int) {
	for _, fit := range s.cfg.Cache.Model().Assets {
		if fit != nil && fit.FitError != "" {
			n++
		}
	}
	return n
}

// writeMetrics writes the page of metrics. docs/operations.md says what to do about them.
func (s *Server) writeMetrics(p *promtext.Page) {
	p.Family(promtext.Gauge, "ballast_build_info", "Always 1; what is running.")
	p.Sample(1, "version", s.cfg.Version, "commit", s.cfg.Commit, "engine_version", risk.EngineVersion, "goversion",
		runtime.Version(), "venue", s.cfg.VenueKind)
	r := s.Readiness()
	p.Switch("ballast_ready", "1 while requests are answered, as /readyz says.", r.Ready)
	p.Gauge("ballast_assets_listed", "Assets that the venue lists.", float64(r.Listed))
	p.Gauge("ballast_assets_fresh", "Listed assets whose context and book are live.", float64(r.Fresh))
	p.Gauge("ballast_assets_calibrated", "Listed assets that have a fit.", float64(r.Calibrated))
	p.Gauge("ballast_warmup_open_interest_ratio",
		"Share of the venue's open interest whose assets are calibrated, 0 to 1; ready from 0.8 on.", r.OpenInterest)
	s.writeLimitsMetrics(p)
	s.writeJournalMetrics(p)
	s.writeWatchMetrics(p)
	s.writeAccuracyMetrics(p)
	s.writeRequests(p)
	s.writeLoad(p)

	cache := s.cfg.Cache
	venue := &cache.Venue
	p.Switch("ballast_venue_connected", "1 while a socket to the venue is open.", venue.Connected.Load())
	p.Switch("ballast_venue_breaker_open", "1 while the venue refuses requests and few are sent.",
		venue.BreakerOpen.Load())
	p.Gauge("ballast_venue_clock_offset_seconds", "The venue's clock less that of this machine.",
		float64(venue.Clock.SkewMs())/1e3)
	p.Gauge("ballast_venue_last_message_age_seconds", "Age of the venue's newest message, negative before the first.",
		cache.LastMessageAge(marketcache.Now()).Seconds())
	p.Switch("ballast_venue_notice",
		"1 while the venue has a notice, such as that only post-only orders are accepted; GET /health has its text.",
		cache.Rules().CurrentNotice(marketcache.Now()) != "")
	if x := venue.WalletStreams.Load(); x != nil {
		writeStreamMetrics(p, x)
	}
	p.Gauge("ballast_wallets_cached", "Wallets whose state is held.", float64(cache.Accounts()))
	p.Family(promtext.Counter, "ballast_wallet_read_failures_total",
		"Wallets that were not read, by reason: share (of the key), budget (of the process), venue, unavailable, "+
			"other "+
			"(took too long).")
	for i, k := range loadKinds {
		p.Sample(float64(s.metrics.loadErrors[i].Load()), "reason", k.name)
	}
	p.Gauge("ballast_keys", "API keys held, revoked ones included.", float64(s.cfg.Keys.Len()))
	p.Switch("ballast_keys_unavailable", "1 while keys cannot be judged and every request that needs one is refused.",
		!s.cfg.Keys.Trusted(time.Now()))
	p.Gauge("ballast_calibration_failed_assets",
		"Assets whose newest fit failed and that are served with the last good one.", float64(s.failedFits()))
	s.writeAlerts(p)
	if s.cfg.Metrics != nil {
		s.cfg.Metrics(p)
	}
	p.Process()
}

// writeStreamMetrics writes the families about wallets that are followed by streams.
func writeStreamMetrics(p *promtext.Page, x *marketcache.WalletStreams) {
	p.Gauge("ballast_wallet_streams_followed", "Wallets followed by the venue's streams.", float64(x.Followed))
	p.Gauge("ballast_wallet_streams_limit", "How many may be: --wallet-streams, or what the venue accepted.",
		float64(x.Limit))
	p.Gauge("ballast_wallet_streams_gap_p50_seconds",
		"Median time between two states of a followed wallet, negative before the first.", x.GapP50.Seconds())
	p.Gauge("ballast_wallet_streams_gap_p90_seconds", "Its 90 % quantile.", x.GapP90.Seconds())
	p.Counter("ballast_wallet_streams_refused_total", "Wallets that the venue refused to stream.", float64(x.Refused))
	p.Counter("ballast_wallet_streams_confirmed_total", "Comparisons with a read in which the streams were right.",
		float64(x.Confirmed))
	p.Counter("ballast_wallet_streams_differed_total",
		"Those in which they were not, nor was the read before.", float64(x.Differed))
	p.Counter("ballast_wallet_streams_dropped_total", "Frames of wallets that could not be used.", float64(x.Dropped))
}

// writeRequests writes the families about requests and answers.
func (s *Server) writeRequests(p *promtext.Page) {
	m := s.metrics
	p.Family(promtext.Counter, "ballast_http_requests_total",
		"Requests answered, by endpoint and status; statuses that are not counted one by one are other.")
	for r := range routeTable {
		for i := range len(statuses) + 1 {
			n := m.sum(func(t *tally) *atomic.Uint64 { return &t.routes[r].requests[i] })
			if n == 0 {
				continue
			}
			status := "other"
			if i < len(statuses) {
				status = strconv.Itoa(statuses[i])
			}
			p.Sample(float64(n), "endpoint", routeTable[r].name, "status", status)
		}
	}
	p.Family(promtext.Histogram, "ballast_http_request_duration_seconds",
		"From taking a request up to its answer being ready to be sent, by endpoint. Answers with a status from "+
			"400 on "+
			"are left out.")
	for r := range routeTable {
		counts := m.counted(r)
		if _, asked := counts.quantile(0); asked > 0 || r == routeValidate {
			ns := m.sum(func(t *tally) *atomic.Uint64 { return &t.routes[r].latencyNs })
			p.Distribution(bucketBounds[:], counts[:], float64(ns)/1e9, "endpoint", routeTable[r].name)
		}
	}
	p.Family(promtext.Counter, "ballast_assessments_total", "Trades assessed, those of batches too, by recommendation.")
	for r := range risk.Recommendation(3) {
		p.Sample(float64(m.sum(func(t *tally) *atomic.Uint64 { return &t.verdicts[r] })), "recommendation", r.String())
	}
	p.Family(promtext.Counter, "ballast_errors_total", "Answers with an error, by its code.")
	for _, code := range api.Codes() {
		p.Sample(float64(m.errors[code].Load()), "code", metricCode(code))
	}
	p.Counter("ballast_assessments_not_finite_total",
		"Assessments that were not answered because a figure was infinite or no number.", float64(m.notFinite.Load()))
	p.Counter("ballast_http_panics_total", "Panics in requests, each answered 500, and in the work beside them.",
		float64(s.supervisor.Panics()))
}

// metricCode returns an error code as a label. The codes of 401 are sentences.
func metricCode(code string) string {
	switch code {
	case api.MissingAuthorization:
		return "missing_authorization"
	case api.InvalidKey:
		return "invalid_api_key"
	}
	return code
}

// writeLoad writes the families about work in progress and its limits.
func (s *Server) writeLoad(p *promtext.Page) {
	queued := func(k admission.Kind) float64 { return float64(s.admission.InQueue(k)) }
	p.Gauge("ballast_requests_in_flight", "Requests admitted and not yet answered.", float64(s.admission.InSystem()))
	p.Gauge("ballast_requests_in_flight_limit", "How many may be, --max-in-flight.", float64(s.cfg.MaxInFlight))
	p.Gauge("ballast_batches_in_flight", "Batches among them.", queued(admission.Batch))
	p.Gauge("ballast_simulations_in_flight", "Requests with simulations among them.",
		queued(admission.Simulation)+queued(admission.SimulatedBatch))
	p.Gauge("ballast_requests_waiting", "Requests among them that wait for the venue.", float64(s.admission.Outside()))
	p.Family(promtext.Gauge, "ballast_request_cost_seconds",
		"Average time that a request takes without its waits, by kind, from which overload is judged; "+
			"0 before the first.")
	for k := range admission.KindCount {
		p.Sample(s.admission.Cost(k).Seconds(), "kind", k.String())
	}
	p.Gauge("ballast_connections", "Connections of clients.", float64(s.transport.Open()))
	p.Gauge("ballast_connections_limit",
		"How many there may be: --max-connections, or what the limit of open files leaves.", float64(s.cfg.MaxConns))
	p.Family(promtext.Counter, "ballast_connections_refused_total",
		"Connections refused, by the limit that was reached: of keys all or key, for alert sockets without a key "+
			"sockets, sockets_of_address.")
	for _, r := range transport.Refusals {
		p.Sample(float64(s.transport.Refused(r)), "reason", r.String())
	}
	p.Counter("ballast_connections_replaced_total",
		"Connections that were closed in favour of another one.", float64(s.transport.Replaced()))
}

// writeAlerts writes the families about alert sockets.
func (s *Server) writeAlerts(p *promtext.Page) {
	a := s.hub.Stats()
	connections, subscriptions := s.hub.Counts()
	p.Gauge("ballast_alert_connections", "Alert sockets.", float64(connections))
	p.Gauge("ballast_alert_subscriptions", "Wallets subscribed, over all sockets.", float64(subscriptions))
	p.Counter("ballast_alert_refused_total", "Handshakes that were faulty, or came while none were taken.",
		float64(a.Refused.Load()))
	p.Counter("ballast_alert_delivered_total", "Alerts written to sockets.", float64(a.Delivered.Load()))
	p.Counter("ballast_alert_slow_consumers_total", "Alert sockets closed because their client did not read.",
		float64(a.SlowConsumers.Load()))
	p.Counter("ballast_alert_crowded_out_total", "Alert sockets closed because one wallet had too many thresholds.",
		float64(a.CrowdedOut.Load()))
	p.Counter("ballast_alert_invalid_configs_total", "Messages that were no subscription.",
		float64(a.InvalidConfigs.Load()))
	p.Counter("ballast_alert_panics_total", "Panics of alert sockets, each of which cost one socket.",
		float64(s.hub.Panics()))
	p.Counter("ballast_alert_fanout_local_total", "Results of monitor calls that the other replicas did not confirm.",
		float64(s.metrics.fanoutLocal.Load()))
}

// metricsHandler answers GET /metrics.
func (s *Server) metricsHandler(x *exchange) {
	var p promtext.Page
	s.writeMetrics(&p)
	x.reply(fasthttp.StatusOK, typeMetrics, p.Bytes())
}
