package promtext

import (
	"strings"
	"testing"
)

func TestPage(t *testing.T) {
	var p Page
	p.Counter("a_total", "How many.", 1e7)
	p.Switch("b", "Whether.", true)
	p.Family(Gauge, "c_ratio", "By who.")
	p.Sample(0.25, "who", `a "b"\`, "what", "x")
	p.Family(Histogram, "d_seconds", "How long.")
	p.Distribution([]float64{0.000016, 2}, []uint64{3, 1, 2}, 7.5, "who", "a")
	const want = `# HELP a_total How many.
# TYPE a_total counter
a_total 10000000
# HELP b Whether.
# TYPE b gauge
b 1
# HELP c_ratio By who.
# TYPE c_ratio gauge
c_ratio{who="a \"b\"\\",what="x"} 0.25
# HELP d_seconds How long.
# TYPE d_seconds histogram
d_seconds_bucket{who="a",le="0.000016"} 3
d_seconds_bucket{who="a",le="2"} 4
d_seconds_bucket{who="a",le="+Inf"} 6
d_seconds_sum{who="a"} 7.5
d_seconds_count{who="a"} 6
`
	if got := string(p.Bytes()); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	p = Page{}
	p.Process()
	for _, name := range []string{"process_start_time_seconds 1", "process_cpu_seconds_total ",
		"process_resident_memory_bytes ", "process_open_fds ", "go_goroutines "} {
		if !strings.Contains(string(p.Bytes()), "\n"+name) {
			t.Errorf("no %s", name)
		}
	}
}
