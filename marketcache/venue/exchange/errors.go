package exchange

// DecodeError says why a body is not an action of the venue.
type DecodeError struct {
	Path    string // of the member, such as action.orders[0].p; "" for the whole body
	Problem string
	Mend    string // how to mend it
	Syntax  bool   // the body is not JSON; otherwise it is not of the venue's shape
}

func (e *DecodeError) Error() string {
	path := e.Path
	if path == "" {
		path = "the body"
	}
	text := path + " " + e.Problem
	if e.Mend != "" {
		text += ": " + e.Mend
	}
	return text
}
