package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"ballast/internal/store"
	"ballast/marketcache"
	"ballast/server/journal"
)

// recorded makes a database with decisions of the gate, a second apart, and returns it.
func recorded(t *testing.T, n int) *store.Main {
	t.Helper()
	db := opened(t, t.TempDir())
	t.Cleanup(func() { db.Close() })
	j := journal.New(journal.Config{Mode: journal.Verdicts, Store: db, Log: commandLog()})
	ran := make(chan struct{})
	go func() { j.Run(t.Context()); close(ran) }()
	for i := range n {
		_, err := j.RecordGate(&journal.Entry{Kind: journal.Gate, RequestID: fmt.Appendf(nil, "r%d", i),
			Wallet: marketcache.Wallet{byte(1 + i%2)}, Request: []byte(`{"type":"order"}`),
			AtMs: time.Date(2026, 11, 27, 12, 0, i, 0, time.UTC).UnixMilli(),
			Gate: journal.Passage{Did: "refused", Type: "order", Class: "increase", Reason: "too large"}}, false)
		if err != nil {
			t.Fatal(err)
		}
	}
	j.Flush(t.Context())
	return db
}

// TestLogOfDecisions: the newest decisions are printed, oldest first, each once.
func TestLogOfDecisions(t *testing.T) {
	ask := storedDecisions(recorded(t, 600))
	for name, row := range map[string]struct {
		q    journal.Query
		most int
		want []string
	}{
		"the newest": {journal.Query{}, 2, []string{"r598", "r599"}},
		"of a wallet": {journal.Query{Wallet: marketcache.Wallet{2}.String(), Verdict: "refused"}, 2,
			[]string{"r597", "r599"}},
		"of no verdict": {journal.Query{Verdict: "abort"}, 2, nil},
	} {
		var out bytes.Buffer
		p := decisionPrinter{w: &out, seen: map[string]time.Time{}}
		for range 2 {
			all, lost, err := newest(t.Context(), ask, row.q, row.most)
			if err != nil || lost != 0 {
				t.Fatal(err, lost)
			}
			p.print(all, lost)
		}
		lines := strings.FieldsFunc(out.String(), func(r rune) bool { return r == '\n' })
		if len(lines) != len(row.want) {
			t.Fatalf("%s: %q", name, lines)
		}
		for i, id := range row.want {
			if !strings.HasSuffix(lines[i], "  "+id) || !strings.Contains(lines[i],
				"gate  REFUSED order  (too large)") {
				t.Errorf("%s: line %q, want %s", name, lines[i], id)
			}
		}
	}
	all, _, err := newest(t.Context(), ask, journal.Query{}, 1<<30)
	if err != nil || len(all) != 600 {
		t.Errorf("%d decisions of all, %v", len(all), err)
	}
}

// TestRefusedFlags: wrong settings are refused, with a word.
func TestRefusedFlags(t *testing.T) {
	for _, row := range []struct{ args, says string }{
		{"mcp --server http://127.0.0.1:1", "--key-file"},
		{"mcp --key-file key", "--key-file: without --server a simulated venue answers"},
		{"mcp --server 127.0.0.1:1 --key-file key", "want the whole address, http://127.0.0.1:1"},
		{"guard --server http://127.0.0.1:1 --key-file k -- true", "--map"},
		{"guard --map edkdev --key-file k -- true", "--server"},
		{"guard --map edkdev --server http://127.0.0.1:1 --key-file k --wallet 0x12 -- true", "want 0x and 40"},
		{"serve --journal-max-bytes 5x", "want a number of bytes"},
		{"serve --journal-max-bytes 10", "at least 1MiB"},
		{"serve --journal-max-bytes 1,5GB", "want a number of bytes"},
		{"serve --journal-max-age never", "30d"},
		{"serve --journal-max-age 1m", "at least 1h"},
		{"serve --gate-journal strict", "--gate"},
		{"serve --gate --gate-journal strict --journal off", "--journal off"},
		{"log --verdict aborted", "abort"},
		{"log --wallet 0x12", "40"},
		{"log --limit=-1", "0, for all"},
		{"log --limit x", "--limit: expected a whole number but got"},
		{"validate --size -5", "--size: expected a value but got"},
		{"log -f --to 2026-01-01", "--to"},
		{"log --server nowhere", "whole address"},
		{"demo-bot --wallet cross", `--wallet "cross": want one of trader, small-trader, unified-trader`},
		{"demo-bot --exchange-url 127.0.0.1:1", `--exchange-url "127.0.0.1:1": want the whole address`},
		{"demo-bot --exchange-url https://api.hyperliquid.xyz/", "--exchange-url: the keys of the"},
	} {
		_, err := parse(strings.Fields(row.args), nil)
		if err == nil || !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: %v, want %q", row.args, err, row.says)
		}
	}
	for _, args := range []string{"serve --journal-max-bytes 2GB --journal-max-age 12h", "log -f --json -n 0",
		"demo-bot --exchange-url http://127.0.0.1:8080",
		"serve --journal off --journal-max-bytes 0 --journal-max-age 0"} {
		if _, err := parse(strings.Fields(args), nil); err != nil {
			t.Errorf("%s: %v", args, err)
		}
	}
}
