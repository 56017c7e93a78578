package mcp

import (
	"encoding/json"
	"maps"
	"strings"

	"ballast/server/spec"
)

// schemas are the schemas of the contract by name.
type schemas map[string]map[string]any

// toolNames replaces routes in the contract's texts by the tools that call them.
var toolNames = strings.NewReplacer("`GET /v1/assets`", "tool `list_markets`", "`GET /v1/model-info`",
	"tool `explain_flag`", "GET /v1/assets", "tool list_markets")

func contractSchemas() schemas {
	var contract struct{ Components struct{ Schemas schemas } }
	text := toolNames.Replace(string(spec.OpenAPI.Plain()))
	text = strings.ReplaceAll(text, `, "format": "double"`, "") // says nothing to a model
	text = strings.ReplaceAll(text, "#/components/schemas/", "#/$defs/")
	if err := json.Unmarshal([]byte(text), &contract); err != nil {
		panic("BUG: the contract is no JSON: " + err.Error())
	}
	s := contract.Components.Schemas
	s["ToolError"] = object("What is wrong, and how to mend the arguments. Members that do not apply are left out.",
		[]string{"error"}, map[string]any{
			"error":   textOf("Stable code."),
			"detail":  textOf("A sentence with the offending value."),
			"field":   textOf("Argument to change."),
			"got":     map[string]any{"type": []string{"string", "number"}, "description": "Its value."},
			"allowed": ref("Allowed"),
			"suggestion": map[string]any{"type": []string{"string", "number", "boolean"},
				"description": "A value that would do, in the argument's own type and unit, or a sentence."},
			"problems": map[string]any{"type": "array", "items": ref("Problem"),
				"description": "When several arguments are wrong: all of them."},
			"retry_after_s": map[string]any{"type": "integer", "description": "Ask again after so many seconds."},
			"request_id":    textOf("To quote when reporting a fault."),
		})
	return s
}

func ref(name string) map[string]any { return map[string]any{"$ref": "#/$defs/" + name} }

func textOf(description string) map[string]any {
	return map[string]any{"type": "string", "description": description}
}

func object(description string, required []string, properties map[string]any) map[string]any {
	schema := map[string]any{"type": "object", "description": description, "properties": properties}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}

// aboutNull is a sentence of the contract that an input schema without null contradicts.
const aboutNull = "`null` for an optional field equals leaving it out; an unknown"

// input returns a schema of the contract with further properties, in a form that every client
// understands: without references, without keywords that some models' interfaces refuse, and without null,
// which means the same as leaving a field out.
func (s schemas) input(name string, more map[string]any) map[string]any {
	schema := s.spelled(ref(name)).(map[string]any)
	schema["description"] = strings.Replace(schema["description"].(string), aboutNull, "An unknown", 1)
	maps.Copy(schema["properties"].(map[string]any), more)
	return schema
}

// spelled returns a copy of a schema with its references resolved.
func (s schemas) spelled(node any) any {
	switch node := node.(type) {
	case map[string]any:
		if to, ok := node["$ref"].(string); ok {
			return s.spelled(map[string]any(s[strings.TrimPrefix(to, "#/$defs/")]))
		}
		spelled := map[string]any{}
		for name, child := range node {
			spelled[name] = s.spelled(child)
		}
		delete(spelled, "examples")
		delete(spelled, "exclusiveMinimum")
		if types, ok := spelled["type"].([]any); ok {
			spelled["type"] = types[0]
		}
		if or, ok := spelled["anyOf"].([]any); ok && len(or) == 1 { // the other alternative was null
			delete(spelled, "anyOf")
			maps.Copy(spelled, or[0].(map[string]any))
		}
		return spelled
	case []any:
		var list []any
		for _, child := range node {
			child = s.spelled(child)
			schema, _ := child.(map[string]any) // nil for a word
			if child != nil && child != "null" && schema["type"] != "null" {
				list = append(list, child)
			}
		}
		return list
	}
	return node
}

// output returns the schema of a result that is one of the alternatives, or an error.
func (s schemas) output(alternatives ...any) map[string]any {
	return s.whole(map[string]any{"type": "object", "anyOf": append(alternatives, ref("ToolError"))})
}

// full returns a short alternative for a schema of the contract that is too long to include.
func (s schemas) full(name string) map[string]any {
	return map[string]any{"type": "object", "required": s[name]["required"], "description": "With detail full: " +
		name + " of GET /openapi.json."}
}

// whole adds the definitions to which a schema refers.
func (s schemas) whole(schema map[string]any) map[string]any {
	defs := map[string]any{}
	var collect func(any)
	collect = func(node any) {
		switch node := node.(type) {
		case map[string]any:
			if to, ok := node["$ref"].(string); ok {
				name := strings.TrimPrefix(to, "#/$defs/")
				if defs[name] == nil {
					defs[name] = s[name]
					collect(s[name])
				}
			}
			for _, child := range node {
				collect(child)
			}
		case []any:
			for _, child := range node {
				collect(child)
			}
		}
	}
	collect(schema)
	if len(defs) > 0 {
		schema["$defs"] = defs
	}
	return schema
}
