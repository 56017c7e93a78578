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
	if err := json.Unmarshal([]byte(text), &contract); err != nil {
		panic("BUG: the contract is no JSON: " + err.Error())
	}
	return contract.Components.Schemas
}

func textOf(description string) map[string]any {
	return map[string]any{"type": "string", "description": description}
}

func object(description string, required []string, properties map[string]any) map[string]any {
	schema := map[string]any{"type": "object", "description": description}
	if len(properties) > 0 {
		schema["properties"] = properties
	}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}

// aboutNull takes out a sentence of the contract that an input schema without null contradicts.
var aboutNull = strings.NewReplacer("`null` for an optional field equals leaving it out; an unknown", "An unknown",
	" `null` for an optional field equals leaving it out.", "")

// input returns a schema of the contract with further properties, in a form that every client
// understands: without references, without keywords that some models' interfaces refuse, and without null,
// which means the same as leaving a field out.
func (s schemas) input(name string, more map[string]any) map[string]any {
	schema := s.spelled(map[string]any(s[name])).(map[string]any)
	schema["description"] = aboutNull.Replace(schema["description"].(string))
	maps.Copy(schema["properties"].(map[string]any), more)
	return schema
}

// leaveTexts replaces the texts of an order's members in a schema: validate_trade has them.
func leaveTexts(node any) {
	switch node := node.(type) {
	case map[string]any:
		if order, ok := node["order"].(map[string]any); ok {
			order["description"] = "See validate_trade."
			for _, member := range order["properties"].(map[string]any) {
				member.(map[string]any)["description"] = "See validate_trade."
			}
		}
		for _, child := range node {
			leaveTexts(child)
		}
	case []any:
		for _, child := range node {
			leaveTexts(child)
		}
	}
}

// planInput is the input of validate_plan.
func (s schemas) planInput(more map[string]any) map[string]any {
	schema := s.input("BatchRequest", more)
	leaveTexts(schema)
	return schema
}

// sizeInput is the input of size_trade, whose curve must be asked for.
func (s schemas) sizeInput(more map[string]any) map[string]any {
	schema := s.input("SizeRequest", more)
	leaveTexts(schema)
	properties := schema["properties"].(map[string]any)
	delete(properties, "monte_carlo") // may only be false
	properties["curve"] = map[string]any{"type": "boolean",
		"description": "Add 33 sizes with their risk, several KB. Left out: false."}
	return schema
}

// spelled returns a copy of a schema with its references resolved.
func (s schemas) spelled(node any) any {
	switch node := node.(type) {
	case map[string]any:
		if to, ok := node["$ref"].(string); ok {
			return s.spelled(map[string]any(s[strings.TrimPrefix(to, "#/components/schemas/")]))
		}
		spelled := map[string]any{}
		for name, child := range node {
			spelled[name] = s.spelled(child)
		}
		for _, keyword := range []string{"exclusiveMinimum", "default", "minProperties", "maxProperties"} {
			if _, property := spelled[keyword].(map[string]any); !property {
				delete(spelled, keyword)
			}
		}
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

// output returns the schema of a result. It names the schema of the contract, which is long and read by programs.
func output(what string) map[string]any {
	return object(what+" On isError: error, detail.", nil, nil)
}

const ofContract = " of GET /openapi.json"
