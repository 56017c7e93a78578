package load

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Kind is a kind of request.
type Kind uint8

const (
	Validate   Kind = iota // POST /v1/validate without simulations
	MonteCarlo             // POST /v1/validate with simulations
	Batch                  // POST /v1/validate/batch
	Monitor                // GET /v1/monitor/{wallet}
	kindCount
)

var kindNames = [kindCount]string{"validate", "monte_carlo", "batch", "monitor"}

func (k Kind) String() string { return kindNames[k] }

// Mix holds the weight of each kind of request. MonteCarlo has no weight: its share is a share of
// the validations (Config.MonteCarloShare). Weights are relative: 90, 5, 5 is the same as 18, 1, 1.
type Mix [kindCount]float64

// ParseMix reads "validate=90,batch=5,monitor=5". A kind that is left out has weight 0.
func ParseMix(text string) (Mix, error) {
	var m Mix
	var seen [kindCount]bool
	for item := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(item), "=")
		k, ok := kindOf(name)
		if !ok || k == MonteCarlo {
			return Mix{}, fmt.Errorf("mix: %q: want validate, batch or monitor", name)
		}
		weight, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return Mix{}, fmt.Errorf("mix: %q: want a weight such as %s=90", item, name)
		}
		if seen[k] {
			return Mix{}, fmt.Errorf("mix: %s is there twice", name)
		}
		seen[k], m[k] = true, weight
	}
	return m, m.check()
}

func (m *Mix) check() error {
	sum := 0.0
	for k, w := range m {
		if !(w >= 0 && w <= 1e9) {
			return fmt.Errorf("mix: weight %v of %s: want 0 to 1e9", w, Kind(k))
		}
		sum += w
	}
	switch {
	case m[MonteCarlo] != 0:
		return errors.New("mix: simulations are a share of the validations")
	case sum == 0:
		return errors.New("mix: no kind has a weight")
	}
	return nil
}

func kindOf(name string) (Kind, bool) {
	for k, n := range kindNames {
		if n == name {
			return Kind(k), true
		}
	}
	return 0, false
}

// picker chooses requests by weight. The same seed gives the same order.
type picker struct {
	rng      *rand.Rand
	weights  [kindCount]float64
	requests [kindCount][]request
}

func newPicker(c *Config, requests [kindCount][]request) *picker {
	p := &picker{rng: rand.New(rand.NewPCG(c.Seed, 0)), weights: c.Mix, requests: requests}
	p.weights[MonteCarlo] = p.weights[Validate] * c.MonteCarloShare
	p.weights[Validate] -= p.weights[MonteCarlo]
	return p
}

// next returns the next request. It is shared and must not be modified.
func (p *picker) next() *request {
	total := 0.0
	for _, w := range p.weights {
		total += w
	}
	var chosen Kind // the last with a weight, if the weights add up to slightly less than total
	draw := p.rng.Float64() * total
	for k, w := range p.weights {
		if w > 0 && draw >= 0 {
			chosen = Kind(k)
			draw -= w
		}
	}
	of := p.requests[chosen]
	return &of[p.rng.IntN(len(of))]
}
