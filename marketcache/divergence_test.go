package marketcache

import (
	"math"
	"testing"
	"time"
)

func TestDivergence(t *testing.T) {
	asset := &Asset{ID: 3, Name: "A"}
	market := func(mark, mid, contextMid, oracle float64) *Market {
		return &Market{Asset: asset, Book: &Book{MidPrice: mid}, Context: &Context{MarkPrice: mark,
			MidPrice:    contextMid,
			OraclePrice: oracle}}
	}
	for _, row := range []struct {
		name        string
		m           *Market
		value       float64 // value in USD of a position of 2 units; 0: no position
		with        string
		pct         float64
		contradicts bool
	}{
		{"all agree", market(100, 100, 100, 100), 200, "", 0, false},
		{"no mid", market(100, 0, 0, 100), 0, "", 0, false},
		{"book", market(100, 94, 100, 99), 0, "mid", 6, false},
		{"context", market(100, 0, 107, 99), 0, "mid", 7, false},
		{"oracle", market(100, 99, 0, 121), 0, "oracle", 21, true},
		{"half the mark", market(100, 200, 0, 100), 0, "mid", 100, true},
		{"wallet", market(100, 100, 100, 98), 212, "wallet", 6, true},
		{"wallet, nearly", market(100, 100, 100, 98), 208, "wallet", 4, false},
	} {
		var d Divergence
		d.SeeMarket(row.m)
		if row.value > 0 {
			d.SeePosition(&Position{Asset: 3, Units: -2, ValueUSD: row.value}, row.m)
		}
		if d.With != row.with || d.Pct < row.pct-1e-9 || d.Pct > row.pct+1e-9 || d.Contradiction != row.contradicts ||
			d.With != "" && d.Asset != 3 {
			t.Errorf("%s: %+v", row.name, d)
		}
	}
}

// Only prices of one moment are compared.
func TestDivergenceAtOneMoment(t *testing.T) {
	const book = 3 * time.Second // the oldest of the moment of a mark of 1 s
	for _, row := range []struct {
		name              string
		context           Context
		bookAge           time.Duration // 0: no book
		with              string
		pct, mark         float64
		markAge, otherAge time.Duration
	}{
		{"the oracle of the mark's frame", Context{MarkPrice: 101, PairMark: 100, OraclePrice: 90},
			0, "oracle", 10, 100, 9 * time.Second, 9 * time.Second},
		{"both have moved together since the oracle's frame", Context{MarkPrice: 102, PairMark: 100, OraclePrice: 100},
			0, "", 0, 0, 0, 0},
		{"the mark has moved since the oracle's frame", Context{MarkPrice: 94, PairMark: 100, OraclePrice: 90},
			0, "", 0, 0, 0, 0},
		{"a book of another moment", Context{MarkPrice: 100}, book + 1, "", 0, 0, 0, 0},
		{"a book of the same moment", Context{MarkPrice: 100}, book, "mid", 10, 100, time.Second, book},
	} {
		m := &Market{Asset: &Asset{ID: 3, Name: "A"}, Context: &row.context, ContextAge: time.Second,
			SlowAge: 9 * time.Second, BookAge: row.bookAge}
		if row.bookAge > 0 {
			m.Book = &Book{MidPrice: 90}
		}
		var d Divergence
		d.SeeMarket(m)
		if d.With != row.with || math.Abs(d.Pct-row.pct) > 1e-9 || d.Mark != row.mark || d.MarkAge != row.markAge ||
			d.OtherAge != row.otherAge {
			t.Errorf("%s: %+v", row.name, d)
		}
	}
	var d Divergence
	d.SeePosition(&Position{Asset: 3, Units: 1, ValueUSD: 1}, &Market{Asset: &Asset{Delisted: true},
		Context: &Context{MarkPrice: 100}})
	d.SeePosition(&Position{Asset: NoAsset, Units: 1, ValueUSD: 1}, &Market{})
	if d != (Divergence{}) {
		t.Errorf("a delisted or unknown asset has a gap: %+v", d)
	}
}
