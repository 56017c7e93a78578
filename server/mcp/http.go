package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"ballast/internal/printable"
)

// Answer answers a message before ctx ends. header has the headers of the HTTP request that begin with Mcp-,
// and what the tools pass on. Answer may keep both. The answer is complete when it returns: nothing is streamed.
// ok is false if ctx ended first, or after a panic.
func (s *Server) Answer(ctx context.Context, header http.Header, m Message) (r Reply, ok bool) {
	switch {
	case m.fault != nil:
		return m.answer(http.StatusBadRequest, m.fault), true
	case m.silent: // no notification changes what this service does
		return Reply{Status: http.StatusAccepted}, true
	}
	type outcome struct {
		reply Reply
		ok    bool
	}
	done := make(chan outcome, 1)
	go func() { // because the library waits for its tools even when ctx ends
		defer func() {
			if r := recover(); r != nil {
				s.panicked(r)
				done <- outcome{}
			}
		}()
		done <- outcome{s.ask(ctx, header.Clone(), m), true}
	}()
	select {
	case o := <-done:
		return o.reply, o.ok
	case <-ctx.Done():
		return Reply{}, false
	}
}

// ask passes a request to the library and returns its answer. The library returns some ids changed, so it gets
// one of its own.
func (s *Server) ask(ctx context.Context, header http.Header, m Message) Reply {
	method, _ := json.Marshal(m.method) // never fails
	params := m.params
	if params == nil {
		params = json.RawMessage("{}") // so that the error names what is missing in it
	}
	var first struct{ ProtocolVersion string }
	if err := json.Unmarshal(params, &first); m.method == "initialize" && (err != nil || first.ProtocolVersion == "") {
		return m.answer(http.StatusOK, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams,
			Message: "params of initialize: want an object with protocolVersion, a string"})
	}
	body := slices.Concat([]byte(`{"jsonrpc":"2.0","id":1,"method":`), method, []byte(`,"params":`), params,
		[]byte("}"))
	// fails for malformed addresses only
	req, _ := http.NewRequestWithContext(ctx, http.MethodPost, "/mcp", bytes.NewReader(body))
	req.Header = header
	header.Set("Content-Type", "application/json")
	header.Set("Accept", "application/json, text/event-stream") // required by the library
	w := &recorder{header: http.Header{}}
	s.http.ServeHTTP(w, req)
	return w.reply(&m)
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
func (w *recorder) reply(m *Message) Reply {
	status := max(w.status, http.StatusOK)
	var answer struct {
		Result json.RawMessage
		Error  *jsonrpc.Error
	}
	isJSON := strings.HasPrefix(w.header.Get("Content-Type"), "application/json") &&
		json.Unmarshal(w.body.Bytes(), &answer) == nil
	fault := answer.Error
	switch {
	case isJSON && fault == nil:
		return m.answer(status, answer.Result)
	case !isJSON:
		fault = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: strings.TrimSpace(w.body.String())}
	}
	switch {
	case strings.HasPrefix(fault.Message, "JSON RPC not handled"), !isJSON && status == http.StatusOK:
		fault = &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "no such method: " +
			printable.Text([]byte(m.method))}
		if status = http.StatusOK; m.version >= statelessProtocol { // which wants 404
			status = http.StatusNotFound
		}
	case strings.HasPrefix(fault.Message, "handling '"): // params do not fit a type of the library
		fault = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "params of " + m.method +
			": want an object with the members and types of the protocol"}
	}
	return m.answer(status, fault)
}
