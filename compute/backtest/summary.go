package backtest

import "ballast/marketcache"

// Summary combines the results of one level over both sides of several histories.
type Summary struct {
	Level float64
	N     int // forecasts of all sides
	Hits  int
	Rate  float64 // Hits/N
	Sides int     // number of sides: two for each history
	// Passes count the sides with a p-value above PassLevel.
	KupiecPasses, ChristoffersenPasses, ESPasses int
	PinballRatio, FZ0                            float64 // means over the sides
}

// Summarise pools results, which should be of one model.
func Summarise(results []*Result) (out [marketcache.LevelCount]Summary) {
	passed := func(p float64) int {
		if p > PassLevel {
			return 1
		}
		return 0
	}
	for level := range out {
		s := &out[level]
		s.Level = Levels[level]
		for _, r := range results {
			for side := range Sides {
				row := r.Row(side, level)
				s.N += row.N
				s.Hits += row.Hits
				s.Sides++
				s.KupiecPasses += passed(row.KupiecP)
				s.ChristoffersenPasses += passed(row.ChristoffersenP)
				s.ESPasses += passed(row.McNeilFreyP)
				s.PinballRatio += row.PinballRatio
				s.FZ0 += row.FZ0
			}
		}
		if s.Sides > 0 {
			s.Rate = float64(s.Hits) / float64(s.N)
			s.PinballRatio /= float64(s.Sides)
			s.FZ0 /= float64(s.Sides)
		}
	}
	return out
}
