package api

import "ballast/compute/risk"

// Decoder reads request bodies. The zero value is ready; one goroutine at a time.
type Decoder struct{ scan Scanner }

// Validation reads the body of one validation request into r. The texts in r point into
// the body or the decoder, valid until either is reused. It returns nil, or what is
// wrong with the body: first whatever makes it not one strict JSON object, then the
// first name that requests do not have. A value of another type than its field's is left
// to Request.Check, which reports faults in the order of the fields.
func (d *Decoder) Validation(body []byte, r *risk.Request) *risk.Reject {
	*r = risk.Request{}
	s := &d.scan
	s.Reset(body)
	var unknown []byte
	if s.BeginObject() {
		unknown = readTrade(s, r)
		s.End()
	}
	if !s.OK() {
		return invalidJSON(s)
	}
	if unknown != nil {
		return risk.UnknownField(unknown)
	}
	return nil
}

// readTrade reads the members of an object that was begun and returns the first name
// that is not a field's, nil when there is none.
func readTrade(s *Scanner, r *risk.Request) (unknown []byte) {
	var v Value
	for first := true; ; first = false {
		name, ok := s.Member(first)
		if !ok || !s.Value(&v) {
			return unknown
		}
		switch string(name) {
		case "asset":
			setText(&r.Asset, &v)
		case "action":
			setText(&r.Action, &v)
		case "size":
			setNumber(&r.Size, &v)
		case "leverage":
			setNumber(&r.Leverage, &v)
		case "mode":
			setText(&r.Mode, &v)
		case "monte_carlo":
			setBool(&r.MonteCarlo, &v)
		case "wallet":
			setText(&r.Wallet, &v)
		default:
			if unknown == nil {
				unknown = name
			}
		}
	}
}

// kindOf maps a value to what its field holds: null equals absence.
func kindOf(v *Value, want Kind) risk.Kind {
	switch v.Kind {
	case want:
		return risk.Given
	case KindNull:
		return risk.Absent
	}
	return risk.Mistyped
}

func setText(f *risk.TextField, v *Value) {
	f.Kind, f.Text = kindOf(v, KindString), v.Text
}

func setNumber(f *risk.NumberField, v *Value) {
	f.Kind, f.Value = kindOf(v, KindNumber), v.Number
}

func setBool(f *risk.BoolField, v *Value) {
	f.Kind, f.Value = kindOf(v, KindBool), v.Bool
}

func invalidJSON(s *Scanner) *risk.Reject {
	return &risk.Reject{Code: CodeInvalidJSON, Detail: s.Problem()}
}
