package load

import (
	"errors"
	"fmt"
	"math"
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

// dice is a xorshift random number generator: cheap, and the same seed gives the same order of
// requests.
type dice uint64

func (d *dice) next() uint64 {
	x := uint64(*d)
	x ^= x >> 12
	x ^= x << 25
	x ^= x >> 27
	*d = dice(x)
	return x * 0x2545f4914f6cdd1d
}

// picker chooses requests by weight.
type picker struct {
	dice     dice
	bound    [kindCount]uint64 // cumulative share of each kind, as a fraction of MaxUint64
	requests [kindCount][]request
}

func newPicker(c *Config, requests [kindCount][]request) *picker {
	p := &picker{dice: dice(c.Seed*0x9e3779b97f4a7c15 | 1), requests: requests}
	weights := c.Mix
	weights[MonteCarlo] = weights[Validate] * c.MonteCarloShare
	weights[Validate] -= weights[MonteCarlo]
	total, last := 0.0, Kind(0)
	for k, w := range weights {
		total += w
		if w > 0 {
			last = Kind(k)
		}
	}
	sum := 0.0
	for k, w := range weights {
		sum += w
		if Kind(k) >= last { // the shares may add up to slightly less than 1
			p.bound[k] = math.MaxUint64
		} else {
			p.bound[k] = uint64(sum / total * (1 << 63) * 2)
		}
	}
	return p
}

// next returns the next request. It is shared and must not be modified.
func (p *picker) next() *request {
	r := p.dice.next()
	k := Kind(0)
	for r > p.bound[k] || p.bound[k] == 0 {
		k++
	}
	of := p.requests[k]
	return &of[p.dice.next()%uint64(len(of))]
}
