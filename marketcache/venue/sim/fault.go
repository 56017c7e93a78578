package sim

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"

	"ballast/marketcache/venue/hyperliquid"
)

// faultKind says what the part after a fault's colon means.
type faultKind uint8

const (
	perCoin   faultKind = iota // a coin; without one: every coin
	perType                    // a request type; without one: every request
	perServer                  // nothing
	duration                   // a duration, with a default
	factor                     // a number and, after another colon, a coin
)

// faultTable is every fault: its kind, its default duration and what it does. It is
// the documentation that venuesim prints.
var faultTable = []struct {
	name  string
	kind  faultKind
	def   time.Duration
	about string
}{
	// The socket.
	{"stall", perCoin, 0, "sockets stay open and say nothing; with a coin only its streams stop"},
	{"half-open", perServer, 0, "sockets are neither read nor written, connections stay up"},
	{"disconnect", duration, 10 * time.Second, "every socket is closed (1000) this long after it opened"},
	{"freeze-fast", perCoin, 0, `l2Book streams with "fast" stop`},
	{"freeze-deep", perCoin, 0, `l2Book streams without "fast" stop`},
	{"freeze-contexts", perServer, 0, "the streams of contexts stop, fastAssetCtxs included"},
	{"no-ack", perServer, 0, "subscriptions work but are not acknowledged"},
	// Both ways.
	{"garbage", perType, 0, "bytes that are not JSON instead of answers and frames"},
	{"truncated", perType, 0, "answers and frames stop in the middle"},
	{"down", perServer, 0, "connections are dropped without a byte, sockets closed"},
	// Answers.
	{"429", perType, 0, "HTTP 429 with an HTML page; a number after the colon adds Retry-After seconds"},
	{"retry-after", duration, time.Hour, "a Retry-After on every 429 (a number is seconds)"},
	{"500", perType, 0, "HTTP 500 with body null"},
	{"502", perType, 0, "HTTP 502 with an HTML page"},
	{"html", perType, 0, "HTTP 200 with an HTML page"},
	{"null", perType, 0, "HTTP 200 with body null"},
	{"empty", perType, 0, "HTTP 200 without a body"},
	{"flood", perType, 0, "HTTP 200 with 64 MB of spaces before the answer"},
	{"slow", duration, 3 * time.Second, "answers come this much later"},
	// Times.
	{"stale-time", perCoin, 0, "books and trades are stamped a minute ago"},
	{"out-of-order", perCoin, 0, "every other book is stamped five seconds before the last"},
	{"skew", duration, 5 * time.Second, "the venue's clock is off by this much (skew:-5s, skew:+1h)"},
	// Books.
	{"crossed", perCoin, 0, "best bid above best ask"},
	{"locked", perCoin, 0, "best bid equals best ask"},
	{"one-sided", perCoin, 0, "no asks"},
	{"empty-book", perCoin, 0, "neither side"},
	{"nan", perCoin, 0, `px "NaN" and sz "Infinity" at the top of books, mark "NaN"`},
	{"huge", perCoin, 0, `px and sz "1e308" at the top of books`},
	{"negative", perCoin, 0, "negative px, zero sz at the top of books"},
	{"unsorted", perCoin, 0, "levels in reverse order"},
	{"duplicate", perCoin, 0, "every level twice"},
	// Contexts.
	{"bad-context", perCoin, 0, `markPx "NaN" in contexts`},
	{"mark-scale", factor, 0, "markPx in contexts is that many times itself (mark-scale:0.9:BTC)"},
	{"swap-contexts", perServer, 0, "the first two contexts of every dex have changed places, the universe has not"},
	{"reverse-contexts", perServer, 0, "contexts on sockets come in reverse order, the universe does not"},
	{"reverse-universe", perServer, 0, "universe and contexts both come in reverse order"},
	// Accounts and candles.
	{"old-account", perServer, 0, "every other clearinghouseState is the one from before the fault, with its time"},
	{"future-bars", perCoin, 0, "two more candles after the forming one"},
	// The listing.
	{"bad-listing", perServer, 0, "more rows in the main universe: zero and null leverage, a space, negative digits, a name twice, null"},
	{"delist", perCoin, 0, "isDelisted, null mid, premium and impact prices, empty book"},
	{"isolated", perCoin, 0, "the asset becomes strictIsolated"},
	{"leverage", perCoin, 0, "maximum leverage and margin table fall to 3"},
	{"cap", perCoin, 0, "listed in perpsAtOpenInterestCap"},
	{"meta-mismatch", perServer, 0, "the first context is missing: one fewer than the universe"},
	{"big-meta", perServer, 0, "universe and contexts a hundred times over, with unknown fields"},
}

