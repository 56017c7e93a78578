package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"ballast/internal/printable"
)

// Reply is the answer to POST /mcp.
type Reply struct {
	Status int    // 200, 202, 4xx, 500 after a panic, or 0: not answered before ctx ended
	Body   []byte // one JSON-RPC message, empty with 202
	Fault  string // description of an error without a JSON-RPC message
}

// ServeHTTP answers the body of POST /mcp before ctx ends. It may keep header and body. The answer is
// complete when it returns: nothing is streamed.
func (s *Server) ServeHTTP(ctx context.Context, header http.Header, body []byte) Reply {
	// One request is one message, so that limits on requests apply; the protocol has dropped batches.
	// Only valid JSON is passed to the library.
	if !utf8.Valid(body) || !json.Valid(body) || bytes.TrimSpace(body)[0] != '{' {
		return Reply{Status: http.StatusBadRequest, Fault: "the body must be one JSON object, a message of JSON-RPC 2.0"}
	}
	if fault := faultOf(body); fault != "" {
		return Reply{Status: http.StatusBadRequest, Fault: fault}
	}
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, "/mcp", bytes.NewReader(body)) // fails for malformed addresses only
	req.Header = header
	header.Set("Content-Type", "application/json")
	header.Set("Accept", "application/json, text/event-stream") // required by the library
	done := make(chan Reply, 1)
	go func() { // because the library waits for its tools even when ctx ends
		defer func() {
			if r := recover(); r != nil {
				s.panicked(r)
				done <- Reply{Status: http.StatusInternalServerError}
			}
		}()
		w := &recorder{header: http.Header{}}
		s.http.ServeHTTP(w, req)
		done <- w.reply()
	}()
	select {
	case r := <-done:
		return r
	case <-ctx.Done():
		return Reply{}
	}
}

// faultOf returns why a message, a JSON object, must be rejected though the library would accept it; "" if it
// is fine.
func faultOf(message []byte) string {
	members, _ := readMembers(message) // valid, as the caller has checked
	for _, m := range members {
		switch {
		case m.name == "id" && !usableID(m.value):
			return "id: want a string, or a whole number of at most 2^53"
		case m.name == "params" && m.value[0] == '{':
			params, _ := readMembers(m.value)
			if name := usedTwice(params); name != "" {
				return "params: name used twice: " + name
			}
		}
	}
	if name := usedTwice(members); name != "" {
		return "name used twice: " + name
	}
	return ""
}

// usedTwice returns a name that is used twice, of which the library would take the second; "" if there is none.
func usedTwice(members []member) string {
	names := map[string]bool{}
	for _, m := range members {
		if names[m.name] {
			return printable.Text([]byte(m.name))
		}
		names[m.name] = true
	}
	return ""
}

// usableID reports whether the library returns an id unchanged.
func usableID(value []byte) bool {
	var text string
	if json.Unmarshal(value, &text) == nil && value[0] == '"' {
		return !strings.ContainsRune(text, utf8.RuneError) // half of a surrogate pair becomes one
	}
	n, err := strconv.ParseInt(string(value), 10, 64)
	return err == nil && -1<<53 <= n && n <= 1<<53
}

// recorder is an http.ResponseWriter that keeps the answer.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header         { return w.header }
func (w *recorder) Write(b []byte) (int, error) { return w.body.Write(b) }
func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

// reply returns the library's answer: an error before it parsed the message is plain text, everything
// else JSON.
func (w *recorder) reply() Reply {
	isJSON := strings.HasPrefix(w.header.Get("Content-Type"), "application/json")
	switch {
	case w.status == 0 && w.body.Len() == 0, w.status == http.StatusAccepted:
		return Reply{Status: w.status}
	case isJSON:
		return Reply{Status: max(w.status, http.StatusOK), Body: w.body.Bytes()}
	case w.status >= 400:
		return Reply{Status: w.status, Fault: strings.TrimSpace(w.body.String())}
	}
	return Reply{Status: http.StatusBadRequest, Fault: "this method is not supported"} // its answer is a stream
}
