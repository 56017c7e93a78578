package risk

// FlagSet is a set of flags, with the figure and the threshold of each raised flag.
type FlagSet struct {
	bits      uint64
	Value     [FlagCount]float64
	Threshold [FlagCount]float64
}

// Has reports whether a flag is raised.
func (s *FlagSet) Has(f Flag) bool { return s.bits>>f&1 != 0 }

// Bits has bit f set for each raised flag f.
func (s *FlagSet) Bits() uint64 { return s.bits }

// Empty reports whether no flag is raised.
func (s *FlagSet) Empty() bool { return s.bits == 0 }

func (s *FlagSet) raise(f Flag, value, threshold float64) {
	s.bits |= 1 << f
	s.Value[f], s.Threshold[f] = value, threshold
}

// Forbid raises the flags of what the operator does not allow: the kill switch, or a number of rules of the policy that
// are broken or cannot be judged.
func (s *FlagSet) Forbid(killed bool, rules int) {
	s.when(FlagKillSwitch, killed)
	s.above(FlagPolicyViolation, float64(rules), 0)
}

// above raises a flag when value exceeds threshold.
func (s *FlagSet) above(f Flag, value, threshold float64) {
	if value > threshold && !s.Has(f) {
		s.raise(f, value, threshold)
	}
}

// when raises a flag without a figure if on.
func (s *FlagSet) when(f Flag, on bool) {
	if on && !s.Has(f) {
		s.raise(f, 1, 0)
	}
}
