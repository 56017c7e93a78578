package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestE2EKeysNotPrinted: a key that cannot be printed is revoked, and the command fails, with and without
// a running service.
func TestE2EKeysNotPrinted(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	issue := func(what, says string, stdout *os.File, script ...string) {
		t.Helper()
		cmd := exec.Command("sh", append(append([]string{"-c"}, script...), binary(t, "ballast"), "keys", "issue",
			"--email", "a@example.com", "--data-dir", dir)...)
		var errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = stdout, &errs
		cmd.Run()
		if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(errs.String(),
			"the key was not printed and has been revoked (id key_") || !strings.Contains(errs.String(), says) {
			t.Errorf("%s: %v %s", what, cmd.ProcessState, errs.String())
		}
	}
	for _, with := range []string{"no service", "a service"} {
		if with == "a service" {
			serving(t, "--venue", nowhere, "--data-dir", dir)
		}
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		reader.Close()
		issue(with+", a closed pipe", "broken pipe", writer, `exec "$0" "$@"`)
		writer.Close()
		issue(with+", a full disk", "no space left", nil, `exec "$0" "$@" > /dev/full`)
		issue(with+", a full disk and JSON", "no space left", nil, `exec "$0" "$@" --json > /dev/full`)
		issue(with+", no output", "closed or /dev/null", nil, `exec "$0" "$@" >&-`)
	}
	var list []listed
	printed(t, &list, "keys", "list", "--data-dir", dir)
	if len(list) != 8 {
		t.Errorf("%d keys", len(list))
	}
	for _, l := range list {
		if !l.Revoked {
			t.Errorf("%s is still good", l.ID)
		}
	}
}
