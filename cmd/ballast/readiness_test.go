package main

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"ballast/internal/locked"
	"ballast/server"
)

// During a start the log reports progress every 30 seconds, once that the service is ready, and
// then only changes.
func TestReadinessLog(t *testing.T) {
	var text locked.Buffer
	begun := time.Now()
	l := readinessLog{
		log: slog.New(slog.NewTextHandler(&text, nil)), url: "http://x", venue: "mainnet",
		keys: func() int { return 2 }, started: begun, told: begun,
	}
	starting := server.Readiness{Listed: 300, Calibrated: 30, OpenInterest: 0.6127, History: 0.43,
		ReadyIn: 42 * time.Second, CompleteIn: -1}
	alone := server.Readiness{Trouble: "no connection to the venue since 60 s: no such host x", ReadyIn: -1}
	ready := server.Readiness{Ready: true, Listed: 300, Calibrated: 60, OpenInterest: 0.81, CompleteIn: time.Minute}
	complete := server.Readiness{Ready: true, Listed: 300, Calibrated: 300, OpenInterest: 1}
	away := server.Readiness{Listed: 300, Calibrated: 300, OpenInterest: 1, ReadyIn: -1}
	for _, row := range []struct {
		after time.Duration
		p     server.Readiness
		want  string // part of the line; "": no line
	}{
		{29 * time.Second, starting, ""},
		{30 * time.Second, starting,
			`msg=warm-up history="[########............] 43 %" assets_listed=300 assets_calibrated=30 ` +
				"open_interest_share=0.612 ready_in=42s complete_in=unknown"},
		{31 * time.Second, starting, ""},
		{60 * time.Second, alone, `level=WARN msg="no connection to the venue since 60 s: no such host x"`},
		{75 * time.Second, ready, "msg=ready url=http://x venue=mainnet version=" + version +
			" after=1m15s assets_listed=300 assets_calibrated=60 keys=2"},
		{76 * time.Second, ready, ""},
		{110 * time.Second, ready, ""},
		{376 * time.Second, ready, "msg=warm-up"},
		{400 * time.Second, complete, `msg="warm-up complete" after=6m40s`},
		{401 * time.Second, complete, ""},
		{500 * time.Second, away, `level=WARN msg="not ready any more`},
		{501 * time.Second, complete, ""}, // the last change was a second ago: too early to report
		{510 * time.Second, complete, `msg="ready again"`},
		{time.Hour, complete, ""},
	} {
		before := len(text.String())
		l.observe(row.p, begun.Add(row.after))
		said := text.String()[before:]
		lines := 1 + strings.Count(said, "no connection")
		if row.want == "" && said != "" || !strings.Contains(said, row.want) || strings.Count(said, "\n") > lines {
			t.Errorf("after %v: %q, want %q", row.after, said, row.want)
		}
	}
}
