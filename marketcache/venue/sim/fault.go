package sim

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// faultKind says what may follow the colon after a fault's name.
type faultKind uint8

const (
	plain    faultKind = iota
	argument           // a coin or a request type; without one: all of them
	duration           // a duration, or a number of seconds; without one: the fault's default
)

// faultTable lists every fault: its kind, default duration and effect. venuesim prints it as its help.
var faultTable = []faultRow{
	// Sockets.
	{"stall", argument, 0, "sockets stay open and say nothing; with a coin only its streams stop"},
	{"half-open", plain, 0, "sockets are neither read nor written, connections stay up"},
	{"disconnect", duration, 10 * time.Second, "every socket is closed (1000) this long after it opened"},
	// Sockets and requests.
	{"garbage", argument, 0, "bytes that are not JSON instead of answers and frames"},
	{"truncated", argument, 0, "answers and frames stop in the middle"},
	{"down", plain, 0, "connections are dropped without a byte, sockets closed"},
	// Requests.
	{"429", argument, 0, "HTTP 429 with an HTML page; a number after the colon adds Retry-After seconds"},
	{"500", argument, 0, "HTTP 500 with body null"},
	{"slow", duration, 3 * time.Second, "answers come this much later"},
	// Times.
	{"stale-time", argument, 0, "books are stamped a minute ago"},
	{"skew", duration, 5 * time.Second, "the venue's clock is off by this much (skew:-5s, skew:+1h)"},
	// Content.
	{"notice", argument, 0, "exchangeStatus has a notice: the text after the colon"},
	{"crossed", argument, 0, "best bid above best ask"},
	{"one-sided", argument, 0, "no asks"},
	{"empty-book", argument, 0, "neither side"},
	{"nan", argument, 0, `px "NaN" and sz "Infinity" at the top of books, mark "NaN"`},
	{"delist", argument, 0, "isDelisted, null mid, premium and impact prices, empty book"},
	{"isolated", argument, 0, "the asset becomes strictIsolated"},
	{"cap", argument, 0, "listed in perpsAtOpenInterestCap"},
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
}

// parseFaults parses "name[:argument],…". The empty string means no fault.
func parseFaults(text string) (*faults, error) {
	f := &faults{set: map[[2]string]bool{}, times: map[string]time.Duration{}}
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

// mute reports whether all sockets are silent.
func (f *faults) mute() bool { return f.on("half-open", "") || f.on("stall", "") }

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
	return ms
}
