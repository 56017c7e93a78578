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

	"ballast/marketcache"
)

// FileName returns the name of an asset's candle file: BTC-1h.csv.gz. The colon of an
// asset of another dex, which not every file system takes, becomes an underscore.
func FileName(asset string) string { return strings.ReplaceAll(asset, ":", "_") + "-1h.csv.gz" }

// CheckName refuses an asset name that cannot be part of a file name.
func CheckName(asset string) error {
	if asset == "" || asset[0] == '.' || strings.ContainsAny(asset, "/\\\x00") {
		return fmt.Errorf("asset %q: want a ticker such as BTC, kPEPE or xyz:TSLA", asset)
	}
	return nil
}

// Write writes a candle file, gzip, in place of one that is there: a reader sees the old
// file or the new one, never a part.
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

// format writes the text of a candle file. Its numbers read back as they were.
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

// Join returns the bars of both histories in order of time and how many of them come
// from more. Where both have an hour, that of held stays.
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

// maxDisagreement is the median distance, in log price, of two histories of one market
// in the hours that both have. Two exchanges differ by some hundredths of a percent.
const maxDisagreement = 0.02

// Extend joins bars to a candle file, which it creates when there is none, and returns what the file
// then holds and how many bars are new. Bars of the file are never changed or dropped. Bars of another
// market, told by other prices in the same hours, are refused.
func Extend(path string, more []marketcache.Bar) (all []marketcache.Bar, added int, err error) {
	held, err := Read(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, 0, fmt.Errorf("%w (move the file away to begin anew)", err)
	}
	if d := disagreement(held, more); d > maxDisagreement {
		return nil, 0, fmt.Errorf("%s holds another market: in the hours that both have, its closes are %.1f %% away from the new ones; choose another --out", path, 100*d)
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

// disagreement returns the median of |ln(close/close)| over the hours that both have; 0
// without a common hour.
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
