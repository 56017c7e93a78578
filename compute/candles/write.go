package candles

import (
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ballast/marketcache"
)

// FileName returns the name of an asset's candle file: BTC-1h.csv.gz. The colon in the name of an
// asset of another dex is replaced by an underscore, because not every file system allows colons.
func FileName(asset string) string { return strings.ReplaceAll(asset, ":", "_") + "-1h.csv.gz" }

// CheckName returns an error for an asset name that cannot be part of a file name.
func CheckName(asset string) error {
	odd := func(r rune) bool { return !unicode.IsPrint(r) || r == '/' || r == '\\' || r == utf8.RuneError }
	if asset == "" || len(asset) > 64 || asset[0] == '.' || strings.ContainsFunc(asset, odd) {
		return fmt.Errorf("asset %q: want a ticker such as BTC, kPEPE or xyz:TSLA", asset)
	}
	return nil
}

// Write writes a gzip candle file and replaces an existing one atomically: a reader sees either the
// old or the new file.
func Write(path string, bars []marketcache.Bar) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	z := gzip.NewWriter(f)
	err = errors.Join(format(z, bars), z.Close(), f.Chmod(0o644), f.Sync(), f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

// format writes the text of a candle file. Its numbers parse back to the same values.
func format(w io.Writer, bars []marketcache.Bar) error {
	row := append([]byte(strings.Join(columns[:], ",")), '\n')
	if _, err := w.Write(row); err != nil {
		return err
	}
	for _, b := range bars {
		row = strconv.AppendInt(row[:0], b.OpenMs, 10)
		for _, v := range [5]float64{b.Open, b.High, b.Low, b.Close, b.Volume} {
			row = strconv.AppendFloat(append(row, ','), v, 'f', -1, 64)
		}
		if _, err := w.Write(append(row, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// Join returns the bars of both histories in order of time, and the number of bars that come from
// more. For an hour that both have, the bar of held is kept.
func Join(held, more []marketcache.Bar) (all []marketcache.Bar, added int) {
	all = slices.Clone(held)
	for _, b := range more {
		if _, have := find(held, b.OpenMs); !have {
			all = append(all, b)
			added++
		}
	}
	slices.SortFunc(all, func(a, b marketcache.Bar) int { return cmp.Compare(a.OpenMs, b.OpenMs) })
	return all, added
}

// Missing returns the number of hours between the first and the last bar without a bar.
func Missing(bars []marketcache.Bar) int {
	if len(bars) == 0 {
		return 0
	}
	return int((bars[len(bars)-1].OpenMs-bars[0].OpenMs)/hourMs) + 1 - len(bars)
}

// maxDisagreement is the largest accepted median difference, in log price, between two histories of
// one market in their common hours. Two exchanges differ by some hundredths of a percent.
const maxDisagreement = 0.02

// Extend adds bars to a candle file, which it creates if there is none. It returns the bars of the
// extended file and the number of new bars. Bars of the file are never changed or dropped. Bars of
// another market, recognised by different prices in the same hours, are rejected.
func Extend(path string, more []marketcache.Bar) (all []marketcache.Bar, added int, err error) {
	held, err := Read(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fmt.Errorf("%w (move the file away to begin anew)", err)
	}
	if d := disagreement(held, more); d > maxDisagreement {
		return nil, 0, fmt.Errorf("%s holds another market: in the hours that both have, "+
			"its closes are %.1f %% away from the new ones; choose another --out", path, 100*d)
	}
	all, added = Join(held, more)
	if err := checkHourly(all); err != nil {
		return nil, 0, err
	}
	if added == 0 {
		return all, 0, nil
	}
	return all, added, Write(path, all)
}

// disagreement returns the median of |ln(close in a / close in b)| over the common hours; 0 without a
// common hour.
func disagreement(a, b []marketcache.Bar) float64 {
	var apart []float64
	for _, x := range b {
		if at, have := find(a, x.OpenMs); have {
			apart = append(apart, math.Abs(math.Log(a[at].Close/x.Close)))
		}
	}
	if len(apart) == 0 {
		return 0
	}
	slices.Sort(apart)
	return apart[len(apart)/2]
}
