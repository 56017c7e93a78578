package reference

import (
	"encoding/json"
	"math"
	"testing"
)

// recorder counts the errors of a test.
type recorder struct {
	testing.TB
	errors int
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.errors++ }

func TestMatch(t *testing.T) {
	const file = `{"x": 2, "small": 1e-12, "none": null, "name": "a", "is": true, "rows": [1, 2], "in": {"n": 3}}`
	for name, c := range map[string]struct {
		got    Fields
		errors int
	}{
		"all": {Fields{"x": 2 + 1e-9, "small": 0.0, "none": math.NaN(), "name": "a", "is": true, "rows": []int{1, 2},
			"in": Fields{"n": 3}}, 0},
		"no text":            {Fields{"none": ""}, 0},
		"left out, and zero": {Fields{"y": 0.0, "z": false}, 0},
		"left out":           {Fields{"y": 1.0, "z": true}, 2},
		"a number":           {Fields{"x": 2 + 5e-9}, 1},
		"not a number":       {Fields{"x": math.NaN()}, 1},
		"zero is not none":   {Fields{"none": 0.0}, 1},
		"a text":             {Fields{"name": "b"}, 1},
		"a truth value":      {Fields{"is": false}, 1},
		"a row":              {Fields{"rows": []float64{1, 3}}, 1},
		"fewer rows":         {Fields{"rows": []float64{1}}, 1},
		"within":             {Fields{"in": Fields{"n": 4, "m": 1}}, 2},
	} {
		var want map[string]any
		if err := json.Unmarshal([]byte(file), &want); err != nil {
			t.Fatal(err)
		}
		r := &recorder{TB: t}
		Tolerance{Rel: 1e-9, Abs: 1e-11}.Match(r, want, c.got)
		if r.errors != c.errors {
			t.Errorf("%s: %d errors, want %d", name, r.errors, c.errors)
		}
	}
}
