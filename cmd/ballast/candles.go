package main

import (
	"bufio"
	"compress/gzip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"ballast/compute/vol"
	"ballast/marketcache"
)

// candleColumns are the columns of a candle file, found by the names in its first line;
// others are ignored. ts is the open time in ms since 1970 UTC, a whole hour.
var candleColumns = [6]string{"ts", "open", "high", "low", "close", "volume"}

// readCandles reads the hourly bars of a CSV file, plain or gzip, oldest first. Of rows
// with the same ts the first stays; missing hours stay missing. Whatever cannot be a bar
// is an error that names the line.
func readCandles(path string) ([]marketcache.Bar, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	plain, err := unzipped(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	bars, err := parseCandles(plain)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return bars, nil
}

// unzipped looks at the content, not at the name.
func unzipped(r io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	if magic, err := b.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		return gzip.NewReader(b)
	}
	return b, nil
}

// byteOrderMark is what some spreadsheets write first.
const byteOrderMark = "\ufeff"

func parseCandles(r io.Reader) ([]marketcache.Bar, error) {
	text := bufio.NewReader(r)
	if mark, err := text.Peek(len(byteOrderMark)); err == nil && string(mark) == byteOrderMark {
		text.Discard(len(byteOrderMark))
	}
	rows := csv.NewReader(text)
	rows.ReuseRecord = true
	header, err := rows.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty")
	}
	if err != nil {
		return nil, err
	}
	column, err := findColumns(header)
	if err != nil {
		return nil, fmt.Errorf("line 1: %w", err)
	}
	var bars []marketcache.Bar
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err // names the line itself
		}
		if bars, err = appendRow(bars, row, column); err != nil {
			line, _ := rows.FieldPos(0)
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
	if len(bars) == 0 {
		return nil, errors.New("no candle in the file")
	}
	return bars, checkHourly(bars)
}

// checkHourly refuses candles of another length: read as hourly ones they would be an
// asset that hardly ever trades. A few rows far apart may be all there is of a listing.
func checkHourly(bars []marketcache.Bar) error {
	const enough = 24
	closest := int64(math.MaxInt64)
	for i := 1; i < len(bars); i++ {
		closest = min(closest, bars[i].OpenMs-bars[i-1].OpenMs)
	}
	if len(bars) < enough || closest == hourMs {
		return nil
	}
	return fmt.Errorf("want hourly candles: of %d rows no two are closer than %d h", len(bars), closest/hourMs)
}

func findColumns(header []string) (column [len(candleColumns)]int, err error) {
	for i := range header {
		header[i] = strings.TrimSpace(header[i])
	}
	for i, name := range candleColumns {
		if column[i] = slices.Index(header, name); column[i] < 0 {
			return column, fmt.Errorf("no column %q among %q, want %s", name, header, strings.Join(candleColumns[:], ","))
		}
	}
	return column, nil
}

// appendRow appends the bar of a row, unless there is one for its hour.
func appendRow(bars []marketcache.Bar, row []string, column [len(candleColumns)]int) ([]marketcache.Bar, error) {
	field := func(i int) string { return strings.TrimSpace(row[column[i]]) }
	ms, err := strconv.ParseInt(field(0), 10, 64)
	if err != nil {
		return nil, fmt.Errorf("ts %q is not a whole number of ms", field(0))
	}
	var v [len(candleColumns)]float64
	for i := 1; i < len(v); i++ {
		if v[i], err = strconv.ParseFloat(field(i), 64); err != nil || math.IsNaN(v[i]) {
			return nil, fmt.Errorf("%s %q is not a number", candleColumns[i], field(i))
		}
	}
	b := marketcache.Bar{OpenMs: ms, Open: v[1], High: v[2], Low: v[3], Close: v[4], Volume: v[5]}
	if err := vol.Bar(b).Check(); err != nil {
		return nil, err
	}
	if n := len(bars); n > 0 && ms <= bars[n-1].OpenMs {
		if _, have := slices.BinarySearchFunc(bars, ms, func(b marketcache.Bar, ms int64) int { return int(min(1, max(-1, b.OpenMs-ms))) }); have {
			return bars, nil
		}
		return nil, fmt.Errorf("ts %d comes after %d: rows must be in order of time", ms, bars[n-1].OpenMs)
	}
	return append(bars, b), nil
}

// moment is a time given on the command line: an RFC 3339 date or time, UTC when it says
// nothing else. The zero moment was not given.
type moment struct {
	ms    int64
	given bool
}

// UnmarshalText makes a moment of a flag's value.
func (m *moment) UnmarshalText(text []byte) error {
	for _, layout := range []string{time.DateOnly, time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04"} {
		if at, err := time.Parse(layout, string(text)); err == nil {
			*m = moment{at.UnixMilli(), true}
			return nil
		}
	}
	return fmt.Errorf("%q is neither a date like 2023-06-15 nor a time like 2023-06-15T00:00:00Z", text)
}

// between returns the bars with from <= open time < to.
func between(bars []marketcache.Bar, from, to moment) []marketcache.Bar {
	for from.given && len(bars) > 0 && bars[0].OpenMs < from.ms {
		bars = bars[1:]
	}
	for to.given && len(bars) > 0 && bars[len(bars)-1].OpenMs >= to.ms {
		bars = bars[:len(bars)-1]
	}
	return bars
}
