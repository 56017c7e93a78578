package relay

import (
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"

	"ballast/marketcache"
)

// The names of NATS headers.
const (
	headerStamp   = "Relay"    // of every message down, and of the answer to a want
	headerReplica = "Replica"  // who wants
	headerPart    = "Part"     // of an answer: number of this part and of all, from 1
	headerStatus  = "Code"     // HTTP status of an answer
	headerType    = "Content"  // content type of an answer
	headerDate    = "Date"     // of the venue, on an answer to this very question
	headerAge     = "Age"      // seconds, on any other answer
	headerRetry   = "Retry"    // Retry-After
	headerRefusal = "Refusal"  // set on a refusal of the relay's own
	headerUrgency = "Priority" // of a question, RFC 9218
)

// stamp is what every message down carries.
type stamp struct {
	seq  uint64              // of its epoch, from 1, without gaps
	at   marketcache.Instant // of the holder's clock: when the venue's message was read
	line int64               // where it came from; 0: from the holder
	// again marks the last message of a stream sent again to one who has just come.
	again bool
}

func (s stamp) header() nats.Header {
	var b [72]byte
	out := strconv.AppendUint(b[:0], s.seq, 10)
	out = strconv.AppendInt(append(out, ' '), int64(s.at), 10)
	out = strconv.AppendInt(append(out, ' '), s.line, 10)
	if s.again {
		out = append(out, " again"...)
	}
	return nats.Header{headerStamp: []string{string(out)}}
}

func readStamp(text string) (s stamp, ok bool) {
	seq, rest, _ := strings.Cut(text, " ")
	at, rest, _ := strings.Cut(rest, " ")
	line, again, _ := strings.Cut(rest, " ")
	n, err1 := strconv.ParseUint(seq, 10, 64)
	a, err2 := strconv.ParseInt(at, 10, 64)
	l, err3 := strconv.ParseInt(line, 10, 64)
	if err1 != nil || err2 != nil || err3 != nil {
		return s, false
	}
	return stamp{n, marketcache.Instant(a), l, again == "again"}, true
}

// header reads a header of a message, "" without one.
func header(m *nats.Msg, name string) string {
	if v := m.Header[name]; len(v) > 0 {
		return v[0]
	}
	return ""
}

// beat is the holder's sign of life.
type beat struct {
	Holder string `json:"holder"` // the replica's id
	// Spent is the request weight that counts now, Sent the messages sent to the venue in
	// the last minute, Dialed the connections made in it.
	Spent  int         `json:"spent"`
	Sent   int         `json:"sent"`
	Dialed int         `json:"dialed"`
	Lines  []lineState `json:"lines"` // those that are up
}

// lineState is what is known of a line: everything that the venue said on it before
// Proven, by the holder's clock, has been passed on before this beat. 0: nothing yet.
type lineState struct {
	ID     int64               `json:"id"`
	Proven marketcache.Instant `json:"proven"`
}
