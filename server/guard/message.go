package guard

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"ballast/internal/jsonscan"
	"ballast/internal/printable"
)

// message is one message of JSON-RPC from the client.
type message struct {
	id     json.RawMessage // nil: a notification, which gets no answer
	method string
	params map[string]json.RawMessage
}

// call is the name and the arguments of a tools/call.
type call struct {
	name      string
	arguments map[string]any // numbers are json.Number
}

// readLine parses the messages of a line. Every program must read the same in it: repeated names, names in another
// case, and characters that end a line for some are refused.
func readLine(line []byte) (messages []message, batch bool, err error) {
	line = bytes.TrimRight(line, "\r\n")
	if bytes.ContainsAny(line, "\r\u2028\u2029") {
		return nil, false, errors.New("a character inside of the message ends a line for some programs (CR, U+2028 " +
			"or U+2029): write it as \\r or \\u2028 inside of a string, and nowhere else")
	}
	var s jsonscan.Scanner
	var v jsonscan.Value
	s.Reset(line)
	if !s.Value(&v) || !s.End() {
		return nil, false, errors.New("no JSON that every program reads alike: " + s.Problem())
	}
	var parts []json.RawMessage
	if batch = v.Kind == jsonscan.Array; !batch {
		parts = append(parts, line)
	} else if err := json.Unmarshal(line, &parts); err != nil {
		return nil, batch, err
	} else if len(parts) == 0 {
		return nil, batch, errors.New("a batch without messages")
	}
	for _, part := range parts {
		m, err := readMessage(part)
		if err != nil {
			return nil, batch, err
		}
		messages = append(messages, m)
	}
	return messages, batch, nil
}

// readMessage reads one message of JSON that was checked.
func readMessage(text json.RawMessage) (m message, err error) {
	members, err := membersOf(text, "a message", "jsonrpc", "id", "method", "params", "result", "error")
	if err != nil {
		return m, err
	}
	if id := bytes.TrimSpace(members["id"]); len(id) > 0 {
		if m.id = id; id[0] == '{' || id[0] == '[' || id[0] == 't' || id[0] == 'f' {
			return m, errors.New("the id of a message must be a text or a number")
		}
	}
	method, has := members["method"]
	if !has { // the answer to a request of the server
		return m, nil
	}
	if json.Unmarshal(method, &m.method) != nil || m.method == "" {
		return m, errors.New("method must be a text")
	}
	if params := bytes.TrimSpace(members["params"]); len(params) > 0 && params[0] == '{' {
		m.params, err = membersOf(params, "params", "name", "arguments", "requestId")
	}
	return m, err
}

// membersOf returns the members of an object. A name that differs from one of the known names in case alone is
// refused, because some programs take it for that one.
func membersOf(text []byte, what string, known ...string) (members map[string]json.RawMessage, err error) {
	if err := json.Unmarshal(text, &members); err != nil || members == nil {
		return nil, errors.New(what + " must be an object")
	}
	for name := range members {
		if like := alike(name, known); like != "" {
			return nil, errors.New(what + " has a member " + printable.Name([]byte(name)) + ": write " + like)
		}
	}
	return members, nil
}

// alike returns the known name that differs from a name in case alone, "" if there is none.
func alike(name string, known []string) string {
	if slices.Contains(known, name) {
		return ""
	}
	i := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, name) })
	if i < 0 {
		return ""
	}
	return known[i]
}

// keyOf returns an id in a form that does not depend on how it is written, "" for none.
func keyOf(id json.RawMessage) string {
	var value any
	if json.Unmarshal(id, &value) != nil || value == nil {
		return ""
	}
	return fmt.Sprintf("%T %[1]v", value)
}

// readCall returns the tool call that a message is.
func readCall(m *message) (c call, err error) {
	if json.Unmarshal(m.params["name"], &c.name) != nil || c.name == "" {
		return c, errors.New("params.name must be the name of a tool")
	}
	arguments := m.params["arguments"]
	if len(arguments) == 0 || string(arguments) == "null" {
		return c, nil
	}
	d := json.NewDecoder(bytes.NewReader(arguments))
	d.UseNumber()
	if d.Decode(&c.arguments) != nil {
		return c, errors.New("params.arguments must be an object")
	}
	return c, nil
}

// answer is a response to the client.
type answer struct {
	Version string              `json:"jsonrpc"`
	ID      json.RawMessage     `json:"id"`
	Result  *sdk.CallToolResult `json:"result,omitempty"`
	Error   *jsonrpc.Error      `json:"error,omitempty"`
}

// refusal answers a message that is not passed on: a tool call with a result, any other request with an error.
func (m *message) refusal(text string) answer {
	a := answer{Version: "2.0", ID: m.id}
	if m.method == "tools/call" {
		a.Result = &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: text}}, IsError: true}
	} else {
		a.Error = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: text}
	}
	return a
}
