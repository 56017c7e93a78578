package exchange

import (
	"strconv"

	"ballast/internal/jsonscan"
)

// Answer is what the venue says to an action. The zero value is ready for ParseAnswer.
type Answer struct {
	OK       bool
	Error    string   // unless OK: why the whole action is refused
	Type     string   // if OK: order, cancel, twapOrder, twapCancel, default and others
	Statuses []Status // if OK: of each order, in order; of a TWAP its only one

	tape tape
}

// StatusKind is what became of one order.
type StatusKind uint8

const (
	OtherStatus       StatusKind = iota // one that is not known here
	Failed                              // refused; Error says why
	Resting                             // in the book
	Filled                              // filled
	WaitingForFill                      // a child whose parent has not filled
	WaitingForTrigger                   // a trigger order
	Success                             // cancelled
	Running                             // a TWAP
)

// Status is what became of one order.
type Status struct {
	Kind         StatusKind
	OID          uint64 // if Resting or Filled; the TWAP's id if Running
	HasCloid     bool   // if Resting or Filled
	Cloid        Cloid
	Size         Decimal // if Filled: base units
	AveragePrice float64 // if Filled
	Error        string  // if Failed
}

// single reports whether answers of the type have one status instead of a list.
func single(typ string) bool { return typ == "twapOrder" || typ == "twapCancel" }

// AppendJSON appends the answer as the venue writes it.
func (a *Answer) AppendJSON(b []byte) []byte {
	if !a.OK {
		b = appendString(append(b, `{"status":"err","response":`...), a.Error)
		return append(b, '}')
	}
	b = appendString(append(b, `{"status":"ok","response":{"type":`...), a.Type)
	switch {
	case single(a.Type) && len(a.Statuses) > 0:
		b = append(a.Statuses[0].appendJSON(append(b, `,"data":{"status":`...)), '}')
	case a.Type == "order" || a.Type == "cancel":
		b = append(b, `,"data":{"statuses":[`...)
		for i := range a.Statuses {
			if i > 0 {
				b = append(b, ',')
			}
			b = a.Statuses[i].appendJSON(b)
		}
		b = append(b, `]}`...)
	}
	return append(b, `}}`...)
}

func (s *Status) appendJSON(b []byte) []byte {
	switch s.Kind {
	case Failed:
		return append(appendString(append(b, `{"error":`...), s.Error), '}')
	case Resting:
		b = strconv.AppendUint(append(b, `{"resting":{"oid":`...), s.OID, 10)
		return append(s.appendCloid(b), `}}`...)
	case Filled:
		b = s.Size.AppendText(append(b, `{"filled":{"totalSz":"`...))
		b = appendPrice(append(b, `","avgPx":"`...), s.AveragePrice)
		b = strconv.AppendUint(append(b, `","oid":`...), s.OID, 10)
		return append(s.appendCloid(b), `}}`...)
	case Running:
		b = strconv.AppendUint(append(b, `{"running":{"twapId":`...), s.OID, 10)
		return append(b, `}}`...)
	case WaitingForFill, WaitingForTrigger, Success:
		return appendString(b, statusWords[s.Kind])
	}
	panic("BUG: an unknown status cannot be written")
}

var statusWords = map[StatusKind]string{
	WaitingForFill: "waitingForFill", WaitingForTrigger: "waitingForTrigger", Success: "success"}

func (s *Status) appendCloid(b []byte) []byte {
	if !s.HasCloid {
		return b
	}
	return append(s.Cloid.AppendText(append(b, `,"cloid":"`...)), '"')
}

// appendPrice appends a price with at least one decimal, as the venue does.
func appendPrice(b []byte, x float64) []byte {
	decimals := -1
	if x == float64(int64(x)) {
		decimals = 1
	}
	return strconv.AppendFloat(b, x, 'f', decimals, 64)
}

