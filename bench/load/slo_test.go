package load

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// sample returns a report with known figures: latencies from 1 to 1,000 ms, one refusal.
func sample() *Report {
	c := Config{URL: "http://h", Rate: 100, Duration: 10 * time.Second}.withDefaults()
	y := newTally()
	for i := range 1000 {
		y.answer(Validate, 200, int64(i+1)*1e6)
	}
	y.answer(Batch, 503, 5e6)
	r := y.report(&c)
	r.setDuration(10*time.Second, 11*time.Second)
	r.Alerts = &AlertReport{Sockets: 1, Missing: 2, Latency: Latency{Count: 5, P99Us: 700}}
	return r
}

func TestSLO(t *testing.T) {
	rows := []struct {
		slo string
		met bool
	}{
		{"p50=502ms", true}, {"p50=490ms", false}, {"p90=910ms,p99=1s,p999=1s,max=1010ms", true}, {"p99=900ms", false},
		{"max=990ms", false},
		{"errors=1", true}, {"errors=0", false}, {"errors=0.1%", true}, {"errors=0.05%", false},
		{"rate=90", true}, {"rate=91", false}, {"rate=90%", true}, {"rate=92%", false},
		{"alerts.missing=2,alerts.duplicate=0", true}, {"alerts.missing=1", false},
		{"p50=502ms,errors=0", false},
	}
	for _, row := range rows {
		slo, err := ParseSLO(row.slo)
		if err != nil {
			t.Fatal(err)
		}
		r := sample()
		if met := r.Judge(slo); met != row.met || len(r.SLO) != len(slo) {
			t.Errorf("%s: met %v, verdicts %+v", row.slo, met, r.SLO)
		}
	}
	r := sample()
	r.Alerts = nil
	slo, _ := ParseSLO("alerts.missing=0")
	if r.Judge(slo) {
		t.Error("alerts.missing=0 must be missed when no alerts were counted")
	}
	for _, bad := range []string{"", "p99", "p99=2", "p99=-1ms", "p95=1ms", "batch.p99=1ms", "errors=x", "errors=-1",
		"errors=NaN", "errors=101%", "alerts.missing=1%", "rate=", "p99=1ms,"} {
		if slo, err := ParseSLO(bad); err == nil {
			t.Errorf("%q: want an error, got %+v", bad, slo)
		}
	}
}

func TestText(t *testing.T) {
	r := sample()
	slo, _ := ParseSLO("p99=1ms")
	r.Judge(slo)
	r.Ended = "because"
	var b bytes.Buffer
	if err := r.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"ENDED EARLY: because", "validate", "answered 503", "503: 1",
		"90.9/s answered of 100.0/s", "p99=1ms: BROKEN, 990", "2 missing"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	b.Reset()
	if err := r.WriteHDR(&b); err != nil || !strings.Contains(b.String(), "#[Max     =     1000.") ||
		!strings.Contains(b.String(), "TotalCount") {
		t.Errorf("%v\n%s", err, b.String())
	}
}