// faults is a set of active faults. Immutable: switched by replacing the pointer.
type faults struct {
	text  string
	all   map[string]bool            // without an argument
	args  map[string]map[string]bool // with one: coins or request types
	times map[string]time.Duration
	marks map[string]float64 // mark-scale by coin, "" for all
}

// parseFaults reads "name[:argument],…". The empty string is no fault.
func parseFaults(text string) (*faults, error) {
	f := &faults{all: map[string]bool{}, args: map[string]map[string]bool{}, times: map[string]time.Duration{}, marks: map[string]float64{}}
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		name, arg, has := strings.Cut(part, ":")
		if err := f.add(name, arg, has); err != nil {
			return nil, err
		}
		if f.text != "" {
			f.text += ","
		}
		f.text += part
	}
	return f, nil
}

func (f *faults) add(name, arg string, has bool) error {
	for _, row := range faultTable {
		if row.name != name {
			continue
		}
		switch {
		case row.kind == duration && !has:
			f.times[name] = row.def
		case row.kind == factor:
			number, coin, _ := strings.Cut(arg, ":")
			x, err := strconv.ParseFloat(number, 64)
			if err != nil {
				return fmt.Errorf("fault %s: %w", name, err)
			}
			f.marks[coin] = x
		case row.kind == duration && isNumber(arg):
			seconds, _ := strconv.Atoi(arg)
			f.times[name] = time.Duration(seconds) * time.Second
		case row.kind == duration:
			d, err := time.ParseDuration(arg)
			if err != nil {
				return fmt.Errorf("fault %s: %w", name, err)
			}
			f.times[name] = d
		case !has:
			f.all[name] = true
		case row.kind == perServer || arg == "":
			return fmt.Errorf("fault %s takes no argument %q", name, arg)
		case name == "429" && isNumber(arg):
			seconds, _ := strconv.Atoi(arg)
			f.all[name], f.times["retry"] = true, time.Duration(seconds)*time.Second
		default:
			if f.args[name] == nil {
				f.args[name] = map[string]bool{}
			}
			f.args[name][arg] = true
		}
		return nil
	}
	return fmt.Errorf("unknown fault %q (have %s)", name, strings.Join(FaultNames(), ", "))
}

func isNumber(s string) bool {
	_, err := strconv.ParseUint(s, 10, 16)
	return err == nil
}

// FaultNames lists the faults that can be switched on, sorted.
func FaultNames() []string {
	names := make([]string, 0, len(faultTable))
	for _, row := range faultTable {
		names = append(names, row.name)
	}
	sort.Strings(names)
	return names
}

// FaultHelp returns a line of documentation for each fault, by its name.
func FaultHelp() map[string]string {
	help := make(map[string]string, len(faultTable))
	for _, row := range faultTable {
		help[row.name] = row.about
	}
	return help
}

// on reports whether a fault is active for a coin or request type.
func (f *faults) on(name, arg string) bool { return f.all[name] || f.args[name][arg] }

// scale is the factor on a coin's mark, if there is one.
func (f *faults) scale(coin string) (x float64, has bool) {
	if x, has = f.marks[coin]; !has {
		x, has = f.marks[""]
	}
	return x, has
}

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

// skewMs is the venue's clock error.
func (f *faults) skewMs() int64 { return f.times["skew"].Milliseconds() }

// bookMs shifts a book's time.
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
