package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// newReceiptKey makes a key file with the command.
func newReceiptKey(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "receipts.pem")
	if out, errs, status := command(t, nil, "receipt-key", "new", file); status != 0 || !strings.Contains(out, file) {
		t.Fatalf("status %d: %s%s", status, out, errs)
	}
	return file
}

func TestE2EReceiptKeyFiles(t *testing.T) {
	file := newReceiptKey(t)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	refused(t, []badCall{
		{1, "exists: receipts signed with it could no longer be verified", []string{"receipt-key", "new", file}},
	})
	shared, garbage := filepath.Join(t.TempDir(), "shared"), filepath.Join(t.TempDir(), "garbage")
	text, _ := os.ReadFile(file)
	os.WriteFile(shared, text, 0o644)
	os.WriteFile(garbage, []byte("x"), 0o600)
	check := func(args ...string) []string {
		return append([]string{"serve", "--check", "--venue", "sim", "--data-dir", t.TempDir()}, args...)
	}
	refused(t, []badCall{
		{1, "chmod 600 " + shared, check("--receipt-key", shared)},
		{1, "no PEM block", check("--receipt-key", garbage)},
		{1, "no such file", check("--receipt-key", garbage+"x")},
		{2, "--receipt-valid 0s: want a time from 1ms to 1h", check("--receipt-valid", "0s")},
	})
	if out, errs, status := command(t, nil, check("--receipt-key", file)...); status != 0 {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
}
