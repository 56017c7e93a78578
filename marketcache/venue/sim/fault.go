package sim

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"
)

// faultKind says what the part after a fault's colon means.
type faultKind uint8

const (
	perCoin   faultKind = iota // a coin; without one: every coin
	perType                    // a request type; without one: every request
	perServer                  // nothing
	duration                   // a duration, with a default
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
	{"no-ack", perServer, 0, "subscriptions work but are not acknowledged"},
	// Both ways.
	{"garbage", perType, 0, "bytes that are not JSON instead of answers and frames"},
	{"truncated", perType, 0, "answers and frames stop in the middle"},
	{"down", perServer, 0, "connections are dropped without a byte, sockets closed"},
	// Answers.
	{"429", perType, 0, "HTTP 429 with body null; a number after the colon adds Retry-After seconds"},
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
	// The listing.
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
}

// parseFaults reads "name[:argument],…". The empty string is no fault.
func parseFaults(text string) (*faults, error) {
	f := &faults{all: map[string]bool{}, args: map[string]map[string]bool{}, times: map[string]time.Duration{}}
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
