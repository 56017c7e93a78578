package mcp

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// maxList is the maximum length of the answer to tools/list, bytes: every model reads it before its first question.
const maxList = 15_000

// Every model's interface takes the input schemas: they have no keyword that one of them refuses, and no property
// is of two types.
func TestInputSchemasArePlain(t *testing.T) {
	r := post(t.Context(), New(Config{}), http.Header{}, `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	if len(r.Body) > maxList {
		t.Errorf("the list of tools has %d bytes", len(r.Body))
	}
	var answer struct {
		Result struct {
			Tools []struct {
				Name        string
				InputSchema map[string]any
			}
		}
	}
	if err := json.Unmarshal(r.Body, &answer); err != nil || len(answer.Result.Tools) != len(tools(contractSchemas())) {
		t.Fatalf("%v: %s", err, r.Body)
	}
	for _, tool := range answer.Result.Tools {
		if text, _ := json.Marshal(tool.InputSchema); strings.Contains(string(text), "null") {
			t.Errorf("%s speaks of null: %s", tool.Name, text)
		}
		checkSchema(t, tool.Name, tool.InputSchema)
	}
}

// checkSchema checks a schema and those of its properties.
func checkSchema(t *testing.T, name string, schema map[string]any) {
	allowed := " type description enum minimum maximum minItems maxItems pattern properties required items " +
		"additionalProperties "
	for keyword := range schema {
		if !strings.Contains(allowed, " "+keyword+" ") {
			t.Errorf("%s has %s", name, keyword)
		}
	}
	typ, _ := schema["type"].(string)
	if typ == "" || schema["description"] == nil {
		t.Errorf("%s has type %v and description %v", name, schema["type"], schema["description"])
	}
	if typ == "object" && schema["additionalProperties"] != false {
		t.Errorf("%s allows more properties", name)
	}
	if schema["enum"] != nil && typ != "string" {
		t.Errorf("%s lists values that are no strings", name)
	}
	if items, ok := schema["items"].(map[string]any); ok {
		checkSchema(t, name+"[]", items)
	}
	properties, _ := schema["properties"].(map[string]any)
	for property, inner := range properties {
		checkSchema(t, name+"."+property, inner.(map[string]any))
	}
}
