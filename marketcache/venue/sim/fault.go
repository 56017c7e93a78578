package sim

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"ballast/marketcache/venue/hyperliquid"
)

// faultKind says what may follow the colon after a fault's name.
type faultKind uint8

const (
	plain    faultKind = iota
	argument           // a coin or a request type; without one: all of them
	duration           // a duration, or a number of seconds; without one: the fault's default
	factor             // a number, and optionally a colon and a coin
)

// faultTable lists every fault: its kind, default duration and effect. venuesim prints it as its help.
var faultTable = []faultRow{
	// Sockets.
	{"stall", argument, 0, "sockets stay open and say nothing; with a coin only its streams stop"},
	{"half-open", plain, 0, "sockets are neither read nor written, connections stay up"},
	{"disconnect", duration, 10 * time.Second, "every socket is closed (1000) this long after it opened"},
	{"freeze-fast", argument, 0, `l2Book streams with "fast" stop`},
	{"freeze-deep", argument, 0, `l2Book streams without "fast" stop`},
	{"freeze-contexts", plain, 0, "the streams of contexts stop, fastAssetCtxs included"},
	{"no-ack", plain, 0, "subscriptions work but are not acknowledged"},
	// Sockets and requests.
	{"garbage", argument, 0, "bytes that are not JSON instead of answers and frames"},
	{"truncated", argument, 0, "answers and frames stop in the middle"},
	{"down", plain, 0, "connections are dropped without a byte, sockets closed"},
	// Requests.
	{"429", argument, 0, "HTTP 429 with an HTML page; a number after the colon adds Retry-After seconds"},
	{"retry-after", duration, time.Hour, "a Retry-After on every 429 (a number is seconds)"},
	{"500", argument, 0, "HTTP 500 with body null"},
	{"502", argument, 0, "HTTP 502 with an HTML page"},
	{"html", argument, 0, "HTTP 200 with an HTML page"},
	{"null", argument, 0, "HTTP 200 with body null"},
	{"empty", argument, 0, "HTTP 200 without a body"},
	{"flood", argument, 0, "HTTP 200 with 64 MB of spaces before the answer"},
	{"slow", duration, 3 * time.Second, "answers come this much later"},
	// Times.
	{"stale-time", argument, 0, "books and trades are stamped a minute ago"},
	{"out-of-order", argument, 0, "every other book is stamped five seconds before the last"},
	{"skew", duration, 5 * time.Second, "the venue's clock is off by this much (skew:-5s, skew:+1h)"},
	// The venue's notice.
	{"post-only", plain, 0, "exchangeStatus says that only post-only orders are accepted"},
	{"notice", argument, 0, "exchangeStatus has a notice: the text after the colon"},
	// Books.
	{"crossed", argument, 0, "best bid above best ask"},
	{"locked", argument, 0, "best bid equals best ask"},
	{"one-sided", argument, 0, "no asks"},
	{"empty-book", argument, 0, "neither side"},
	{"nan", argument, 0, `px "NaN" and sz "Infinity" at the top of books, mark "NaN"`},
	{"huge", argument, 0, `px and sz "1e308" at the top of books`},
	{"negative", argument, 0, "negative px, zero sz at the top of books"},
	{"unsorted", argument, 0, "levels in reverse order"},
	{"duplicate", argument, 0, "every level twice"},
	// Contexts.
	{"bad-context", argument, 0, `markPx "NaN" in contexts`},
	{"mark-scale", factor, 0, "markPx in contexts is that many times itself (mark-scale:0.9:BTC)"},
	{"swap-contexts", plain, 0, "the first two contexts of every dex have changed places, the universe has not"},
	{"reverse-contexts", plain, 0, "contexts on sockets come in reverse order, the universe does not"},
	{"reverse-universe", plain, 0, "universe and contexts both come in reverse order"},
	// Accounts and candles.
	{"old-account", plain, 0, "every other clearinghouseState is the one from before the fault, with its time"},
	{"future-bars", argument, 0, "two more candles after the forming one"},
	// The listing.
	{"bad-listing", plain, 0, "more rows in the main universe: zero and null leverage, a space, negative digits, a name twice, null"},
	{"delist", argument, 0, "isDelisted, null mid, premium and impact prices, empty book"},
	{"isolated", argument, 0, "the asset becomes strictIsolated"},
	{"leverage", argument, 0, "maximum leverage and margin table fall to 3"},
	{"cap", argument, 0, "listed in perpsAtOpenInterestCap"},
	{"meta-mismatch", plain, 0, "the first context is missing: one fewer than the universe"},
	{"big-meta", plain, 0, "universe and contexts a hundred times over, with unknown fields"},
}

