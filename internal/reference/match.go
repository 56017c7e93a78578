package reference

import (
	"fmt"
	"math"
	"reflect"
	"testing"
)

// Fields are figures by their names in a golden file.
type Fields map[string]any

// Tolerance is how far a number may be from the wanted one: Rel of it, and Abs more.
type Tolerance struct{ Rel, Abs float64 }

// Match fails the test where a figure differs from what a golden file has under its name. null stands for NaN or
// an empty text; a figure that the file leaves out is zero.
func (far Tolerance) Match(t testing.TB, want map[string]any, got Fields) {
	t.Helper()
	far.fields(t, "", want, got)
}

func (far Tolerance) fields(t testing.TB, path string, want map[string]any, got Fields) {
	t.Helper()
	for name, x := range got {
		if w, ok := want[name]; ok {
			far.match(t, path+name, w, x)
		} else if v := reflect.ValueOf(x); !v.IsZero() {
			t.Errorf("%s%s = %v, which the file does not have", path, name, x)
		}
	}
}

func (far Tolerance) match(t testing.TB, name string, want, got any) {
	t.Helper()
	v := reflect.ValueOf(got)
	switch w := want.(type) {
	case map[string]any:
		far.fields(t, name+".", w, got.(Fields))
	case []any:
		if v.Len() != len(w) {
			t.Errorf("%s has %d entries, want %d: %v", name, v.Len(), len(w), got)
			return
		}
		for i := range w {
			far.match(t, fmt.Sprintf("%s[%d]", name, i), w[i], v.Index(i).Interface())
		}
	case float64:
		x := v.Convert(reflect.TypeFor[float64]()).Float()
		if !(math.Abs(x-w) <= far.Rel*math.Abs(w)+far.Abs) {
			t.Errorf("%s = %.17g, want %.17g", name, x, w)
		}
	case nil:
		if x, ok := got.(float64); got != "" && !(ok && math.IsNaN(x)) {
			t.Errorf("%s = %v, want none", name, got)
		}
	default: // a text or a truth value
		if text, ok := got.(fmt.Stringer); ok {
			got = text.String()
		}
		if got != want {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
}
