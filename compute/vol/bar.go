package vol

import (
	"errors"
	"fmt"
	"math"
)

// Bar is one closed hourly candle. It has the layout of marketcache.Bar, so that
// one converts to the other.
type Bar struct {
	OpenMs                         int64 // ms since 1970 UTC, whole hours
	Open, High, Low, Close, Volume float64
}

// MaxGapHours is the longest run of missing hours that is filled with flat bars. A gap of more than
// three years means that the history is broken.
const MaxGapHours = 26304

// Errors of a history. Invalid bars are not repaired here: the caller decides what to do about them.
var (
	ErrBadBar   = errors.New("impossible bar")
	ErrBarOrder = errors.New("bar out of order")
	ErrGap      = errors.New("history with a hole too long to fill")
)

// Check reports whether the bar can be real: whole hour, finite positive prices, low <= high with a
// finite ratio, volume finite and not negative. The error wraps ErrBadBar.
func (b Bar) Check() error {
	ok := b.OpenMs%hourMs == 0 && b.Low <= b.High && !math.IsInf(b.High/b.Low, 0) &&
		b.Volume >= 0 && !math.IsInf(b.Volume, 0)
	for _, p := range [4]float64{b.Open, b.High, b.Low, b.Close} {
		ok = ok && p > 0 && !math.IsInf(p, 0)
	}
	if !ok {
		return fmt.Errorf("%w: %+v", ErrBadBar, b)
	}
	return nil
}

// Hour returns the bar's open time in hours since 1970 UTC.
func (b Bar) Hour() int64 { return b.OpenMs / hourMs }

// FlatAfter returns the bar of the hour after b when that hour has no data: all prices at b's
// close, no volume (docs/model.md).
func FlatAfter(b Bar) Bar {
	return Bar{OpenMs: b.OpenMs + hourMs, Open: b.Close, High: b.Close, Low: b.Close, Close: b.Close}
}

// AppendFilled appends next to dst, preceded by flat bars for the hours missing between the last bar of
// dst and next. An error leaves dst unchanged and wraps ErrBadBar, ErrBarOrder or ErrGap.
func AppendFilled(dst []Bar, next Bar) ([]Bar, error) {
	if err := next.Check(); err != nil {
		return dst, err
	}
	if len(dst) > 0 {
		last := dst[len(dst)-1]
		missing := (next.OpenMs-last.OpenMs)/hourMs - 1
		if missing < 0 {
			return dst, fmt.Errorf("%w: hour %d after %d", ErrBarOrder, next.Hour(), last.Hour())
		}
		if missing > MaxGapHours {
			return dst, fmt.Errorf("%w: %d hours before hour %d", ErrGap, missing, next.Hour())
		}
		for range missing {
			dst = append(dst, FlatAfter(dst[len(dst)-1]))
		}
	}
	return append(dst, next), nil
}

// parkinson is the Parkinson estimate of the hour's variance, from its range.
func (b Bar) parkinson() float64 {
	l := math.Log(b.High / b.Low)
	return float64(l*l) / (4 * math.Ln2)
}
