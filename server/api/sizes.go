package api

import (
	"slices"
	"strings"

	"ballast/compute/risk"
	"ballast/internal/jsonscan"
	"ballast/internal/printable"
	"ballast/marketcache"
)

// Sizes is the parsed body of a request for the largest size.
type Sizes struct {
	// Request is the trade; its size is that of the largest request, so that whatever refuses an increase applies.
	Request risk.Request
	Trade   risk.Trade // after Check

	given         []byte // "size" or "size_coin" when the request has one
	target        risk.Field[bool]
	limits        [risk.SizeTargets]risk.Field[float64]
	limitNames    [][]byte // members of target that are no target
	curve, ladder risk.Field[bool]
}

// largestLimits are the largest values of the targets; all are above 0.
var largestLimits = [risk.SizeTargets]float64{
	risk.TargetScore: 100, risk.TargetProbability24h: 1, risk.TargetLoss99: 1000, risk.TargetBreakeven: 100,
}

// Sizes parses the body of a request for the largest size into q. It returns nil or the first fault that needs no
// check of values.
func (s *Scanner) Sizes(body []byte, q *Sizes) *risk.Reject {
	*q = Sizes{}
	s.Reset(body)
	if s.BeginObject() {
		readSizes(s, q)
		s.End()
	}
	if !s.OK() {
		return invalidJSON(s)
	}
	if r := &q.Request; r.Size.Kind != risk.Absent {
		q.given = []byte("size")
	} else if r.SizeCoin.Kind != risk.Absent {
		q.given = []byte("size_coin")
	}
	q.Request.Size = risk.Field[float64]{Kind: risk.Given, Value: risk.MaxSizeUSD}
	q.Request.SizeCoin = risk.Field[float64]{}
	return firstUnknown(q.Request.Unknown)
}

func readSizes(s *Scanner, q *Sizes) {
	var v jsonscan.Value
	for name, more := s.Member(); more; name, more = s.Member() {
		switch object := s.NextKind() == jsonscan.Object; {
		case object && string(name) == "target":
			q.target.Kind = risk.Given
			q.readTarget(s)
			s.Blame("target")
			continue
		case object && string(name) == "order":
			readOrder(s, &q.Request)
			s.Blame("order")
			continue
		}
		if !s.Value(&v) {
			s.Blame(printable.Name(name))
			return
		}
		switch string(name) {
		case "target":
			set(&q.target, &v, jsonscan.Object, false)
		case "curve":
			set(&q.curve, &v, jsonscan.Bool, v.Bool)
		case "ladder":
			set(&q.ladder, &v, jsonscan.Bool, v.Bool)
		default:
			if !readField(&q.Request, name, &v) {
				q.Request.Unknown = keep(q.Request.Unknown, name)
			}
		}
	}
}

func (q *Sizes) readTarget(s *Scanner) {
	var v jsonscan.Value
	s.BeginObject()
	for name, more := s.Member(); more; name, more = s.Member() {
		if !s.Value(&v) {
			s.Blame(printable.Name(name))
			return
		}
		if t := targetOf(name); t < risk.SizeTargets {
			set(&q.limits[t], &v, jsonscan.Number, v.Number)
		} else {
			q.limitNames = keep(q.limitNames, name)
		}
	}
}

// targetOf is the target of a name, SizeTargets for none.
func targetOf(name []byte) risk.SizeTarget {
	for t := range risk.SizeTargets {
		if string(name) == t.String() {
			return t
		}
	}
	return risk.SizeTargets
}

const inTarget = "target."

// targetNames are the names of the targets.
var targetNames = func() (names []string) {
	for t := range risk.SizeTargets {
		names = append(names, t.String())
	}
	return names
}()

// Check applies the rules: those of the trade, then those of the other fields. It returns the first broken rule,
// or nil; afterwards Trade is the trade.
func (q *Sizes) Check(universe *marketcache.Universe) *risk.Reject {
	if bad := q.checkSize(); bad != nil {
		return bad
	}
	if bad := q.Request.Check(universe, &q.Trade); bad != nil {
		return bad
	}
	for _, bad := range q.checkRest() {
		if bad != nil {
			return bad
		}
	}
	return q.checkTarget()
}

