package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"ballast/internal/printable"
)

// Reply is the answer to POST /mcp.
type Reply struct {
	Status int    // 200, 202, 4xx, 500 after a panic, or 0: not answered before ctx ended
	Body   []byte // one JSON-RPC message, empty with 202
	Fault  string // why the body is no message, or a message without an id is refused
}

// ServeHTTP answers the body of POST /mcp before ctx ends. It may keep header and body. The answer is
// complete when it returns: nothing is streamed.
func (s *Server) ServeHTTP(ctx context.Context, header http.Header, body []byte) Reply {
	// One request is one message, so that limits on requests apply; the protocol has dropped batches.
	// Only valid JSON is passed to the library.
	if !utf8.Valid(body) || !json.Valid(body) || bytes.TrimSpace(body)[0] != '{' {
		return Reply{Status: http.StatusBadRequest, Fault: noMessage}
	}
	if fault := faultOf(body); fault != "" {
		return Reply{Status: http.StatusBadRequest, Fault: fault}
	}
	message, err := jsonrpc.DecodeMessage(body)
	if err != nil {
		return Reply{Status: http.StatusBadRequest, Fault: noMessage}
	}
	if r, ok := message.(*jsonrpc.Response); ok && r.Result == nil && r.Error == nil {
		r.Error = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "missing member: method"}
		answer, _ := jsonrpc.EncodeMessage(r) // never fails
		return Reply{Status: http.StatusBadRequest, Body: answer}
	}
	// fails for malformed addresses only
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, "/mcp", bytes.NewReader(body))
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
		done <- w.reply(message, header.Get("Mcp-Protocol-Version"))
	}()
	select {
	case r := <-done:
		return r
	case <-ctx.Done():
		return Reply{}
	}
}

const noMessage = `the body must be one JSON object, a message of JSON-RPC 2.0: ` +
	`with "jsonrpc": "2.0", and method a string`

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
	w.status = cmp.Or(w.status, status)
}

// reply returns the library's answer to a message. Errors become those of JSON-RPC: the library refuses some
// messages with plain text, and answers a method that this service does not have with an event stream.
func (w *recorder) reply(to jsonrpc.Message, version string) Reply {
	if w.status == 0 && w.body.Len() == 0 || w.status == http.StatusAccepted {
		return Reply{Status: w.status}
	}
	status, body := max(w.status, http.StatusOK), w.body.Bytes()
	isJSON := strings.HasPrefix(w.header.Get("Content-Type"), "application/json")
	fault := &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: strings.TrimSpace(string(body))}
	if isJSON {
		answer, _ := jsonrpc.DecodeMessage(body)
		response, _ := answer.(*jsonrpc.Response)
		if response == nil || !errors.As(response.Error, &fault) {
			return Reply{Status: status, Body: body}
		}
	}
	request, _ := to.(*jsonrpc.Request)
	request = cmp.Or(request, new(jsonrpc.Request))
	switch {
	case strings.HasPrefix(fault.Message, "JSON RPC not handled"), !isJSON && status == http.StatusOK:
		fault = &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "no such method: " +
			printable.Text([]byte(request.Method))}
		if status = http.StatusOK; version >= "2026-07-28" { // which wants 404
			status = http.StatusNotFound
		}
	case strings.HasPrefix(fault.Message, "handling '"): // params do not fit a type of the library
		fault = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "params of " + request.Method +
			": want an object with the members and types of the protocol"}
	case isJSON:
		return Reply{Status: status, Body: body}
	}
	if !request.IsCall() {
		return Reply{Status: http.StatusBadRequest, Fault: fault.Message}
	}
	body, _ = jsonrpc.EncodeMessage(&jsonrpc.Response{ID: request.ID, Error: fault}) // never fails
	return Reply{Status: status, Body: body}
}
