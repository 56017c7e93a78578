package joint

import (
	"math"
	"math/rand/v2"
	"testing"

	mc "ballast/marketcache"
)

// pathByHand returns the marks of own at an hour and how much further the price went against a side, in
// standard deviations; ok is false when it has none.
func pathByHand(m *mc.AssetModel, hour int64, side int) (y [6]float64, g float64, ok bool) {
	if z, has := m.Z24.At(hour); !has || math.IsNaN(z) {
		return y, 0, false
	}
	sd, has := m.DaySD.At(hour)
	if !has {
		return y, 0, false
	}
	from, _ := m.LogClose.At(hour)
	deepest := 0.0
	for j := range y {
		at, _ := m.LogClose.At(hour + 4*int64(j+1))
		y[j] = (at - from) / sd
		if side == mc.Long {
			deepest = max(deepest, -y[j])
		} else {
			deepest = max(deepest, y[j])
		}
	}
	series := &m.Low24
	if side == mc.Short {
		series = &m.High24
	}
	extreme, _ := series.At(hour)
	return y, max(0, extreme-deepest), true
}

// pathHours returns the hours at which an asset has a path.
func pathHours(m *mc.AssetModel) (hours []int64) {
	for i := range m.DaySD.Values {
		hour := m.DaySD.FirstHour + int64(i)
		if _, _, ok := pathByHand(m, hour, mc.Long); ok {
			hours = append(hours, hour)
		}
	}
	return hours
}

// Every row of the paths, computed as docs/model.md describes: an asset with every hour, one that was
// silent for a while, one with half of the hours, one with fewer than 100, and one without any.
func TestPathTables(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	const last = 480_000
	market := normals(r, 9600)
	btc := model(r, 0, 9600, last, market)
	silent := model(r, 1, 9600, last, market)
	for i := 9000; i < 9100; i++ {
		at := len(silent.Z24.Values) - 9600 + i
		silent.Z24.Values[at] = math.NaN()
		silent.Low24.Values[at-len(silent.Z24.Values)+len(silent.Low24.Values)] = math.NaN()
	}
	for name, own := range map[string]*mc.AssetModel{
		"btc": btc, "silent": silent, "half": model(r, 2, 5000, last, market),
		"young": model(r, 3, 744+99, last, market), "new": model(r, 4, 10, last, market),
	} {
		j := Align(btc, own)
		source, hours := own, pathHours(own)
		if len(hours) < 100 {
			source, hours = btc, pathHours(btc)
		}
		newest := btc.Z24.FirstHour + int64(len(btc.Z24.Values)) - 1
		if want := (min(Rows, len(btc.Z24.Values)) + 3) / 4; j.PathRows != want {
			t.Fatalf("%s: %d rows, want %d", name, j.PathRows, want)
		}
		filled := 0
		for row := range j.PathRows {
			hour := newest - 4*int64(j.PathRows-1-row)
			for side := range mc.SideCount {
				y, g, ok := pathByHand(own, hour, side)
				if !ok {
					filled++
					base, baseG, _ := pathByHand(btc, hour, side)
					other, otherG, _ := pathByHand(source, hours[hour*7919%int64(len(hours))], side)
					for i := range y {
						y[i] = 0.6*base[i] + 0.8*other[i]
					}
					g = 0.6*baseG + 0.8*otherG
				}
				for h, horizon := range []int{mc.H24, mc.H168} {
					sd := []float64{1, 0.95}[h] * math.Sqrt(own.Variance[horizon])
					table, d := &j.Paths[h], 0.0
					for i, v := range y {
						want := math.Expm1(sd * v)
						got := float64(table.Marks[markIndex(row, i)])
						if math.Abs(got-want) > 1e-7*(1+math.Abs(want)) {
							t.Fatalf("%s: horizon %d, row %d, mark %d: %v, want %v", name, h, row, i, got, want)
						}
						d = max(d, v*[]float64{-1, 1}[side])
					}
					want := math.Exp(-sd*d) - math.Exp(-sd*(d+g))
					if side == mc.Short {
						want = math.Exp(sd*(d+g)) - math.Exp(sd*d)
					}
					if got := float64(table.Beyond[side][row]); math.Abs(got-want) > 1e-7*(1+want) {
						t.Fatalf("%s: horizon %d, row %d, side %d goes %v further, want %v", name, h, row, side, got,
							want)
					}
				}
			}
		}
		if (filled > 0) != (name != "btc") {
			t.Errorf("%s: %d rows filled", name, filled)
		}
		checkEnds(t, name, j)
	}
}

// checkEnds compares the root mean squares of the last marks.
func checkEnds(t *testing.T, name string, j *mc.Joint) {
	t.Helper()
	for h := range j.Paths {
		table := &j.Paths[h]
		sum := 0.0
		for row := range j.PathRows {
			x := float64(table.Marks[markIndex(row, 5)])
			sum += x * x / float64(j.PathRows)
		}
		if want := math.Sqrt(sum); math.Abs(table.EndRMS-want) > 1e-12*want {
			t.Fatalf("%s: root mean square %v at the last mark, want %v", name, table.EndRMS, want)
		}
	}
}
