package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestDocuments(t *testing.T) {
	for name, d := range map[string]*Document{"OpenAPI": OpenAPI, "AsyncAPI": AsyncAPI, "LLMs": LLMs,
		"LLMsFull": LLMsFull, "Docs": Docs, "DocsScript": DocsScript} {
		if len(d.Plain()) == 0 || string(unpack(d.Packed())) != string(d.Plain()) {
			t.Errorf("%s: the packed text is another", name)
		}
		if tag := d.ETag(); !strings.HasPrefix(tag, `W/"`) || tag != d.ETag() {
			t.Errorf("%s: tag %s", name, tag)
		}
	}
	for name, version := range map[string]string{"openapi": "3.1.0", "asyncapi": "3.0.0"} {
		d := map[string]*Document{"openapi": OpenAPI, "asyncapi": AsyncAPI}[name]
		var tree map[string]any
		if err := json.Unmarshal(d.Plain(), &tree); err != nil || tree[name] != version {
			t.Errorf("%s: %v, version %v", name, err, tree[name])
		}
	}
	for _, part := range []string{string(LLMs.Plain()), "\n# HTTP interface: ", "\n# Alerts: "} {
		if !strings.Contains(string(LLMsFull.Plain()), part) {
			t.Errorf("llms-full.txt lacks %.40q", part)
		}
	}
	if n := len(LLMs.Plain()); n >= 8<<10 {
		t.Errorf("llms.txt has %d bytes", n)
	}
}

// The page's script equals the published file byte by byte; see redoc/README.md.
func TestRedocIsThePublishedFile(t *testing.T) {
	const published = "dcaf76612bc4a3fbcc923a8966dee2f6146a5f32e5ce1b6f02dd60cbbf89500b"
	if sum := sha256.Sum256(DocsScript.Plain()); hex.EncodeToString(sum[:]) != published {
		t.Errorf("%x, want %s", sum, published)
	}
}

// Generators of clients take the contract: in the full form no value is of two types but null.
func TestContractIsPlain(t *testing.T) {
	var contract any
	if err := json.Unmarshal(OpenAPIAt("http://x", true).Plain(), &contract); err != nil {
		t.Fatal(err)
	}
	checkPlain(t, "", contract)
}

// Generators name types after operations: none is the name of a schema. A member with a default counts as
// required in some.
func TestContractHasNamesForGenerators(t *testing.T) {
	var contract struct {
		Paths      map[string]map[string]struct{ OperationID string }
		Components struct {
			Schemas map[string]struct {
				Properties map[string]map[string]any
			}
		}
	}
	if err := json.Unmarshal(OpenAPI.Plain(), &contract); err != nil || len(contract.Paths) == 0 {
		t.Fatal(err)
	}
	for path, methods := range contract.Paths {
		for _, operation := range methods {
			id := operation.OperationID
			name := strings.ToUpper(id[:1]) + id[1:] + "Result" // as orval names the answer
			if _, taken := contract.Components.Schemas[name]; taken {
				t.Errorf("%s: a schema is called %s", path, name)
			}
		}
	}
	for name, schema := range contract.Components.Schemas {
		for member, node := range schema.Properties {
			if _, preset := node["default"]; preset {
				t.Errorf("%s.%s has a default", name, member)
			}
		}
	}
}

func checkPlain(t *testing.T, pointer string, node any) {
	switch node := node.(type) {
	case []any:
		for i, child := range node {
			checkPlain(t, pointer+"/"+strconv.Itoa(i), child)
		}
	case map[string]any:
		_, bound := node["exclusiveMinimum"].(float64)
		types, _ := node["type"].([]any)
		branches, _ := node["anyOf"].([]any)
		alternatives := len(types) + len(branches)
		if slices.Contains(types, "null") || slices.ContainsFunc(branches, func(b any) bool {
			return b.(map[string]any)["type"] == "null"
		}) {
			alternatives--
		}
		if bound || alternatives > 1 || node["oneOf"] != nil || node["allOf"] != nil {
			t.Errorf("%s has a union or a bound that some generators do not know: %.200v", pointer, node)
		}
		for name, child := range node {
			if name != "example" {
				checkPlain(t, pointer+"/"+name, child)
			}
		}
	}
}
