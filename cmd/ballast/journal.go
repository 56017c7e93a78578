package main

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize"

	"ballast/server/journal"
)

// journalFlags say which decisions are recorded, and how many are kept.
type journalFlags struct {
	Journal         string    `default:"verdicts" enum:"off,verdicts,full" help:"${help_journal}"`
	JournalMaxBytes byteCount `default:"1GiB" placeholder:"BYTES" help:"${help_journal_max_bytes}"`
	JournalMaxAge   longTime  `default:"30d" placeholder:"TIME" help:"${help_journal_max_age}"`
	GateJournal     string    `default:"batched" enum:"batched,strict" help:"${help_gate_journal}"`
}

// gateStrict is the value of --gate-journal with which the gate waits.
const gateStrict = "strict"

// problem returns what is wrong with the flags, nil if nothing is.
func (f *journalFlags) problem(gate bool) error {
	var problems []error
	if f.JournalMaxBytes != 0 && f.JournalMaxBytes < 1<<20 {
		problems = append(problems, fmt.Errorf("--journal-max-bytes %d: want at least 1MiB, or 0 for no limit",
			f.JournalMaxBytes))
	}
	if f.JournalMaxAge != 0 && time.Duration(f.JournalMaxAge) < time.Hour {
		problems = append(problems, fmt.Errorf("--journal-max-age %v: want at least 1h, or 0 for no limit",
			time.Duration(f.JournalMaxAge)))
	}
	switch strict := f.GateJournal == gateStrict; {
	case strict && !gate:
		problems = append(problems, errors.New("--gate-journal strict: there is no gate, give --gate too"))
	case strict && journal.Mode(f.Journal) == journal.Off:
		problems = append(problems, errors.New("--gate-journal strict: nothing is recorded with --journal off"))
	}
	return errors.Join(problems...)
}

// newJournal returns a journal that keeps decisions in ballast.db, and starts its writer.
func (r *replica) newJournal(f *journalFlags, log *slog.Logger) *journal.Journal {
	cfg := journal.Config{
		Mode: journal.Mode(f.Journal), Store: r.db, Strict: f.GateJournal == gateStrict,
		MaxBytes: int64(f.JournalMaxBytes), MaxAge: time.Duration(f.JournalMaxAge), Log: log,
	}
	if r.join != nil && cfg.Mode != journal.Off {
		cfg.Publish = r.join.decisions.Publish
		r.keep("decisions", log, r.join.decisions.Run)
	}
	j := journal.New(cfg)
	r.keep("journal", log, j.Run)
	return j
}

// byteCount is a number of bytes from the command line, such as 500MB or 1GiB.
type byteCount int64

// UnmarshalText parses a flag's value. A comma could be one of thousands or of decimals.
func (b *byteCount) UnmarshalText(text []byte) error {
	n, err := humanize.ParseBytes(string(text))
	if err != nil || n > math.MaxInt64 || strings.Contains(string(text), ",") {
		return fmt.Errorf("%.40q: want a number of bytes, such as 500MB or 1GiB", text)
	}
	*b = byteCount(n)
	return nil
}

// longTime is a time from the command line that may be in days, such as 30d or 12h.
type longTime time.Duration

// UnmarshalText parses a flag's value.
func (t *longTime) UnmarshalText(text []byte) error {
	if number, is := strings.CutSuffix(string(text), "d"); is {
		if days, err := strconv.ParseUint(number, 10, 16); err == nil {
			*t = longTime(time.Duration(days) * 24 * time.Hour)
			return nil
		}
	}
	d, err := time.ParseDuration(string(text))
	if err != nil || d < 0 {
		return fmt.Errorf("%.40q: want a time, such as 30d or 12h", text)
	}
	*t = longTime(d)
	return nil
}
