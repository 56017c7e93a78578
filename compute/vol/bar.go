package vol

import (
	"errors"
	"fmt"
	"math"
	"time"

	mc "ballast/marketcache"
)

// MaxGapHours is the longest run of missing hours that is filled with flat bars. A gap of more than
// three years means that the history is broken.
const MaxGapHours = 26304

// Errors of a history. Invalid bars are not repaired here: the caller decides what to do about them.
var (
	ErrBadBar   = errors.New("impossible bar")
	ErrBarOrder = errors.New("bar out of order")
	ErrGap      = errors.New("history with a hole too long to fill")
)

// CheckBar reports whether a bar can be real: whole hour, finite positive prices, low <= high with a
// finite ratio, volume finite and not negative. The error wraps ErrBadBar, and says which bar and what
// is wrong with it.
func CheckBar(b mc.Bar) error {
	ok := b.OpenMs%hourMs == 0 && b.Low <= b.High && !math.IsInf(b.High/b.Low, 0) &&
		b.Volume >= 0 && !math.IsInf(b.Volume, 0)
	for _, p := range [4]float64{b.Open, b.High, b.Low, b.Close} {
		ok = ok && p > 0 && !math.IsInf(p, 0)
	}
	if !ok {
		return fmt.Errorf("%w: %s", ErrBadBar, problem(b))
	}
	return nil
}

// problem names the rule that an invalid bar breaks.
func problem(b mc.Bar) string {
	const secondMs, minuteMs = 1000, 60_000
	if b.OpenMs%hourMs != 0 {
		why := "is not a whole hour"
		switch {
		case b.OpenMs*secondMs%hourMs == 0 && b.OpenMs < 1<<33: // the year 2242 in s, April 1970 in ms
			why += ": want ms, not s"
		case b.OpenMs%minuteMs == 0:
			why += ": want hourly candles, not shorter ones"
		}
		return fmt.Sprintf("time %d (%s) %s", b.OpenMs, timeText(b.OpenMs), why)
	}
	at := "of " + timeText(b.OpenMs) + ": "
	for _, p := range []struct {
		name  string
		price float64
	}{{"open", b.Open}, {"high", b.High}, {"low", b.Low}, {"close", b.Close}} {
		if !(p.price > 0) || math.IsInf(p.price, 0) {
			return fmt.Sprintf("%s%s %v is not a price above 0", at, p.name, p.price)
		}
	}
	switch {
	case b.Low > b.High:
		return fmt.Sprintf("%slow %v is above high %v", at, b.Low, b.High)
	case math.IsInf(b.High/b.Low, 0):
		return fmt.Sprintf("%shigh %v is too far above low %v", at, b.High, b.Low)
	}
	return fmt.Sprintf("%svolume %v is not a number from 0 on", at, b.Volume)
}

func timeText(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02 15:04") + " UTC" }

// FlatAfter returns the bar of the hour after b when that hour has no data: all prices at b's
// close, no volume (docs/model.md).
func FlatAfter(b mc.Bar) mc.Bar {
	return mc.Bar{OpenMs: b.OpenMs + hourMs, Open: b.Close, High: b.Close, Low: b.Close, Close: b.Close}
}

// AppendFilled appends next to dst, preceded by flat bars for the hours missing between the last bar of
// dst and next. An error leaves dst unchanged and wraps ErrBadBar, ErrBarOrder or ErrGap.
func AppendFilled(dst []mc.Bar, next mc.Bar) ([]mc.Bar, error) {
	if err := CheckBar(next); err != nil {
		return dst, err
	}
	if len(dst) > 0 {
		last := dst[len(dst)-1]
		missing := (next.OpenMs-last.OpenMs)/hourMs - 1
		if missing < 0 {
			return dst, fmt.Errorf("%w: %s after %s", ErrBarOrder, timeText(next.OpenMs), timeText(last.OpenMs))
		}
		if missing > MaxGapHours {
			return dst, fmt.Errorf("%w: %d hours before %s", ErrGap, missing, timeText(next.OpenMs))
		}
		for range missing {
			dst = append(dst, FlatAfter(dst[len(dst)-1]))
		}
	}
	return append(dst, next), nil
}

// since returns the bar with the previous close among its prices, so that a gap counts in its range.
func since(b mc.Bar, previousClose float64) mc.Bar {
	b.High, b.Low = max(b.High, previousClose), min(b.Low, previousClose)
	return b
}

// parkinson is the Parkinson estimate of the hour's variance, from its range.
func parkinson(b mc.Bar) float64 {
	l := math.Log(b.High / b.Low)
	return float64(l*l) / (4 * math.Ln2)
}
