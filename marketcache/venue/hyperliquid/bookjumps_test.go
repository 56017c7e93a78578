package hyperliquid

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

var sizes, prices = regexp.MustCompile(`"sz":"([0-9.]+)"`), regexp.MustCompile(`"px":"([0-9.]+)"`)

// times multiplies the sizes or prices of a book.
func times(book string, of *regexp.Regexp, factor float64) string {
	return of.ReplaceAllStringFunc(book, func(text string) string {
		number := of.FindStringSubmatch(text)[1]
		x, _ := strconv.ParseFloat(number, 64)
		return strings.Replace(text, number, strconv.FormatFloat(x*factor, 'f', -1, 64), 1)
	})
}

// TestBookJumps: sizes or prices that jump in one view of a book alone are never used, and that part of the book
// becomes old. When all views and REST jump together, the new book is used within seconds and nothing becomes old.
// Injects the fault jump of docs/faults.md.
func TestBookJumps(t *testing.T) {
	takesLong(t)
	for _, of := range []*regexp.Regexp{sizes, prices} {
		for _, factor := range []float64{1e6, 200, 1.12, 1.0 / 1.12, 1.0 / 200, 1e-6} {
			for _, view := range []string{"fast", "full", "aggregated", "all"} {
				usual := factor > 0.5 && factor < 2
				if of == sizes && (usual || view == "aggregated" && factor > 1e-6 && factor < 1e6) {
					continue // as a market moves, or the others reach too little of such a book
				}
				t.Run(fmt.Sprint(of.String()[1:3], factor, view), func(t *testing.T) { bookJumps(t, of, factor, view) })
			}
		}
	}
}

func bookJumps(t *testing.T, of *regexp.Regexp, factor float64, view string) {
	changed := false
	play(t, func(v *fakeVenue, _ *Config) {
		v.assets = []string{"A", "B"}
		book := func(coin string, figures int, now time.Time) string {
			text := v.movingBook(coin, figures, now)
			hit := view == "all" || view == "fast" && figures < 0 || view == "full" && figures == 0 ||
				view == "aggregated" && figures > 0
			if changed && coin == "A" && hit {
				return times(text, of, factor)
			}
			return text
		}
		v.push = book
		v.info = func(q infoRequest) reply {
			if q.Type == "l2Book" {
				return reply{status: 200, body: book(q.Coin, q.NSigFigs, v.now())}
			}
			return reply{}
		}
	}, func(s scene) {
		time.Sleep(40 * time.Second)
		whole := s.market(0).Book
		s.v.script(func() { changed = true })
		for at := range 60 {
			time.Sleep(time.Second)
			m := s.market(0)
			depth := m.DepthAge > m.Book.DepthCadence+950*time.Millisecond
			top := m.BookAge > m.Book.Cadence+950*time.Millisecond
			fresh := !top && !depth
			first := m.Book.Bids.Price[0] / whole.Bids.Price[0]
			units := m.Book.Bids.CumUnits[4] / whole.Bids.CumUnits[4]
			last := m.Book.Bids.CumUnits[m.Book.Bids.Len()-1] / whole.Bids.CumUnits[whole.Bids.Len()-1]
			right := first > 0.93 && first < 1.07 && units > 0.02 && units < 50 && last > 0.02 && last < 50
			switch {
			case view != "all" && !right, view == "all" && at > 20 && right:
				s.Errorf("after %d s: best %v, five levels %v, all %v of before", at, first, units, last)
			case view != "all" && at > 40 && fresh:
				s.Errorf("after %d s: %v and %v old", at, m.BookAge, m.DepthAge)
			case view == "all" && at > 20 && !fresh:
				s.Errorf("after %d s: %v and %v old", at, m.BookAge, m.DepthAge)
			}
		}
		s.fresh(1500*time.Millisecond, 1)
	})
}
