package hyperliquid

import (
	"context"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/goccy/go-json"

	"ballast/marketcache"
)

// This file is what a relay needs that asks the venue for several adapters behind one
// address: what a question weighs, the meter that keeps the address within its budget,
// and the headers by which adapter and relay tell each other what the venue's protocol
// has no word for. None of them changes what the venue answers.

const (
	// HeaderPriority says how urgent a question is, in the form of RFC 9218: "u=0" a
	// caller waits for a wallet, … "u=5" the newest hours of a history.
	HeaderPriority = "Priority"
	// HeaderAge is HTTP's: the answer has lain in a cache on the way for that many
	// seconds. The adapter dates such an answer back.
	HeaderAge = "Age"
	// HeaderRefusal marks an answer that is a relay's own, to a question that it did not
	// put to the venue. With it, a 429 says that more urgent questions spend the address's
	// budget: the adapter takes that one question for refused and nothing else, because it
	// is the relay that slows down for the venue.
	HeaderRefusal = "Relay-Refusal"
	// ChannelAge is the channel of a frame that only a relay sends: the next frame on the
	// connection has been under way for so many ms (data) since the relay took it from the
	// venue. The adapter dates that frame's arrival back.
	ChannelAge = "age"
)

// AppendAge appends a frame of ChannelAge.
func AppendAge(dst []byte, age time.Duration) []byte {
	dst = append(dst, `{"channel":"`+ChannelAge+`","data":`...)
	return append(strconv.AppendInt(dst, age.Milliseconds(), 10), '}')
}

// readFrameAge reads the data of such a frame; at most an hour.
func readFrameAge(data []byte) (age time.Duration, ok bool) {
	s := scanner{b: data}
	ms := s.integer()
	if !s.end() || ms < 0 {
		return 0, false
	}
	return time.Duration(min(ms, 3_600_000)) * time.Millisecond, true
}

// header writes a priority for HeaderPriority.
func (p priority) header() string { return "u=" + strconv.Itoa(int(p)) }

// readPriority reads HeaderPriority; what does not say is for a table.
func readPriority(header string) priority {
	for part := range strings.SplitSeq(header, ",") {
		if v, ok := strings.CutPrefix(strings.TrimSpace(part), "u="); ok {
			if n, err := strconv.Atoi(v); err == nil && n >= 0 {
				return min(priority(n), priorities-1)
			}
		}
	}
	return forTables
}

// readAge reads HeaderAge; 0 when there is none.
func readAge(v string) time.Duration {
	s, err := strconv.Atoi(v)
	if err != nil {
		return 0
	}
	return time.Duration(max(0, min(s, 3600))) * time.Second
}

// Question is a request body as the venue's budget sees it.
type Question struct {
	InfoRequest
	// Weight is the documented weight without rows, Most the surcharge for rows at most.
	Weight, Most int
	rowsPer      int // rows to one more weight; 0: no surcharge
}

// ReadQuestion reads a request body at the venue's time nowMs; false when it is not one.
func ReadQuestion(body []byte, nowMs int64) (q Question, ok bool) {
	if json.Unmarshal(body, &q.InfoRequest) != nil || q.Type == "" {
		return q, false
	}
	hours := func(start, end *int64, most int) int {
		from, to := int64(0), nowMs+hourMs
		if start != nil {
			from = *start
		}
		if end != nil {
			to = min(to, *end)
		}
		return int(max(1, min((to-from)/hourMs+2, int64(most))))
	}
	switch q.Type {
	case "l2Book", "allMids", "clearinghouseState", "spotClearinghouseState", "exchangeStatus":
		q.Weight = 2
	case "userRole":
		q.Weight = 60
	case "candleSnapshot":
		if q.Req == nil {
			return q, false
		}
		rows := candleRows
		if q.Req.Interval == "1h" {
			rows = hours(&q.Req.StartTime, q.Req.EndTime, candleRows)
		}
		q.Weight, q.rowsPer, q.Most = 20, rowsPerCandle, perRows(rows, rowsPerCandle)
	case "fundingHistory":
		q.Weight, q.rowsPer, q.Most = 20, rowsPerFunding, perRows(hours(q.StartTime, q.EndTime, fundingPage), rowsPerFunding)
	default:
		q.Weight = 20
	}
	return q, true
}

// Weighed returns what the question weighed, given its answer.
func (q *Question) Weighed(answer []byte) int {
	if q.rowsPer == 0 {
		return q.Weight
	}
	return q.Weight + perRows(countRows(answer), q.rowsPer)
}

// Meter keeps all who ask from one address within its request weight: the adapter's own
// budget, for a program that asks on behalf of several adapters. It is safe for
// concurrent use.
type Meter struct{ b *budget }

// NewMeter returns a meter of limit weight in any minute; 0: no limit.
func NewMeter(limit int) *Meter { return &Meter{newBudget(limit, nil)} }

// Assume counts weight as spent at an instant, which may lie in the past.
func (m *Meter) Assume(weight int, at marketcache.Instant) { m.b.assume(weight, at) }

// Take waits until a question's weight and all of its surcharge is granted, the more
// urgent first by its HeaderPriority. It fails with ErrBudget when that would take
// longer than patience, and RetryAfter then says how long.
func (m *Meter) Take(ctx context.Context, header string, q *Question, patience time.Duration) (*Grant, error) {
	g, err := m.b.take(ctx, readPriority(header), q.Weight+q.Most, patience)
	if err != nil {
		return nil, err
	}
	return &Grant{g: g, reserved: q.Weight + q.Most}, nil
}

// Refused takes in a 429 of the venue and its Retry-After.
func (m *Meter) Refused(retryAfter string) {
	for _, p := range []priority{forWallet, forLive, forWanted} {
		m.b.refused(p, parseRetryAfter(retryAfter, time.Now()))
	}
}

// Accepted ends a run of refusals.
func (m *Meter) Accepted() {
	for _, p := range []priority{forWallet, forLive, forWanted} {
		m.b.accepted(p)
	}
}

// Used returns the weight that counts now, requests in flight included.
func (m *Meter) Used() int { return m.b.used() }

// Close ends the meter; later questions are refused.
func (m *Meter) Close() { m.b.close() }

// Grant is weight for one question, to be settled once.
type Grant struct {
	g        *grant
	reserved int
	settled  atomic.Bool
}

// Settle says what the question weighed; later calls do nothing.
func (g *Grant) Settle(weighed int) {
	if !g.settled.Swap(true) {
		g.g.settle(g.reserved, weighed)
	}
}

// Urgency returns the rank of a HeaderPriority, 0 the most urgent.
func Urgency(header string) int { return int(readPriority(header)) }

// ReadTopic returns the channel of a frame and, where its data begins with one, the coin
// it is about. It does not check the rest of the frame.
func ReadTopic(b []byte) (channel, coin []byte, ok bool) {
	s := scanner{b: b}
	for more := s.open('{'); more; more = s.next('}') {
		switch string(s.key()) {
		case "channel":
			channel = s.text()
		case "data":
			if s.peek() != '{' {
				return channel, nil, len(channel) > 0 && !s.bad
			}
			for more := s.open('{'); more; more = s.next('}') {
				if string(s.key()) == "coin" {
					coin = s.text()
					return channel, coin, len(channel) > 0 && !s.bad
				}
				s.skip()
			}
		default:
			s.skip()
		}
	}
	return channel, coin, len(channel) > 0 && !s.bad
}
