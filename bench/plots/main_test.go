package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const sample = `{"date":"2026-01-01T00:00:00Z","machine":{"cpu":"c","commit":"abc"},
"growth":[{"positions":0,"cpu_us":10},{"positions":5,"cpu_us":60}],
"rounds":[
 {"stage":"latency","target":"a","report":{"curve":[{"percent":0,"us":5},{"percent":99,"us":900}]}},
 {"stage":"latency","target":"a","report":{"curve":[{"percent":0,"us":7},{"percent":100,"us":1e6}]}},
 {"stage":"capacity","target":"b","report":{"curve":null}}]}`

func TestPictures(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	write := func(text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(sample)
	for format, begin := range map[string]string{"png": "\x89PNG", "svg": "<?xml"} {
		names, err := run(path, format)
		if err != nil || len(names) != 2 || !strings.HasSuffix(names[0], "r-latency."+format) ||
			!strings.HasSuffix(names[1], "r-growth."+format) {
			t.Fatalf("pictures written: %v, error %v", names, err)
		}
		for _, name := range names {
			if b, err := os.ReadFile(name); err != nil || !bytes.HasPrefix(b, []byte(begin)) || len(b) < 1000 {
				t.Errorf("picture %s: error %v, %d bytes", name, err, len(b))
			}
		}
	}
	for _, bad := range []string{"{}", "nonsense",
		`{"rounds":[{"stage":"latency","target":"a","report":{"curve":[]}}]}`} {
		write(bad)
		if names, err := run(path, "png"); err == nil {
			t.Errorf("file %s: want an error, got pictures %v", bad, names)
		}
	}
}

// The line of several rounds is their median, and percentiles above lastPercent are left out.
func TestLatencyLines(t *testing.T) {
	var r results
	r.Rounds = make([]struct {
		Stage, Target string
		Report        struct {
			Curve []struct{ Percent, Us float64 }
		}
	}, 3)
	for i, us := range []float64{900, 100, 200} {
		r.Rounds[i].Stage, r.Rounds[i].Target = "latency", "a"
		r.Rounds[i].Report.Curve = []struct{ Percent, Us float64 }{{50, us}, {99.9, 2 * us}, {100, 9 * us}}
	}
	lines := r.latency()
	if len(lines) != 1 || len(lines[0].points) != 2 || lines[0].points[0].Y != 200 || lines[0].points[1].Y != 400 {
		t.Errorf("lines of three rounds: %+v", lines)
	}
}
