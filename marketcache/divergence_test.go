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
	for _, row := range []struct {
		name    string
		change  func(m *Market)
		with    string
		pct     float64
		mark    float64
		ages    [2]time.Duration
		context Context
	}{
		{"the oracle of the mark's frame", nil, "oracle", 10, 100, [2]time.Duration{9 * time.Second, 9 * time.Second},
			Context{MarkPrice: 101, PairMark: 100, OraclePrice: 90}},
		{"both have moved together since the oracle's frame", nil, "", 0, 0, [2]time.Duration{},
			Context{MarkPrice: 102, PairMark: 100, OraclePrice: 100}},
		{"the mark has moved since the oracle's frame", nil, "", 0, 0, [2]time.Duration{},
			Context{MarkPrice: 94, PairMark: 100, OraclePrice: 90}},
		{"a book of another moment", func(m *Market) {
			m.Book, m.BookAge = &Book{MidPrice: 90}, 2600*time.Millisecond
		}, "", 0, 0, [2]time.Duration{},
			Context{MarkPrice: 100}},
		{"a book of the same moment", func(m *Market) {
			m.Book, m.BookAge = &Book{MidPrice: 90}, 2500*time.Millisecond
		}, "mid", 10, 100,
			[2]time.Duration{time.Second, 2500 * time.Millisecond}, Context{MarkPrice: 100}},
	} {
		m := &Market{Asset: asset, Context: &row.context, ContextAge: time.Second, SlowAge: 9 * time.Second}
		if row.change != nil {
			row.change(m)
		}
		var d Divergence
		d.SeeMarket(m)
		if d.With != row.with || math.Abs(d.Pct-row.pct) > 1e-9 || d.Mark != row.mark ||
			[2]time.Duration{d.MarkAge, d.OtherAge} != row.ages {
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
