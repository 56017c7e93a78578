package ballast

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// shape is what a JSON value of an answer must fulfil.
type shape struct {
	Ref        string           // the name of a shape
	Any        []shape          // one of these
	Type       []string         // its type, one of these; none: any
	Enum       []any            // its values, none: any
	Minimum    *float64         // least number
	Maximum    *float64         // largest number
	Items      *shape           // of each element
	Values     *shape           // of each value of a map
	Required   []string         // names of members that must be there
	Properties map[string]shape // members
}

//go:embed answers.json
var answersText []byte

// shapes by name, as the contract has them
var shapes = func() (all map[string]shape) {
	if err := json.Unmarshal(answersText, &all); err != nil {
		panic("BUG: answers.json: " + err.Error())
	}
	return all
}()

// decode decodes an answer. Every member that the contract requires must be there, with its type: what is left
// out, and null, would be decoded as 0, which may read as "no risk". A plan that was asked has a result for each trade.
func decode(text []byte, answer, asked any) error {
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	name := reflect.TypeOf(answer).Elem().Name()
	if problem := (shape{Ref: name}).problem("the answer", value); problem != "" {
		return errors.New(problem)
	}
	if plan, is := asked.(BatchRequest); is {
		if results := value.(map[string]any)["results"].([]any); len(results) != len(plan.Trades) {
			return fmt.Errorf("%d results for %d trades", len(results), len(plan.Trades))
		}
	}
	return json.Unmarshal(text, answer)
}

// problem says what is wrong with a value; "": nothing.
func (s shape) problem(path string, value any) string {
	if s.Ref != "" {
		s = shapes[s.Ref]
	}
	if len(s.Any) > 0 {
		first := s.Any[0].problem(path, value)
		if slices.ContainsFunc(s.Any, func(one shape) bool { return one.problem(path, value) == "" }) {
			return ""
		}
		return first
	}
	kind := kindOf(value)
	if len(s.Type) > 0 && !slices.Contains(s.Type, kind) && !(kind == "integer" && slices.Contains(s.Type, "number")) {
		return fmt.Sprintf("%s is %s, want %s", path, kind, strings.Join(s.Type, " or "))
	}
	number, isNumber := value.(float64)
	if s.Enum != nil && !slices.Contains(s.Enum, value) ||
		isNumber && (s.Minimum != nil && number < *s.Minimum || s.Maximum != nil && number > *s.Maximum) {
		return path + " has a value that the contract does not have"
	}
	switch value := value.(type) {
	case []any:
		for i, element := range value {
			if s.Items == nil {
				break
			}
			if problem := s.Items.problem(fmt.Sprintf("%s[%d]", path, i), element); problem != "" {
				return problem
			}
		}
	case map[string]any:
		return s.members(path, value)
	}
	return ""
}

// members is problem for the members of an object.
func (s shape) members(path string, value map[string]any) string {
	for _, name := range s.Required {
		if _, has := value[name]; !has {
			return fmt.Sprintf("%s.%s is missing", path, name)
		}
	}
	for name, member := range value {
		one, known := s.Properties[name]
		if !known && s.Values != nil {
			one = *s.Values
		}
		if problem := one.problem(path+"."+name, member); problem != "" {
			return problem
		}
	}
	return ""
}

// kindOf names the type of a JSON value.
func kindOf(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		if value == math.Trunc(value) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}