type faultRow struct {
	name  string
	kind  faultKind
	def   time.Duration
	about string
}

// faults is a set of active faults. Immutable; replaced by pointer.
type faults struct {
	text  string
	set   map[[2]string]bool // name and argument, "" for all
	times map[string]time.Duration
	marks map[string]float64 // mark-scale by coin, "" for all
}

// parseFaults parses "name[:argument],…". The empty string means no fault.
func parseFaults(text string) (*faults, error) {
	f := &faults{set: map[[2]string]bool{}, times: map[string]time.Duration{}, marks: map[string]float64{}}
	var parts []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		if err := f.add(part); err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	f.text = strings.Join(parts, ",")
	return f, nil
}

func (f *faults) add(part string) (err error) {
	name, arg, has := strings.Cut(part, ":")
	i := slices.IndexFunc(faultTable, func(row faultRow) bool { return row.name == name })
	if i < 0 {
		return fmt.Errorf("unknown fault %q (have %s)", name, strings.Join(slices.Sorted(maps.Keys(FaultHelp())), ", "))
	}
	seconds, notNumber := strconv.ParseUint(arg, 10, 16)
	switch row := faultTable[i]; {
	case row.kind == factor:
		number, coin, _ := strings.Cut(arg, ":")
		f.marks[coin], err = strconv.ParseFloat(number, 64)
	case row.kind == duration && !has:
		f.times[name] = row.def
	case (row.kind == duration || name == "429") && notNumber == nil:
		f.times[name], f.set[[2]string{name}] = time.Duration(seconds)*time.Second, true
	case row.kind == duration:
		f.times[name], err = time.ParseDuration(arg)
	case has && (row.kind == plain || arg == ""):
		err = fmt.Errorf("no argument %q", arg)
	default:
		f.set[[2]string{name, arg}] = true
	}
	if err != nil {
		return fmt.Errorf("fault %s: %w", name, err)
	}
	return nil
}

// FaultHelp returns a line of help for each fault, by name.
func FaultHelp() map[string]string {
	help := make(map[string]string, len(faultTable))
	for _, row := range faultTable {
		help[row.name] = row.about
	}
	return help
}

// on reports whether a fault is active for a coin or request type.
func (f *faults) on(name, arg string) bool {
	return len(f.set) > 0 && (f.set[[2]string{name}] || f.set[[2]string{name, arg}])
}

// scale returns the factor on a coin's mark, if there is one.
func (f *faults) scale(coin string) (x float64, has bool) {
	if x, has = f.marks[coin]; !has {
		x, has = f.marks[""]
	}
	return x, has
}

// mute reports whether all sockets are silent.
func (f *faults) mute() bool { return f.on("half-open", "") || f.on("stall", "") }

// silences reports whether a subscription's stream has stopped.
func (f *faults) silences(s *hyperliquid.Subscription) bool {
	switch {
	case f.on("stall", s.Coin):
		return true
	case s.Type == "l2Book" && s.Fast:
		return f.on("freeze-fast", s.Coin)
	case s.Type == "l2Book":
		return f.on("freeze-deep", s.Coin)
	case strings.HasSuffix(s.Type, "ssetCtxs"), s.Type == "activeAssetCtx":
		return f.on("freeze-contexts", "")
	}
	return false
}

// spoil applies the faults garbage and truncated to an answer or a frame of a type.
func (f *faults) spoil(b []byte, kind string) []byte {
	switch {
	case f.on("garbage", kind):
		return []byte("\x00\x7f{]not json ")
	case f.on("truncated", kind):
		return b[:len(b)/2]
	}
	return b
}

// skewMs returns the error of the venue's clock.
func (f *faults) skewMs() int64 { return f.times["skew"].Milliseconds() }

// bookMs returns a book's time with the faults applied.
func (f *faults) bookMs(coin string, ms int64) int64 {
	ms += f.skewMs()
	if f.on("stale-time", coin) {
		ms -= 60_000
	}
	if f.on("out-of-order", coin) && ms/500%2 == 1 {
		ms -= 5_000
	}
	return ms
}
