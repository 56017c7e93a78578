package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
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
	if !usableID(body) {
		return Reply{Status: http.StatusBadRequest, Fault: "id: want one string, or one whole number of at most 2^53"}
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

// usableID reports whether the library returns the id of a message, a JSON object, unchanged. A notification
// has none; of two the library would take the second.
func usableID(message []byte) bool {
	members, _ := readMembers(message) // valid, as the caller has checked
	ids := slices.DeleteFunc(members, func(m member) bool { return m.name != "id" })
	return len(ids) == 0 || len(ids) == 1 && usableAsID(ids[0].value)
}

func usableAsID(value []byte) bool {
	if value[0] == '"' {
		return true
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