// AppendRefusal appends an answer of the venue's form that refuses the whole action for that reason: orders and
// cancellations one by one, another action as a whole.
func (a *Action) AppendRefusal(b []byte, reason string) []byte {
	answer := Answer{OK: true}
	switch a.Inner().Form.(type) {
	case *PlaceOrders, *BatchModify:
		answer.Type = "order"
	case *Cancel, *CancelByCloid:
		answer.Type = "cancel"
	case *TWAPOrder, *TWAPCancel:
		answer.Type = a.Inner().Type()
	default:
		answer = Answer{Error: reason}
	}
	for range a.Elements() {
		answer.Statuses = append(answer.Statuses, Status{Kind: Failed, Error: reason})
	}
	return answer.AppendJSON(b)
}

// ParseAnswer reads an answer of the venue. It accepts members and statuses that are not known here. What it stores
// in a is valid until the next ParseAnswer into a.
func ParseAnswer(body []byte, a *Answer) error {
	a.OK, a.Error, a.Type, a.Statuses = false, "", "", a.Statuses[:0]
	t := &a.tape
	if err := t.parse(body); err != nil {
		return err
	}
	response := t.child(0, "response", jsonscan.Object)
	switch status := t.textOf(0, "status"); {
	case status == "err":
		a.Error = t.textOf(0, "response")
		return nil
	case status != "ok" || response < 0:
		return &DecodeError{Path: "status", Problem: "is neither ok nor err"}
	}
	a.OK, a.Type = true, t.textOf(response, "type")
	data := t.child(response, "data", jsonscan.Object)
	if data < 0 {
		return nil
	}
	if i := t.member(data, "status"); i >= 0 {
		a.Statuses = append(a.Statuses, t.status(i))
	}
	list := t.child(data, "statuses", jsonscan.Array)
	if list < 0 {
		return nil
	}
	i := list + 1
	for range t.nodes[list].n {
		a.Statuses = append(a.Statuses, t.status(i))
		i += t.nodes[i].size
	}
	return nil
}

// child returns the index of a member of that kind, -1 if there is none.
func (t *tape) child(at int, name string, kind jsonscan.Kind) int {
	if t.nodes[at].kind != jsonscan.Object {
		return -1
	}
	if i := t.member(at, name); i >= 0 && t.nodes[i].kind == kind {
		return i
	}
	return -1
}

// textOf returns the text of a member, "" if it has none.
func (t *tape) textOf(at int, name string) string {
	if i := t.child(at, name, jsonscan.String); i >= 0 {
		return string(t.nodes[i].text)
	}
	return ""
}

// status reads the status at index at.
func (t *tape) status(at int) (s Status) {
	n := &t.nodes[at]
	if n.kind == jsonscan.String {
		for kind, word := range statusWords {
			if string(n.text) == word {
				s.Kind = kind
			}
		}
		return s
	}
	if i := t.child(at, "error", jsonscan.String); i >= 0 {
		return Status{Kind: Failed, Error: string(t.nodes[i].text)}
	}
	for _, c := range [...]struct {
		kind StatusKind
		name string
		id   string
	}{{Resting, "resting", "oid"}, {Filled, "filled", "oid"}, {Running, "running", "twapId"}} {
		i := t.child(at, c.name, jsonscan.Object)
		if i < 0 {
			continue
		}
		id := t.child(i, c.id, jsonscan.Number)
		if id < 0 {
			return Status{}
		}
		var err error
		if s.OID, err = strconv.ParseUint(string(t.nodes[id].text), 10, 64); err != nil {
			return Status{}
		}
		s.Kind = c.kind
		_, s.HasCloid = parseHex(s.Cloid[:], []byte(t.textOf(i, "cloid")))
		if c.kind == Filled {
			var problem string
			s.Size, problem, _ = parseDecimal([]byte(t.textOf(i, "totalSz")))
			price, err := strconv.ParseFloat(t.textOf(i, "avgPx"), 64)
			if problem != "" || err != nil {
				return Status{}
			}
			s.AveragePrice = price
		}
	}
	return s
}
