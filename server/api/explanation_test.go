package api

import (
	"testing"
	"time"
)

func TestAppendTime(t *testing.T) {
	check := func(ms int64) {
		t.Helper()
		want := time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
		if got := string(AppendTime(nil, ms)); got != want {
			t.Fatalf("%d: %s, want %s", ms, got, want)
		}
	}
	const dayMs = 24 * 3600 * 1000
	for day := int64(0); day < 8040*366; day++ { // beyond the year 9999; every day of the first years
		check(day * dayMs)
		check(day*dayMs + day*7919%dayMs)
		if day > 50_000 {
			day += 96
		}
	}
	for _, ms := range []int64{-1, -62135596800000, 1, 999, 86399999, 1763719200123, 1709164800000, 4102444799999} {
		check(ms)
	}
}

func TestAppendError(t *testing.T) {
	for _, row := range [][3]string{
		{CodeNotFound, "no such route", `{"error":"not_found","detail":"no such route"}`},
		{InvalidKey, "x", `{"error":"invalid API key","detail":"x"}`},
		{CodeValidation, `a "b"`, `{"error":"validation_error","detail":"a \"b\""}`},
	} {
		if got := string(AppendError(nil, row[0], row[1])); got != row[2] {
			t.Errorf("%s, want %s", got, row[2])
		}
	}
	if RuleOf("no such code").Status != 500 {
		t.Error("an unknown code is not answered as an internal error")
	}
}

func TestAssessmentAllocs(t *testing.T) {
	a, _ := fullAssessment()
	e := &Envelope{RequestID: []byte("req_1"), Started: time.Now(), Explain: true}
	buf := make([]byte, 0, 16384)
	if n := testing.AllocsPerRun(100, func() {
		if _, err := AppendAssessment(buf, a, e); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
