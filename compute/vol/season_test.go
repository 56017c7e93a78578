package vol

import (
	"math"
	"slices"
	"testing"
	"time"
	_ "time/tzdata" // a machine without a time zone database compares too

	"ballast/internal/reference"
	mc "ballast/marketcache"
)

// seasonCase is a case of season.json; hours have times TS, sessions the times Now.
type seasonCase struct {
	Name  string
	Input struct {
		Class   string
		TS, Now []int64
	}
}

func classNamed(t *testing.T, name string) mc.Class {
	t.Helper()
	for c := range mc.ClassCount {
		if c.String() == name {
			return c
		}
	}
	t.Fatalf("no class %q", name)
	return 0
}

// The histories of the same reference file need candle files: TestEvidenceSeason in package calib.
func TestGoldenSeason(t *testing.T) {
	var g struct {
		Tolerance reference.Tolerance
		Hours     []struct {
			seasonCase
			Output map[string]any
		}
		Sessions []struct {
			seasonCase
			Output []any // objects, or null
		}
		Classes []struct {
			Input  struct{ Main, Coins []string }
			Output map[string]string
		}
	}
	reference.Golden(t, "season", &g)
	for _, c := range g.Hours {
		t.Run(c.Name, func(t *testing.T) {
			class := classNamed(t, c.Input.Class)
			var hours []int
			var factors []float64
			var resting []bool
			sums, byHorizon := make([][]float64, mc.HorizonCount), reference.Fields{}
			for _, ms := range c.Input.TS {
				h := hourOfWeek(class, ms/hourMs)
				hours, factors = append(hours, h), append(factors, Factor(class, ms/hourMs))
				resting = append(resting, rests(class, h))
				for k, sum := range factorSums(class, ms/hourMs+1) {
					sums[k] = append(sums[k], sum)
				}
			}
			for k, name := range horizonNames {
				byHorizon[name] = sums[k]
			}
			g.Tolerance.Match(t, c.Output, reference.Fields{"hour_of_week": hours, "factor": factors, "rests": resting,
				"S": byHorizon})
		})
	}
	for _, c := range g.Sessions {
		for i, now := range c.Input.Now {
			got, ok := SessionAt(classNamed(t, c.Input.Class), now)
			want, known := c.Output[i].(map[string]any)
			if ok != known {
				t.Fatalf("%s at %s: %+v, want %v", c.Input.Class, timeText(now), got, want)
			} else if ok {
				g.Tolerance.Match(t, want, reference.Fields{"resting": got.Resting, "rests_at": got.RestsAtMs,
					"reopens_at": got.ReopensAtMs, "outside_session": got.Outside})
			}
		}
	}
	for _, c := range g.Classes {
		main := func(ticker string) bool {
			return slices.Contains(c.Input.Main, ticker) || slices.Contains(c.Input.Main, "k"+ticker)
		}
		for _, name := range c.Input.Coins {
			if got := ClassOf(name, main).String(); got != c.Output[name] {
				t.Errorf("%s: %s, want %s", name, got, c.Output[name])
			}
		}
	}
	if len(g.Hours) == 0 || len(g.Sessions) == 0 || len(g.Classes) == 0 {
		t.Error("nothing compared")
	}
}

// New York's clock by hand and by the time zone database, at every change from 2010 to 2037.
func TestNewYorkClock(t *testing.T) {
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	changes := 0
	before := int64(5)
	for hour := int64(40 * 8766); hour < 68*8766; hour++ {
		_, offset := time.Unix(hour*3600, 0).In(zone).Zone()
		got := newYorkBehind(hour)
		if got != -int64(offset)/3600 {
			t.Fatalf("%s: %d hours behind, want %d", timeText(hour*hourMs), got, -offset/3600)
		}
		if got != before {
			changes++
		}
		before = got
	}
	if changes != 56 {
		t.Errorf("%d changes in 28 years", changes)
	}
}

// A week holds the variance of 168 average hours in every class, and the sums of a window are those of
// its hours, also when the clocks change within it.
func TestFactorSums(t *testing.T) {
	for class := range mc.ClassCount {
		for hour := int64(500_000); hour < 500_000+8_800; hour += 5 {
			sums := factorSums(class, hour)
			for h, hours := range mc.Horizons {
				want := 0.0
				for i := range hours {
					want += Factor(class, hour+int64(i))
				}
				if !within(sums[h], want, 1e-12, 0) {
					t.Fatalf("%v, %d h from %s: %v, want %v", class, hours, timeText(hour*hourMs), sums[h], want)
				}
			}
		}
		if week := weekSums[class][0][mc.H168]; math.Abs(week-weekHours) > 0.5 {
			t.Errorf("%v: a week has %v average hours", class, week)
		}
	}
}

// Sessions follow each other without a gap, whatever the time, and asking allocates nothing.
func TestSessionAt(t *testing.T) {
	for class := mc.ClassEquity; class < mc.ClassCount; class++ {
		for now := int64(1_770_000_000_000); now < 1_805_000_000_000; now += 1_234_567 {
			s, ok := SessionAt(class, now)
			rest := s.ReopensAtMs - s.RestsAtMs
			if !ok || s.Resting != (now >= s.RestsAtMs) || now >= s.ReopensAtMs || s.RestsAtMs-now > 170*hourMs ||
				rest < 48*hourMs || rest > 50*hourMs || s.Outside != (s.RestsAtMs-now < 24*hourMs) {
				t.Fatalf("%v at %s: %+v", class, timeText(now), s)
			}
		}
	}
	listed := map[string]bool{"BTC": true}
	if n := testing.AllocsPerRun(100, func() {
		SessionAt(mc.ClassMetal, 1_790_000_000_000)
		ClassOf("xyz:TSLA", func(ticker string) bool { return listed[ticker] })
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// While the oracle rests, silence calms nothing and a move alarms; a gap counts in the range of its hour.
// Without the rest, silence calms.
func TestRestingHours(t *testing.T) {
	s, b := NewState(mc.ClassMetal), mc.Bar{OpenMs: 500_000 * hourMs, Open: 10, High: 10.01, Low: 9.99, Close: 10}
	seen := map[bool]bool{}
	for range 1000 {
		pushAll(t, s, []mc.Bar{b})
		b = FlatAfter(b)
		if s.Bars() <= seedBars+1 || s.Bars()%2 == 1 {
			b.High, b.Low = 10.01, 9.99
			continue
		}
		silent := FlatAfter(s.Last())
		resting := rests(mc.ClassMetal, hourOfWeek(mc.ClassMetal, silent.Hour()))
		before, e := s.e, s.e
		e.absorb(hourMeasure{parkinson: parkinson(silent), resting: resting})
		pushAll(t, s, []mc.Bar{silent})
		b = FlatAfter(silent)
		if s.e != e || resting != (s.e == before) {
			t.Fatalf("%s: memories %v after %v, resting %v", timeText(silent.OpenMs), s.e, before, resting)
		}
		seen[resting] = true
	}
	if len(seen) != 2 {
		t.Errorf("resting and other hours seen: %v", seen)
	}
	// The close jumps 5 % into a flat bar: its range is the gap.
	b.Open, b.High, b.Low, b.Close = 10.5, 10.5, 10.5, 10.5
	pushAll(t, s, []mc.Bar{b})
	gap := math.Pow(math.Log(10.5/10), 2) / (4 * math.Ln2) / Factor(mc.ClassMetal, b.Hour())
	if y := s.ranges.newest(1)[0]; !within(y, gap, 1e-12, 0) {
		t.Errorf("measure of a gap %v, want %v", y, gap)
	}
}
