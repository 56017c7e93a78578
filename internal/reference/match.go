package reference

import (
	"fmt"
	"math"
	"reflect"
	"testing"
)

// Fields are figures by their names in a golden file.
type Fields map[string]any

// Match fails the test where a figure differs from what a golden file has under its name. Numbers agree to 1e-9
// of the wanted one, or to abs. null stands for NaN or an empty text; a figure that the file leaves out is zero.
func Match(t testing.TB, abs float64, want map[string]any, got Fields) {
	t.Helper()
	matchFields(t, abs, "", want, got)
}

func matchFields(t testing.TB, abs float64, path string, want map[string]any, got Fields) {
	t.Helper()
	for name, x := range got {
		if w, ok := want[name]; ok {
			match(t, abs, path+name, w, x)
		} else if v := reflect.ValueOf(x); !v.IsZero() {
			t.Errorf("%s%s = %v, which the file does not have", path, name, x)
		}
	}
}

func match(t testing.TB, abs float64, name string, want, got any) {
	t.Helper()
	v := reflect.ValueOf(got)
	switch w := want.(type) {
	case map[string]any:
		matchFields(t, abs, name+".", w, got.(Fields))
	case []any:
		if v.Len() != len(w) {
			t.Errorf("%s has %d entries, want %d: %v", name, v.Len(), len(w), got)
			return
		}
		for i := range w {
			match(t, abs, fmt.Sprintf("%s[%d]", name, i), w[i], v.Index(i).Interface())
		}
	case float64:
		x := v.Convert(reflect.TypeFor[float64]()).Float()
		if far := math.Abs(x - w); !(far <= abs || far <= 1e-9*math.Abs(w)) {
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
