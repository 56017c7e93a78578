package outcomes

import (
	"encoding/json"
	"math"
)

// Source says who told an outcome.
type Source string

// The sources.
const (
	Market   Source = "market"
	Reported Source = "reported"
	// Unverified outcomes are reported ones about a decision that is not known. They are counted, and nothing else.
	Unverified Source = "unverified"
)

// Edges are the bounds of the bins of the calibration curve, fractions; a lower bound belongs to its bin, 1 to the
// last. They are those of the evidence (docs/model.md).
var Edges = [...]float64{0, 0.001, 0.005, 0.02, 0.05, 0.1, 0.2, 0.4, 1}

const (
	binCount    = len(Edges) - 1
	decileCount = 10
)

// Tally is a sum of outcomes.
type Tally struct {
	Count      int `json:"n,omitempty"`
	Liquidated int `json:"l,omitempty"`
	// Told counts the outcomes with a P&L; Lost and Won those with one below and above 0.
	Told    int     `json:"t,omitempty"`
	Lost    int     `json:"o,omitempty"`
	Won     int     `json:"w,omitempty"`
	USD     float64 `json:"u,omitempty"` // P&L
	PctTold int     `json:"q,omitempty"` // outcomes with a P&L in percent of margin
	Pct     float64 `json:"c,omitempty"`
	// Judged counts the outcomes with a probability; Probability is its sum, Squared that of the squared differences
	// from the outcome.
	Judged      int     `json:"j,omitempty"`
	Probability float64 `json:"p,omitempty"`
	Squared     float64 `json:"s,omitempty"`
}

// Sums are the outcomes of one source and horizon.
type Sums struct {
	Bands   [len(Bands)]Tally  `json:"b"`
	Bins    [binCount]Tally    `json:"r"` // by probability
	Deciles [decileCount]Tally `json:"d"` // by score
	// Unknown counts decisions whose bars never came.
	Unknown int `json:"x,omitempty"`
	// VaRs counts the outcomes with a VaR, Exceeded those beyond it.
	VaRs     int `json:"v,omitempty"`
	Exceeded int `json:"e,omitempty"`
}

// entry is one outcome in the form of its sums.
type entry struct {
	band               int
	score, probability *float64
	liquidated         bool
	usd, pct           float64 // NaN: not known
}

// add adds an outcome.
func (s *Sums) add(e *entry) {
	s.Bands[e.band].add(e)
	if e.probability != nil {
		s.Bins[binOf(*e.probability)].add(e)
	}
	if e.score != nil {
		s.Deciles[max(0, min(decileCount-1, int(*e.score/(100/decileCount))))].add(e)
	}
}

// binOf returns the bin of a probability.
func binOf(p float64) int {
	i := 0
	for i < binCount-1 && p >= Edges[i+1] {
		i++
	}
	return i
}

func (t *Tally) add(e *entry) {
	t.Count++
	hit := 0.0
	if e.liquidated {
		t.Liquidated++
		hit = 1
	}
	if !math.IsNaN(e.usd) {
		t.Told++
		t.USD += e.usd
		switch {
		case e.usd < 0:
			t.Lost++
		case e.usd > 0:
			t.Won++
		}
	}
	if !math.IsNaN(e.pct) {
		t.PctTold++
		t.Pct += e.pct
	}
	if e.probability != nil {
		miss := *e.probability - hit
		t.Judged++
		t.Probability += *e.probability
		t.Squared += float64(miss * miss)
	}
}

// AddMarket adds an outcome that the market told.
func (s *Sums) AddMarket(c *Case, o *Outcome, horizon int) {
	s.add(&entry{c.Band, c.Score, c.Probability[horizon], o.Liquidated, o.PnLUSD, o.PnLPct})
	if o.VaRJudged {
		s.VaRs++
		if o.VaRExceeded {
			s.Exceeded++
		}
	}
}

// Merge adds other sums.
func (s *Sums) Merge(o *Sums) {
	for i := range s.Bands {
		s.Bands[i].merge(&o.Bands[i])
	}
	for i := range s.Bins {
		s.Bins[i].merge(&o.Bins[i])
	}
	for i := range s.Deciles {
		s.Deciles[i].merge(&o.Deciles[i])
	}
	s.Unknown, s.VaRs, s.Exceeded = s.Unknown+o.Unknown, s.VaRs+o.VaRs, s.Exceeded+o.Exceeded
}

func (t *Tally) merge(o *Tally) {
	t.Count, t.Liquidated = t.Count+o.Count, t.Liquidated+o.Liquidated
	t.Told, t.Lost, t.Won, t.USD = t.Told+o.Told, t.Lost+o.Lost, t.Won+o.Won, t.USD+o.USD
	t.PctTold, t.Pct = t.PctTold+o.PctTold, t.Pct+o.Pct
	t.Judged, t.Probability, t.Squared = t.Judged+o.Judged, t.Probability+o.Probability, t.Squared+o.Squared
}

// All returns the sum over all bands.
func (s *Sums) All() (all Tally) {
	for i := range s.Bands {
		all.merge(&s.Bands[i])
	}
	return all
}

// Brier returns the mean squared difference of probability and outcome. ok is false without an outcome that has a
// probability.
func (t *Tally) Brier() (brier float64, ok bool) { return ratio(t.Squared, t.Judged) }

// MeanProbability returns the mean probability of the outcomes that have one.
func (t *Tally) MeanProbability() (p float64, ok bool) { return ratio(t.Probability, t.Judged) }

func ratio(sum float64, n int) (x float64, ok bool) {
	if n == 0 {
		return 0, false
	}
	return sum / float64(n), true
}

// decodeSums reads what encode wrote; "" are no outcomes.
func decodeSums(text string) (s Sums, err error) {
	if text != "" {
		err = json.Unmarshal([]byte(text), &s)
	}
	return s, err
}

func encode(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic("BUG: no JSON: " + err.Error())
	}
	return string(text)
}