// problems returns every unknown field, then every broken rule in the order of Check.
func (q *Sizes) problems(universe *marketcache.Universe) (all []*risk.Reject) {
	all = append(q.Request.Problems(universe), q.checkSize())
	rest := q.checkRest()
	all = append(append(all, rest[:]...), q.checkTarget())
	for t := range risk.SizeTargets {
		if bad := q.checkLimit(t); bad != nil && bad.Field != q.checkTarget().Field {
			all = append(all, bad)
		}
	}
	return slices.DeleteFunc(all, isNone)
}

func (q *Sizes) checkSize() *risk.Reject {
	if q.given == nil {
		return nil
	}
	return invalid(string(q.given), string(q.given)+" is given, but the size is what this request asks for")
}

// checkRest checks what a validation request may have and this may not, and the switches.
func (q *Sizes) checkRest() (all [6]*risk.Reject) {
	if string(q.Request.Action.Value) == "close" {
		all[0] = invalid("action", "a close has no largest size: the whole position may always go")
	}
	if m := &q.Request.MonteCarlo; m.Kind == risk.Given && m.Value {
		all[1] = invalid("monte_carlo", "sizes are searched without a simulation: validate the answer for one")
	}
	if o := &q.Request.Order; string(o.Type.Value) == "limit" {
		all[2] = invalid("order.type", "sizes are searched for market orders: validate the answer as a limit order")
	}
	if o := &q.Request.Order.ReduceOnly; o.Kind == risk.Given && o.Value {
		all[3] = invalid("order.reduce_only", "an order that only reduces has no largest size: "+
			"the whole position may always go")
	}
	for i, f := range [...]struct {
		name  string
		field *risk.Field[bool]
	}{{"curve", &q.curve}, {"ladder", &q.ladder}} {
		if f.field.Kind == risk.Mistyped {
			all[4+i] = risk.Required(risk.Mistyped, f.name, "a boolean")
		}
	}
	return all
}

// checkTarget checks that there is exactly one limit, within its range.
func (q *Sizes) checkTarget() *risk.Reject {
	if bad := risk.Required(q.target.Kind, "target", "an object"); bad != nil {
		return bad
	}
	if len(q.limitNames) > 0 {
		name := printable.Name(q.limitNames[0])
		return invalid(inTarget+name, "unknown field: "+inTarget+name)
	}
	var given []string
	for t := range risk.SizeTargets {
		if q.limits[t].Kind != risk.Absent {
			given = append(given, t.String())
		}
	}
	switch len(given) {
	case 0:
		return invalid("target", "target is empty, want exactly one of "+strings.Join(targetNames, ", "))
	case 1:
		return q.checkLimit(targetOf([]byte(given[0])))
	}
	return invalid("target", "target has "+strings.Join(given, " and ")+", want exactly one")
}

func (q *Sizes) checkLimit(t risk.SizeTarget) *risk.Reject {
	f := &q.limits[t]
	switch {
	case f.Kind == risk.Absent:
		return nil
	case f.Kind == risk.Mistyped:
		return risk.Required(f.Kind, inTarget+t.String(), "a number")
	case !(f.Value > 0 && f.Value <= largestLimits[t]):
		return invalid(inTarget+t.String(), t.String()+" must be above 0 and at most "+
			printable.Number(largestLimits[t])+", got "+printable.Number(f.Value))
	}
	return nil
}

// Question returns what a checked request asks for.
func (q *Sizes) Question() (out risk.SizeQuestion) {
	out.Curve = q.curve.Kind == risk.Absent || q.curve.Value
	out.Ladder = q.Request.Leverage.Kind == risk.Absent
	if q.ladder.Kind == risk.Given {
		out.Ladder = q.ladder.Value
	}
	for t := range risk.SizeTargets {
		if q.limits[t].Kind == risk.Given {
			out.Target, out.Limit = t, q.limits[t].Value
		}
	}
	return out
}
