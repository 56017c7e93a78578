package vol

import mc "ballast/marketcache"

const hoursPerDay = 24

// paths holds what the path of the price within 24 hours of each index k is computed from.
type paths struct {
	logClose tape // ln C of each bar from seedBars on
	sd       tape // sqrt(V_k(24)) of each index k from seedBars on whose 24 hours have passed
}

func (p *paths) init() {
	p.sd.keep = window[mc.H24] + 1
	p.logClose.keep = p.sd.keep + hoursPerDay
}

// add takes the log close of bar t, and the volatility forecast at bar t-24.
func (p *paths) add(t int, logClose, sd float64) {
	if t >= seedBars {
		p.logClose.append(logClose)
	}
	if t-hoursPerDay >= seedBars {
		p.sd.append(sd)
	}
}

// DayPaths returns, for the newest 8,761 indexes k whose 24 hours have passed, oldest first, ln C_k and
// sqrt(V_k(24)), and the first k. logClose goes on to the newest bar. The slices never change.
func (s *State) DayPaths() (first int, logClose, sd []float64) {
	sd = s.paths.sd.newest(s.paths.sd.keep)
	if len(sd) == 0 {
		return 0, nil, nil
	}
	return s.bars - hoursPerDay - len(sd), s.paths.logClose.newest(len(sd) + hoursPerDay), sd
}

// LogExtremes returns the log extremes of the newest bar as excursions count them; from 721 returns on.
func (s *State) LogExtremes() (low, high float64) {
	e := s.excursions.extremes[(s.bars-1)%weekHours]
	return e.low, e.high
}

// Variance returns V(h) of horizon h (an index) at the newest bar.
func (s *State) Variance(h int) float64 { return s.variance[h] }
