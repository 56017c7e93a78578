package watches

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"

	"ballast/server/alerts"
	"ballast/server/api"
)

// The types of events.
const (
	Began          = "alert.began"
	TurnedCritical = "alert.critical"
	Ended          = "alert.ended"
	// These do not last, so they have no end.
	Shifted     = "regime.shifted"
	StopRemoved = "stop.removed"
)

const (
	// maxWaiting is how many events of a watch wait at most, maxDead how many of those that were given up are kept.
	maxWaiting = 1000
	maxDead    = 20
	// keepTrying is how long after its begin an event is posted again.
	keepTrying = 24 * time.Hour
	// firstPause is the mean pause after a post that failed; it doubles up to maxPause.
	firstPause = 5 * time.Second
	maxPause   = 15 * time.Minute
)

// Event is what is posted once: that a condition began, turned critical or ended, or a shift of regime.
type Event struct {
	ID        string      `json:"id"`
	Type      string      `json:"type"`
	Kind      alerts.Kind `json:"kind"`
	Asset     string      `json:"asset,omitempty"` // "": the portfolio
	SinceMs   int64       `json:"since_ms"`        // when the condition began, by the venue's clock
	AtMs      int64       `json:"at_ms"`           // of the result that told it
	Critical  bool        `json:"critical,omitempty"`
	Current   *float64    `json:"current,omitempty"` // nil: the position is gone
	Threshold float64     `json:"threshold"`

	QueuedAt time.Time `json:"queued_at"`
	Attempts int       `json:"attempts,omitempty"`
	Error    string    `json:"error,omitempty"` // of the last attempt
	GaveUpAt time.Time `json:"gave_up_at,omitzero"`
}

// id returns the same id for the same event whoever finds it: it depends on the watch, the condition, its begin and
// what is told of it.
func (e *Event) id(r *Record) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %s %s %s %q %d", r.Key, r.Wallet, e.Type, e.Kind, e.Asset, e.SinceMs))
	return "msg_" + hex.EncodeToString(sum[:16])
}

// body returns what is posted: the alert as a socket with details gets it, in the convention's envelope.
func (e *Event) body(wallet string) []byte {
	a := alerts.Alert{Kind: e.Kind, Critical: e.Critical, Wallet: wallet, Asset: e.Asset, AtMs: e.AtMs,
		Threshold: e.Threshold}
	if e.Current != nil {
		a.Current = *e.Current
	}
	w := api.NewWriter(nil)
	w.Text(`{"type":`, e.Type)
	w.Text(`,"timestamp":`, timeText(e.AtMs))
	w.Text(`,"data":{"alert_type":`, e.Kind.String())
	w.Text(`,"wallet":`, wallet)
	w.TextOrNull(`,"asset":`, e.Asset)
	w.Text(`,"severity":`, Severity(e.Critical))
	if e.Type == Ended {
		w.Text(`,"message":`, e.ended())
	} else {
		w.Text(`,"message":`, string(a.AppendMessage(nil)))
	}
	w.Text(`,"timestamp":`, timeText(e.AtMs))
	w.Raw(`,"current_value":`)
	if e.Current != nil {
		w.Append(strconv.AppendFloat(nil, *e.Current, 'f', -1, 64))
	} else {
		w.Raw("null")
	}
	w.Raw(`,"threshold":`)
	w.Append(strconv.AppendFloat(nil, e.Threshold, 'f', -1, 64))
	w.Text(`,"since":`, timeText(e.SinceMs))
	w.Raw(`}}`)
	return w.Bytes()
}

// ended is the sentence about the end of a condition.
func (e *Event) ended() string {
	subject := e.Asset
	if subject == "" {
		subject = "portfolio"
	}
	text := subject + ": " + e.Kind.String() + " has ended"
	if e.Current == nil {
		return text + ": the position is gone"
	}
	return text + ": now " + strconv.FormatFloat(*e.Current, 'f', 2, 64) + ", the threshold is " +
		strconv.FormatFloat(e.Threshold, 'f', -1, 64)
}

func timeText(ms int64) string { return string(api.AppendTime(nil, ms)) }

// Severity returns the word for it.
func Severity(critical bool) string {
	if critical {
		return "critical"
	}
	return "warning"
}

// posted returns the record after events were posted: done are the ids of those that the receiver took, failure the
// error of the next one, nil if there was none. The events that wait keep their order, so while the first one fails
// none is posted.
func (r *Record) posted(done map[string]bool, failure error, at time.Time) *Record {
	next := r.clone()
	var waiting []Event
	for _, e := range next.Waiting {
		if done[e.ID] {
			next.Posted++
			next.Misses, next.RetryAt, next.Error = 0, time.Time{}, ""
		} else {
			waiting = append(waiting, e)
		}
	}
	next.Waiting = waiting
	if failure == nil || len(waiting) == 0 {
		return next
	}
	next.Misses++
	next.Error = failure.Error()
	waiting[0].Attempts++
	dead := 0
	for i := range waiting {
		if at.Sub(waiting[i].QueuedAt) < keepTrying {
			break
		}
		waiting[i].Error, waiting[i].GaveUpAt = next.Error, at.UTC()
		dead++
	}
	next.giveUp(dead)
	next.RetryAt = at.Add(pause(next.Misses)).UTC()
	if len(next.Waiting) > 0 { // the last attempt is when its time is over
		if end := next.Waiting[0].QueuedAt.Add(keepTrying); end.Before(next.RetryAt) && end.After(at) {
			next.RetryAt = end
		}
	}
	return next
}

// pause returns how long to wait after a number of posts in a row that failed: half to one and a half of the mean.
func pause(misses int) time.Duration {
	mean := min(firstPause<<min(misses-1, 10), maxPause)
	return mean/2 + rand.N(mean)
}
