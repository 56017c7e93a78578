package api

import (
	"slices"
	"strings"

	"github.com/goccy/go-json"

	"ballast/compute/risk"
	"ballast/internal/printable"
	"ballast/marketcache"
)

var sizeFields = []string{
	"wallet", "asset", "action", "leverage", "mode", "order", "monte_carlo", "target", "curve", "ladder",
}

// MendSizes returns how to mend a refused request for the largest size.
func MendSizes(bad *risk.Reject, q *Sizes, universe *marketcache.Universe) Mending {
	if bad.Code != CodeValidation {
		return Mending{Field: bad.Field}
	}
	return mendAll(bad, q.problems(universe), func(p *risk.Reject) Mending { return q.mendField(p, universe) })
}

func (q *Sizes) mendField(bad *risk.Reject, universe *marketcache.Universe) Mending {
	m := Mending{Field: bad.Field}
	if name, is := strings.CutPrefix(bad.Field, inTarget); is {
		q.mendLimit(&m, name)
		return m
	}
	switch bad.Field {
	case "size", "size_coin":
		m.Suggestion = "leave it out"
	case "target":
		m.Allowed = &Allowed{Values: targetNames}
		if q.target.Kind != risk.Given {
			m.typed(q.target.Raw)
		}
		m.Suggestion = `an object with one limit, such as {"max_score": 40}`
	case "curve":
		m.boolean(&q.curve)
	case "ladder":
		m.boolean(&q.ladder)
	case "action":
		m = mendField(bad, &q.Request, universe, false)
		if m.Allowed = (&Allowed{Values: actions[:risk.ActionClose]}); m.Suggestion == "close" {
			m.Suggestion = nil
		}
	case "monte_carlo":
		m.boolean(&q.Request.MonteCarlo)
		if q.Request.MonteCarlo.Value {
			m.Got, m.Suggestion = "true", false
		}
	case "order.type":
		if m = mendField(bad, &q.Request, universe, false); m.Suggestion == "limit" {
			m.Allowed, m.Suggestion = &Allowed{Values: orderTypes[:1]}, orderTypes[0]
		}
	case "order.reduce_only":
		if m = mendField(bad, &q.Request, universe, false); q.Request.Order.ReduceOnly.Value {
			m.Suggestion = false
		}
	default:
		if !slices.Contains(sizeFields, bad.Field) && !strings.HasPrefix(bad.Field, inOrder) {
			return mendUnknown(bad.Field, sizeFields)
		}
		return mendField(bad, &q.Request, universe, false)
	}
	return m
}

// mendLimit says how to mend a member of target.
func (q *Sizes) mendLimit(m *Mending, name string) {
	t := targetOf([]byte(name))
	if t == risk.SizeTargets {
		m.Allowed = &Allowed{Values: targetNames}
		m.Suggestion = Suggestion(targetNamed(name))
		return
	}
	f, most := &q.limits[t], largestLimits[t]
	m.number(f, &Allowed{ExclusiveMin: new(float64), Max: most}, []string{"%"})
	switch {
	case f.Kind == risk.Mistyped:
		m.Allowed.Type = "number"
		text, _ := m.Got.(string)
		inPct := strings.Contains(text, "%")
		if n, ok := numberIn(text, []string{"%"}); ok && t == risk.TargetProbability24h && (inPct || n > most) &&
			n > 0 && n <= pctPerUnit {
			m.Suggestion = json.Number(printable.Decimal(n / pctPerUnit))
		}
	case t == risk.TargetProbability24h && f.Value > most && f.Value <= pctPerUnit:
		m.Suggestion = json.Number(printable.Decimal(f.Value / pctPerUnit))
	case f.Value > most:
		m.Suggestion = json.Number(printable.Decimal(most))
	}
}

const pctPerUnit = 100

// boolean is for a field with a boolean.
func (m *Mending) boolean(f *risk.Field[bool]) {
	m.typed(f.Raw)
	m.Suggestion = suggestBoolean(f.Raw)
}
