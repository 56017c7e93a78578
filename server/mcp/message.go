package mcp

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"ballast/internal/printable"
)

const (
	noBatches         = "2025-06-18" // the first version of the protocol without batches
	statelessProtocol = "2026-07-28" // the first version without initialize, in which every message says its version
)

// Message is one message of a client.
type Message struct {
	id      json.RawMessage // exactly as it came; null when there is none, or none that can be told
	version string          // of the protocol; "" if it is not known
	method  string
	params  json.RawMessage // an object or an array; nil: none
	silent  bool            // a notification or a response, which gets no answer
	fault   *jsonrpc.Error  // why it is no message
}

var null = json.RawMessage("null")

// Read returns the messages of a body or line: one, or those of a batch. version is that of the protocol, ""
// if it is not known. There is at least one message; what cannot be read is a message whose answer says why.
func Read(body []byte, version string) (messages []Message, batch bool) {
	if !utf8.Valid(body) || !json.Valid(body) {
		return []Message{broken(jsonrpc.CodeParseError, "this is no JSON in UTF-8")}, false
	}
	var elements []json.RawMessage
	if json.Unmarshal(body, &elements) != nil || elements == nil { // null is a nil list
		return []Message{read(body, version)}, false
	}
	switch {
	case version >= noBatches:
		return []Message{broken(jsonrpc.CodeInvalidRequest,
			"the protocol has no batches from version "+noBatches+" on: send one message at a time")}, false
	case len(elements) == 0:
		return []Message{broken(jsonrpc.CodeInvalidRequest, "an empty batch")}, false
	}
	for _, element := range elements {
		m := read(element, version)
		if m.method == "initialize" && m.fault == nil {
			m.fault = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "initialize in a batch: send it alone"}
		}
		messages = append(messages, m)
	}
	return messages, true
}

func broken(code int64, why string) Message {
	return Message{id: null, fault: &jsonrpc.Error{Code: code, Message: why}}
}

// Refused returns the answer to a body that is not read, an error without an id.
func Refused(why string) []byte {
	m := broken(jsonrpc.CodeInvalidRequest, why)
	return m.answer(0, m.fault).Body
}

const noMessage = `want one JSON object, a message of JSON-RPC 2.0: with "jsonrpc": "2.0", and method a string`

// read reads one message, which is valid JSON.
func read(text []byte, version string) Message {
	members, bad := readMembers(text)
	if bad != nil || members == nil {
		return broken(jsonrpc.CodeInvalidRequest, noMessage)
	}
	m := Message{id: null, version: version, silent: true}
	var why string
	var isRequest, isResponse bool
	rpc := ""
	for _, member := range members {
		value := member.value
		switch member.name {
		case "jsonrpc":
			json.Unmarshal(value, &rpc) // another type is no version
		case "id":
			m.silent = false
			if m.id = value; value[0] != '"' && value[0] != '-' && (value[0] < '0' || value[0] > '9') {
				m.id, why = null, "id: want a string or a number"
			}
		case "method":
			isRequest = json.Unmarshal(value, &m.method) == nil && value[0] == '"'
		case "params":
			switch value[0] {
			case '{', '[':
				m.params = value
			case 'n': // some clients send null for nothing
			default:
				why = "params: want an object"
			}
		case "result", "error":
			isResponse = true
		}
	}
	switch name := usedTwice(members); {
	case name != "":
		why = "name used twice: " + name
	case rpc != "2.0":
		why = noMessage
	case !isRequest && isResponse:
		m.silent, why = true, "" // nothing was asked, so no answer is awaited
	case !isRequest:
		why = "missing member: method, a string"
	}
	if why != "" {
		m.silent = false
		m.fault = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: why}
	}
	return m
}

// usedTwice returns a name that is used twice among members or within params, of which the library would take
// the second; "" if there is none.
func usedTwice(members []member) string {
	names := map[string]bool{}
	for _, m := range members {
		if names[m.name] {
			return printable.Text([]byte(m.name))
		}
		names[m.name] = true
		if m.name == "params" {
			inner, _ := readMembers(m.value) // none if params is no object
			if name := usedTwice(inner); name != "" {
				return name
			}
		}
	}
	return ""
}

// Reply is the answer to a message, or to the messages of a batch.
type Reply struct {
	Status int    // of HTTP: 200, 202, 4xx, 5xx
	Body   []byte // one message of JSON-RPC, or an array of them; nil: nothing is to be answered
	// unasked: the body says why a notification was refused. It belongs to the status and into no batch.
	unasked bool
}

// answer returns the answer to a message: result is an error of JSON-RPC, or the result.
func (m *Message) answer(status int, result any) Reply {
	name := "result"
	if _, failed := result.(*jsonrpc.Error); failed {
		name = "error"
	}
	var body bytes.Buffer
	body.WriteString(`{"jsonrpc":"2.0","id":` + string(m.id) + `,"` + name + `":`)
	e := json.NewEncoder(&body)
	e.SetEscapeHTML(false)
	if err := e.Encode(result); err != nil {
		panic("BUG: an answer that does not encode: " + err.Error())
	}
	body.Truncate(body.Len() - 1) // the line break
	body.WriteByte('}')
	return Reply{Status: status, Body: body.Bytes()}
}

// Refuse returns the answer to a message that the service itself refused, with an error of HTTP. A refused
// tool call is a result, so that the model reads when to ask again.
func (m *Message) Refuse(a *Answer) Reply {
	f := failureOf(a)
	if m.method == "tools/call" && m.fault == nil && !m.silent {
		result, _ := json.Marshal(f.result()) // never fails
		if m.version >= statelessProtocol {
			result = slices.Concat([]byte(`{"resultType":"complete",`), result[1:])
		}
		return m.answer(http.StatusOK, json.RawMessage(result))
	}
	data, _ := json.Marshal(f) // never fails
	r := m.answer(a.Status, &jsonrpc.Error{Code: serverError, Message: f.text(), Data: data})
	r.unasked = m.silent
	return r
}

// serverError is the code of JSON-RPC for an error that the server defines.
const serverError = -32000

// Join returns the answer to a batch. Its status is 202 if there is nothing to answer.
func Join(replies []Reply) Reply {
	var bodies [][]byte
	for _, r := range replies {
		if r.Body != nil && !r.unasked {
			bodies = append(bodies, r.Body)
		}
	}
	if len(bodies) == 0 {
		return Reply{Status: http.StatusAccepted}
	}
	return Reply{Status: http.StatusOK, Body: slices.Concat([]byte("["), bytes.Join(bodies, []byte(",")), []byte("]"))}
}
