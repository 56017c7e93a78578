package photo

import (
	"encoding/json"
	"reflect"
)

// shape is how the values of a type are written. It is kept with them, so that a later version of the program, whose
// types have other fields, reads what both have.
type shape struct {
	Kind   string  `json:"kind"`
	Len    int     `json:"len,omitempty"`  // of an array
	Elem   *shape  `json:"elem,omitempty"` // of an array, a slice or a pointer
	Fields []field `json:"fields,omitempty"`

	kind reflect.Kind
}

type field struct {
	Name  string `json:"name"`
	Shape *shape `json:"shape"`

	index int // in the type of this program; -1: it has none of this name
}

// leftOut are the fields that are not kept, each with its reason. All others are, exported or not.
var leftOut = map[string]string{
	"marketcache.AssetModel.Z24":         inputOfJoint,
	"marketcache.AssetModel.Low24":       inputOfJoint,
	"marketcache.AssetModel.High24":      inputOfJoint,
	"marketcache.AssetModel.LogClose":    inputOfJoint,
	"marketcache.AssetModel.DaySD":       inputOfJoint,
	"marketcache.AssetModel.Daily":       "the pairs are made of it, and are kept",
	"marketcache.AssetModel.FitDuration": "it differs among equal fits, and no answer depends on it",
	"marketcache.Joint.Z":                "the moves are made of it, and are kept",
	"policy.Switch.Since":                "no verdict depends on it",
}

const inputOfJoint = "the tables of Joint are made of it, and are kept"

// shapeOf returns the shape of a type. It panics for a type that cannot be kept.
func shapeOf(t reflect.Type) *shape {
	s := &shape{Kind: t.Kind().String(), kind: t.Kind()}
	switch t.Kind() {
	case reflect.Array:
		s.Len, s.Elem = t.Len(), shapeOf(t.Elem())
	case reflect.Slice, reflect.Pointer:
		s.Elem = shapeOf(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if _, left := leftOut[t.String()+"."+f.Name]; !left {
				s.Fields = append(s.Fields, field{f.Name, shapeOf(f.Type), i})
			}
		}
	case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
	default:
		panic("BUG: a value of " + t.String() + " cannot be kept: list its field in leftOut, with the reason")
	}
	return s
}

// text is the shape as it is kept.
func (s *shape) text() []byte {
	text, err := json.Marshal(s)
	if err != nil {
		panic("BUG: a shape that is no JSON: " + err.Error())
	}
	return text
}

// kinds are the kinds by their names.
var kinds = func() map[string]reflect.Kind {
	m := map[string]reflect.Kind{}
	for k := reflect.Bool; k <= reflect.UnsafePointer; k++ {
		m[k.String()] = k
	}
	return m
}()

// readShape reads a kept shape, for values that become ones of type t.
func readShape(text []byte, t reflect.Type) (*shape, error) {
	s := &shape{}
	if err := json.Unmarshal(text, s); err != nil {
		return nil, err
	}
	s.fit(t)
	return s, nil
}

// fit finds the fields of a read shape in a type; nil: the values are passed over.
func (s *shape) fit(t reflect.Type) {
	s.kind = kinds[s.Kind]
	if t != nil && t.Kind() != s.kind {
		t = nil
	}
	var elem reflect.Type
	if s.Elem != nil {
		if t != nil {
			elem = t.Elem()
		}
		s.Elem.fit(elem)
	}
	for i := range s.Fields {
		f := &s.Fields[i]
		f.index = -1
		var of reflect.Type
		if t != nil {
			if here, ok := t.FieldByName(f.Name); ok && here.Type.Kind() == kinds[f.Shape.Kind] {
				f.index, of = here.Index[0], here.Type
			}
		}
		f.Shape.fit(of)
	}
}
