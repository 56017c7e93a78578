package candles

import (
	"bufio"
	"cmp"
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

const hourMs = 3_600_000

// columns are the columns of a candle file, found by the names in its first line. Other columns are
// ignored. ts is the open time in ms since 1970 UTC, a whole hour.
var columns = [6]string{"ts", "open", "high", "low", "close", "volume"}

// Read reads the hourly bars of a CSV file, plain or gzip, oldest first. Of several rows with the
// same ts and prices the first is kept; missing hours stay missing. Two rows with the same ts and
// different prices are an error, and so is an invalid row; the error names the line.
func Read(path string) ([]marketcache.Bar, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	plain, err := unzipped(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	bars, err := Parse(plain)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return bars, nil
}

// unzipped decompresses r if its content is gzip, whatever the file's name.
func unzipped(r io.Reader) (io.Reader, error) {
	b := bufio.NewReaderSize(r, 1<<16)
	if magic, err := b.Peek(2); err == nil && magic[0] == 0x1f && magic[1] == 0x8b {
		z, err := gzip.NewReader(b)
		return compressed{z}, asDamage(err)
	}
	return b, nil
}

// compressed is a gzip reader whose errors say what to do.
type compressed struct{ *gzip.Reader }

func (c compressed) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	return n, asDamage(err)
}

func asDamage(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return fmt.Errorf("the compressed file is cut short or damaged (%w): "+
		"copy it again, or make a new one with ballast candles import", err)
}

const (
	maxText    = 32 << 20 // bytes of a file's or an archive's unpacked text: hourly candles of 25 years and more
	maxRow     = 64 << 10 // bytes of one row
	maxEntries = 1000     // files in an archive
)

// bounded reads the text of candles and returns an error when it, or one row of it, is too long.
type bounded struct {
	io.Reader
	text, row int // bytes read
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.text, b.row = b.text+n, b.row+n
	switch {
	case b.text > maxText:
		return 0, fmt.Errorf("over %d MiB of text when unpacked: no file of hourly candles is that large", maxText>>20)
	case b.row > maxRow:
		return 0, fmt.Errorf("a row of over %d KiB: no row of candles is that long", maxRow>>10)
	}
	return n, err
}

// byteOrderMark is written at the start of a file by some spreadsheets.
const byteOrderMark = "\ufeff"

// Parse reads the text of a candle file: see Read.
func Parse(r io.Reader) ([]marketcache.Bar, error) {
	limits := &bounded{Reader: r}
	text := bufio.NewReader(limits)
	if mark, err := text.Peek(len(byteOrderMark)); err == nil && string(mark) == byteOrderMark {
		text.Discard(len(byteOrderMark))
	}
	rows := csv.NewReader(text)
	rows.ReuseRecord = true
	header, err := rows.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the file is empty: want a line of columns, " + strings.Join(columns[:], ",") +
			", and one row an hour")
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
		limits.row = 0
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err // the error already names the line
		}
		b, err := fileBar(row, column)
		if err == nil {
			bars, err = appendBar(bars, b)
		}
		if err != nil {
			line, _ := rows.FieldPos(0)
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
	if len(bars) == 0 {
		return nil, errors.New("no candle in the file")
	}
	return bars, checkHourly(bars)
}

// checkHourly rejects candles of another interval: read as hourly candles they would look like an
// asset that rarely trades. Fewer than 24 rows with gaps are accepted, because a new listing
// may have no more.
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

func findColumns(header []string) (column [len(columns)]int, err error) {
	for i := range header {
		header[i] = strings.TrimSpace(header[i])
	}
	for i, name := range columns {
		if column[i] = slices.Index(header, name); column[i] < 0 {
			return column, fmt.Errorf("no column %q among %q, want %s", name, header, strings.Join(columns[:], ","))
		}
	}
	return column, nil
}

// fileBar returns the bar of a row of a candle file.
func fileBar(row []string, column [len(columns)]int) (b marketcache.Bar, err error) {
	field := func(i int) string { return strings.TrimSpace(row[column[i]]) }
	ms, err := strconv.ParseInt(field(0), 10, 64)
	if err != nil {
		return b, fmt.Errorf("ts %q is not a whole number of ms", field(0))
	}
	return readRow(ms, field)
}

// readRow returns the bar of a row that opens at ms; field gives the texts of the columns after ts.
func readRow(ms int64, field func(column int) string) (marketcache.Bar, error) {
	b := marketcache.Bar{OpenMs: ms}
	for i, to := range [...]*float64{&b.Open, &b.High, &b.Low, &b.Close, &b.Volume} {
		var err error
		if *to, err = strconv.ParseFloat(field(i+1), 64); err != nil || math.IsNaN(*to) {
			return b, fmt.Errorf("%s %q is not a number", columns[i+1], field(i+1))
		}
	}
	return b, vol.CheckBar(b)
}

// appendBar appends the bar of a row. It skips one that repeats an earlier hour with the same prices.
func appendBar(bars []marketcache.Bar, b marketcache.Bar) ([]marketcache.Bar, error) {
	if n := len(bars); n > 0 && b.OpenMs <= bars[n-1].OpenMs {
		if at, have := find(bars, b.OpenMs); have {
			return bars, checkRepeated(bars[at], b)
		}
		return nil, fmt.Errorf("open time %d comes after %d: rows must be in order of time (sort the file by time)",
			b.OpenMs, bars[n-1].OpenMs)
	}
	return append(bars, b), nil
}

// checkRepeated refuses a second bar of an hour unless its prices are those of the first.
func checkRepeated(first, again marketcache.Bar) error {
	if again.Volume = first.Volume; again == first {
		return nil
	}
	return fmt.Errorf("a second row for %s with other prices, close %v instead of %v: remove the wrong one",
		time.UnixMilli(again.OpenMs).UTC().Format("2006-01-02 15:04 UTC"), again.Close, first.Close)
}

// find returns the index of the bar that opens at ms, or the index at which to insert it.
func find(bars []marketcache.Bar, ms int64) (at int, have bool) {
	return slices.BinarySearchFunc(bars, ms, func(b marketcache.Bar, ms int64) int {
		return cmp.Compare(b.OpenMs, ms)
	})
}

// Between returns the bars with from <= open time < to, ms since 1970 UTC.
func Between(bars []marketcache.Bar, from, to int64) []marketcache.Bar {
	first, _ := find(bars, from)
	end, _ := find(bars, to)
	return bars[first:max(first, end)]
}
