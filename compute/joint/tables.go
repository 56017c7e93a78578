package joint

import (
	"math"

	"ballast/compute/stats"
	mc "ballast/marketcache"
)

// setPriceMoves fills in the price moves of j from its outcomes, and what depends on them. own is the
// fit of the asset.
func setPriceMoves(j *mc.Joint, own *mc.AssetModel) {
	n := len(j.Z)
	sd := math.Sqrt(own.Variance[mc.H24])
	j.PriceMoves = make([]float64, n)
	for i, z := range j.Z {
		j.PriceMoves[i] = min(math.Expm1(min(float64(sd*z), maxExponent)), maxPriceMove)
	}
	loss, scratch := make([]float64, n), make([]float64, n)
	for side, s := range [mc.SideCount]float64{mc.Long: 1, mc.Short: -1} {
		for i, x := range j.PriceMoves {
			loss[i] = -s * x
		}
		q, mean := stats.UpperTail(loss, Level, scratch)
		c := 1.0
		if q > 0 {
			c = max(minScale, min(maxScale, positionVaR(own, side)/q))
		}
		j.Scale[side], j.MoveVaR[side], j.MoveES[side] = c, float64(c*q), float64(c*mean)
	}
}

// positionVaR is the 99 % loss of a position over 24 hours as an answer gives it, a fraction of its
// notional: not below the losses at 95 % and over 4 hours.
func positionVaR(own *mc.AssetModel, side int) float64 {
	return max(own.Tail[mc.H24][side][mc.P99].PctVaR, own.Tail[mc.H4][side][mc.P99].PctVaR,
		own.Tail[mc.H24][side][mc.P95].PctVaR) / 100
}

// recordedPath is the path of a price within 24 hours, in standard deviations of its log return.
type recordedPath struct {
	marks [mc.PathMarks]float64
	// beyond is how much further than its marks the price went against each side.
	beyond [mc.SideCount]float64
}

// deepest returns how far the marks went against a side.
func (p *recordedPath) deepest(side int) float64 {
	d := 0.0
	for _, y := range p.marks {
		if side == mc.Long {
			y = -y
		}
		d = max(d, y)
	}
	return d
}

// plus returns beta*p + residual*q, the filler for a missing path.
func (p *recordedPath) plus(q *recordedPath) (sum recordedPath) {
	for j := range sum.marks {
		sum.marks[j] = filler(p.marks[j], q.marks[j])
	}
	for side := range sum.beyond {
		sum.beyond[side] = filler(p.beyond[side], q.beyond[side])
	}
	return sum
}

// pathSource gives the recorded paths of one asset.
type pathSource struct {
	m     *mc.AssetModel
	hours []int64 // those with an outcome, oldest first; nil: every hour of m.DaySD
}

func newPathSource(m *mc.AssetModel) pathSource {
	s := pathSource{m: m}
	for i := range m.DaySD.Values {
		hour := m.DaySD.FirstHour + int64(i)
		if _, ok := m.Z24.At(hour); !ok && s.hours == nil {
			s.hours = make([]int64, i, len(m.DaySD.Values))
			for before := range s.hours {
				s.hours[before] = m.DaySD.FirstHour + int64(before)
			}
		} else if ok && s.hours != nil {
			s.hours = append(s.hours, hour)
		}
	}
	return s
}

// len returns the number of paths.
func (s *pathSource) len() int64 {
	if s.hours != nil {
		return int64(len(s.hours))
	}
	return int64(len(s.m.DaySD.Values))
}

// at returns the path after an hour, if there is one.
func (s *pathSource) at(hour int64) (p recordedPath, ok bool) {
	if _, ok := s.m.Z24.At(hour); !ok {
		return p, false
	}
	sd, ok := s.m.DaySD.At(hour)
	if !ok {
		return p, false
	}
	closes := s.m.LogClose.Values[hour-s.m.LogClose.FirstHour:]
	for j := range p.marks {
		p.marks[j] = (closes[markHours*(j+1)] - closes[0]) / sd
	}
	for side, series := range [mc.SideCount]*mc.HourlySeries{mc.Long: &s.m.Low24, mc.Short: &s.m.High24} {
		if m, ok := series.At(hour); ok {
			p.beyond[side] = max(0, m-p.deepest(side))
		}
	}
	return p, true
}

// drawn returns the path that stands for another hour: the hour alone selects it. Without any path it
// does not move.
func (s *pathSource) drawn(hour int64) (p recordedPath) {
	n := s.len()
	if n == 0 {
		return p
	}
	i := hour * fillerStride % n
	if s.hours != nil {
		p, _ = s.at(s.hours[i])
	} else {
		p, _ = s.at(s.m.DaySD.FirstHour + i)
	}
	return p
}

// setPaths fills in the recorded paths of j: those of own, an asset's fit, at every fourth of the given
// hours, which may be none, counted back from the newest. rows is BTC's fit; it may be own.
func setPaths(j *mc.Joint, hours []int64, rows, own *mc.AssetModel) {
	n := (len(hours) + pathStride - 1) / pathStride
	j.PathRows = n
	for h, horizon := range [mc.ExcursionHorizons]int{mc.Excursion24h: mc.H24, mc.Excursion168h: mc.H168} {
		t := &j.Paths[h]
		t.SD = float64(pathScale[h] * math.Sqrt(own.Variance[horizon]))
		blocks := (n + mc.PathBlock - 1) / mc.PathBlock
		t.Marks = make([]float32, blocks*mc.PathBlock*mc.PathMarks)
		for side := range t.Beyond {
			t.Beyond[side] = make([]float32, blocks*mc.PathBlock)
		}
	}
	btc, mine := newPathSource(rows), newPathSource(own)
	other := &mine // the source of residuals
	if mine.len() < minPaths {
		other = &btc
	}
	for row := range n {
		hour := hours[len(hours)-1-pathStride*(n-1-row)]
		p, ok := mine.at(hour)
		if !ok {
			p = other.drawn(hour)
			if base, ok := btc.at(hour); ok && rows != own {
				p = base.plus(&p)
			}
		}
		for h := range j.Paths {
			setRow(&j.Paths[h], row, &p)
		}
	}
	for h := range j.Paths {
		j.Paths[h].EndRMS = endRMS(j.Paths[h].Marks, n)
		setBounds(&j.Paths[h], h, n)
	}
}

// endRMS is the root mean square of n rows' moves at the last mark.
func endRMS(marks []float32, n int) float64 {
	if n == 0 {
		return 0
	}
	ends := make([]float64, n)
	for row := range ends {
		ends[row] = float64(marks[markIndex(row, mc.PathMarks-1)])
	}
	return math.Sqrt(stats.MeanSquare(ends))
}

// markIndex is the index of a row's mark in PathTable.Marks.
func markIndex(row, mark int) int {
	return row/mc.PathBlock*mc.PathBlock*mc.PathMarks + mark*mc.PathBlock + row%mc.PathBlock
}

// setRow writes one row of a table.
func setRow(t *mc.PathTable, row int, p *recordedPath) {
	for mark, y := range p.marks {
		t.Marks[markIndex(row, mark)] = float32(factor(float64(t.SD*y)) - 1)
	}
	for side, s := range [mc.SideCount]float64{mc.Long: -1, mc.Short: 1} {
		d := p.deepest(side)
		near, far := factor(float64(s*t.SD)*d), factor(float64(s*t.SD)*(d+p.beyond[side]))
		t.Beyond[side][row] = float32(math.Abs(far - near))
	}
}

// factor is exp(x), of an x limited to what a price may do.
func factor(x float64) float64 { return math.Exp(max(-maxExponent, min(maxExponent, x))) }
