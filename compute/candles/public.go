package candles

import (
	"archive/zip"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"ballast/marketcache"
)

// microseconds is the smallest open time that must be in µs: 1e14 ms is in the year 5138, 1e14 µs
// in 1973.
const microseconds = 1e14

// publicName is the name of a file of hourly klines: symbol, interval, month or day.
var publicName = regexp.MustCompile(`^([A-Z0-9]+)-1h(?:-\d{4}-\d{2}(?:-\d{2})?)?\.(?:zip|csv)$`)

// quotes are the quote currencies of symbols; each is worth about one dollar.
var quotes = []string{"USDT", "USDC", "FDUSD", "BUSD", "TUSD", "USD"}

// AssetOfPublic returns the venue's name of the asset in a public file: BTC for
// BTCUSDT-1h-2024-01.zip, kPEPE for 1000PEPEUSDT-1h-2024-01.zip.
func AssetOfPublic(path string) (string, error) {
	m := publicName.FindStringSubmatch(filepath.Base(path))
	if m == nil {
		return "", fmt.Errorf("%s: the name does not say which asset it is; "+
			"want a name like BTCUSDT-1h-2024-01.zip, or give --asset", path)
	}
	for _, quote := range quotes {
		base, ok := strings.CutSuffix(m[1], quote)
		if !ok || base == "" {
			continue
		}
		if thousand, ok := strings.CutPrefix(base, "1000"); ok && thousand != "" && thousand[0] > '9' {
			return "k" + thousand, nil
		}
		return base, nil
	}
	return "", fmt.Errorf("%s: %s is not quoted in dollars (%s)", path, m[1], strings.Join(quotes, ", "))
}

// ReadPublic reads hourly klines as published by data.binance.vision, oldest first: a CSV file or a
// ZIP of CSV files, with or without a header line. Columns: open time (ms or µs), open, high, low,
// close, volume in base units; further columns are ignored.
func ReadPublic(path string) ([]marketcache.Bar, error) {
	bars, err := readPublic(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return bars, nil
}

func readPublic(path string) (bars []marketcache.Bar, err error) {
	if !strings.EqualFold(filepath.Ext(path), ".zip") {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return parsePublic(&bounded{Reader: f})
	}
	archive, err := zip.OpenReader(path)
	if err != nil {
		return nil, fmt.Errorf("%w (was it downloaded whole?)", err)
	}
	defer archive.Close()
	if n := len(archive.File); n > maxEntries {
		return nil, fmt.Errorf("%d files in the archive, want at most %d", n, maxEntries)
	}
	limits := &bounded{} // of all files together
	for _, entry := range archive.File {
		if !strings.EqualFold(filepath.Ext(entry.Name), ".csv") {
			continue
		}
		text, err := entry.Open()
		if err != nil {
			return nil, err
		}
		limits.Reader = text
		more, err := parsePublic(limits)
		text.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name, err)
		}
		bars, _ = Join(bars, more)
	}
	if len(bars) == 0 {
		return nil, errors.New("no .csv in the archive")
	}
	return bars, nil
}

func parsePublic(text *bounded) (bars []marketcache.Bar, err error) {
	rows := csv.NewReader(text)
	rows.ReuseRecord, rows.FieldsPerRecord = true, -1
	for first := true; ; first = false {
		text.row = 0
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		if first {
			row[0] = strings.TrimPrefix(row[0], byteOrderMark)
			if _, err := strconv.ParseFloat(row[0], 64); err != nil {
				continue // header line
			}
		}
		b, err := publicBar(row)
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

// publicBar reads one kline.
func publicBar(row []string) (b marketcache.Bar, err error) {
	if len(row) < len(columns) {
		return b, fmt.Errorf("%d columns, want open time, open, high, low, close, volume", len(row))
	}
	ms, err := strconv.ParseInt(row[0], 10, 64)
	if err != nil {
		return b, fmt.Errorf("open time %q is not a whole number of ms or µs", row[0])
	}
	if ms >= microseconds {
		ms /= 1000
	}
	if ms%hourMs != 0 {
		return b, fmt.Errorf(
			"open time %s is not a whole hour: want klines of 1h, of the folder .../klines/SYMBOL/1h/",
			row[0])
	}
	if at := time.UnixMilli(ms); at.After(time.Now()) {
		return b, fmt.Errorf("open time %s is in the future, %s UTC", row[0], at.UTC().Format("2006-01-02 15:04"))
	}
	return readRow(ms, func(i int) string { return row[i] })
}
