package api

import (
	"cmp"
	"strconv"

	"ballast/compute/risk"
	"ballast/internal/jsonscan"
	"ballast/internal/printable"
)

// Scanner parses the bodies of requests. The zero value is ready.
type Scanner struct{ jsonscan.Scanner }

// Validation parses the body of a validation request into r. The texts in r point into the body or the
// scanner and are valid until either is reused. It returns nil or the first fault: that the body is not
// one strict JSON object, or else the first unknown name. A value of the wrong type is left to
// Request.Check, which reports faults in the order of the fields.
func (s *Scanner) Validation(body []byte, r *risk.Request) *risk.Reject {
	*r = risk.Request{}
	s.Reset(body)
	if s.BeginObject() {
		readTrade(s, r, false)
		s.End()
	}
	if !s.OK() {
		return invalidJSON(s)
	}
	return firstUnknown(r.Unknown)
}

// maxUnknown is the maximum number of unknown names of an object that are kept.
const maxUnknown = 16

// keep adds an unknown name to those of its object.
func keep(unknown [][]byte, name []byte) [][]byte {
	if len(unknown) < maxUnknown {
		unknown = append(unknown, name)
	}
	return unknown
}

func firstUnknown(names [][]byte) *risk.Reject {
	if len(names) == 0 {
		return nil
	}
	return risk.UnknownField(names[0])
}

// readTrade parses the members of an object. A trade of a batch has no wallet.
func readTrade(s *Scanner, r *risk.Request, ofBatch bool) {
	var v jsonscan.Value
	for name, more := s.Member(); more; name, more = s.Member() {
		if string(name) == "order" && s.NextKind() == jsonscan.Object {
			readOrder(s, r)
			s.Blame("order")
			continue
		}
		if !s.Value(&v) {
			s.Blame(printable.Name(name))
			return
		}
		if string(name) == "wallet" && ofBatch || !readField(r, name, &v) {
			r.Unknown = keep(r.Unknown, name)
		}
	}
}

// readField sets the field of a validation request with a name, and reports whether there is one.
func readField(r *risk.Request, name []byte, v *jsonscan.Value) bool {
	switch string(name) {
	case "wallet":
		set(&r.Wallet, v, jsonscan.String, v.Text)
	case "asset":
		set(&r.Asset, v, jsonscan.String, v.Text)
	case "action":
		set(&r.Action, v, jsonscan.String, v.Text)
	case "size":
		set(&r.Size, v, jsonscan.Number, v.Number)
	case "size_coin":
		set(&r.SizeCoin, v, jsonscan.Number, v.Number)
	case "leverage":
		set(&r.Leverage, v, jsonscan.Number, v.Number)
	case "mode":
		set(&r.Mode, v, jsonscan.String, v.Text)
	case "monte_carlo":
		set(&r.MonteCarlo, v, jsonscan.Bool, v.Bool)
	case "order":
		r.Order.Kind, r.Order.Raw = kindOf(v, jsonscan.Object), v.Raw
	default:
		return false
	}
	return true
}

// inOrder is the start of the path of a member of an order.
const inOrder = "order."

// readOrder parses the members of an order.
func readOrder(s *Scanner, r *risk.Request) {
	var v jsonscan.Value
	o := &r.Order
	o.Kind = risk.Given
	s.BeginObject()
	for name, more := s.Member(); more; name, more = s.Member() {
		if !s.Value(&v) {
			s.Blame(printable.Name(name))
			return
		}
		switch string(name) {
		case "type":
			set(&o.Type, &v, jsonscan.String, v.Text)
		case "price":
			set(&o.Price, &v, jsonscan.Number, v.Number)
		case "tif":
			set(&o.TIF, &v, jsonscan.String, v.Text)
		case "reduce_only":
			set(&o.ReduceOnly, &v, jsonscan.Bool, v.Bool)
		case "take_profit_price":
			set(&o.TakeProfit, &v, jsonscan.Number, v.Number)
		case "stop_loss_price":
			set(&o.StopLoss, &v, jsonscan.Number, v.Number)
		default:
			r.Unknown = keep(r.Unknown, []byte(inOrder+printable.Name(name)))
		}
	}
}

// MaxTrades is the maximum number of trades in a batch.
const MaxTrades = 50

// Batch is the parsed body of a batch.
type Batch struct {
	Wallet  risk.Field[[]byte]
	Trades  []BatchTrade     // valid until the body or the scanner is reused
	list    risk.Field[bool] // of the member trades; without a value
	unknown [][]byte         // names of members that are no field
}

// BatchTrade is one element of the array of trades.
type BatchTrade struct {
	Request risk.Request
	Trade   risk.Trade   // for the caller, who checks the request
	Bad     *risk.Reject // fault of the element; nil: none
	Text    []byte       // the element as it stands in the body
}

// Batch parses the body of a batch into b. It returns nil or a fault of the batch as a whole; a fault of
// one trade is in its element.
func (s *Scanner) Batch(body []byte, b *Batch) *risk.Reject {
	*b = Batch{Trades: b.Trades[:0]}
	s.Reset(body)
	count := 0
	if s.BeginObject() {
		count = readBatch(s, body, b)
		s.End()
	}
	switch {
	case !s.OK():
		return invalidJSON(s)
	case len(b.unknown) > 0:
		return firstUnknown(b.unknown)
	case b.Wallet.Kind == risk.Given && b.list.Kind == risk.Given && count > MaxTrades:
		detail := "max " + strconv.Itoa(MaxTrades) + " trades per batch"
		return &risk.Reject{Code: CodeBatchTooLarge, Field: "trades", Detail: detail}
	}
	missing := b.missing()
	if bad := cmp.Or(missing[:]...); bad != nil {
		return bad
	}
	if count == 0 {
		return &risk.Reject{Code: CodeValidation, Field: "trades", Detail: "trades array is empty"}
	}
	for i := range b.Trades {
		b.Trades[i].Request.Wallet = b.Wallet
	}
	return nil
}

// missing returns what is wrong with the two members of a batch: nil for a member that is there.
func (b *Batch) missing() [2]*risk.Reject {
	return [...]*risk.Reject{
		risk.Required(b.Wallet.Kind, "wallet", "a string"), risk.Required(b.list.Kind, "trades", "an array"),
	}
}

// readBatch parses the members of a batch and returns the number of trades. Trades beyond MaxTrades are
// counted but not kept.
func readBatch(s *Scanner, body []byte, b *Batch) (count int) {
	var v jsonscan.Value
	for name, more := s.Member(); more; name, more = s.Member() {
		if string(name) == "trades" && s.NextKind() == jsonscan.Array {
			b.list.Kind = risk.Given
			s.BeginArray()
			for s.Element() {
				if count++; count <= MaxTrades {
					s.NextKind() // behind the blanks
					begin, t := s.Offset(), readElement(s)
					if s.OK() {
						t.Text = body[begin:s.Offset()]
					}
					b.Trades = append(b.Trades, t)
				} else {
					s.Value(&v)
				}
				if !s.OK() {
					s.Blame("trades[" + strconv.Itoa(count-1) + "]")
				}
			}
			continue
		}
		if !s.Value(&v) {
			s.Blame(printable.Name(name))
		}
		switch string(name) {
		case "wallet":
			set(&b.Wallet, &v, jsonscan.String, v.Text)
		case "trades":
			set(&b.list, &v, jsonscan.Array, false)
		default:
			b.unknown = keep(b.unknown, name)
		}
	}
	return count
}

func readElement(s *Scanner) (t BatchTrade) {
	if s.NextKind() != jsonscan.Object {
		var v jsonscan.Value
		s.Value(&v)
		t.Bad = &risk.Reject{Code: CodeValidation,
			Detail: `each trade must be an object, as {"asset":"BTC","action":"long","size":50000}`}
		return t
	}
	s.BeginObject()
	readTrade(s, &t.Request, true)
	t.Bad = firstUnknown(t.Request.Unknown)
	return t
}

// kindOf returns what a value means for its field: null means absent.
func kindOf(v *jsonscan.Value, want jsonscan.Kind) risk.Kind {
	switch v.Kind {
	case want:
		return risk.Given
	case jsonscan.Null:
		return risk.Absent
	}
	return risk.Mistyped
}

// set sets a field to a value, which must have a kind to count as given.
func set[T []byte | float64 | bool](f *risk.Field[T], v *jsonscan.Value, want jsonscan.Kind, value T) {
	f.Kind, f.Value = kindOf(v, want), value
	if f.Kind == risk.Mistyped {
		f.Raw = v.Raw
	}
}

func invalidJSON(s *Scanner) *risk.Reject {
	return &risk.Reject{Code: CodeInvalidJSON, Field: s.Field(), Detail: s.Problem()}
}
