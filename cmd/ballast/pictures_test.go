//go:build all && linux

package main

import (
	"bytes"
	"context"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ballast/internal/npm"
)

// pictureLines is the number of the report's first lines that its picture shows.
const pictureLines = 40

// TestE2EPictures draws docs/pictures/report.png and console.png, the same trade in the terminal and in the console;
// with -update it replaces them (make pictures).
func TestE2EPictures(t *testing.T) {
	skipShort(t)
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	path := browser(ctx, t)
	s := serveSim(t, "--data-dir", t.TempDir())
	const wallet = "0xba11a57000000000000000000000000000000002"
	var text string
	eventually(t, "a fresh report of an abort", time.Minute, func() bool {
		var status int
		text, _, status = onPty(t, true, false, nil, "validate", "--asset", "ETH", "--action", "long",
			"--size", "450000", "--leverage", "20", "--wallet", wallet, "--server", s.url, "--key", s.key)
		return status == 20 && !strings.Contains(text, "STALE")
	})
	lines := strings.SplitAfter(text, "\n")
	report := filepath.Join(t.TempDir(), "report")
	text = strings.Join(lines[:min(len(lines), pictureLines)], "")
	if err := os.WriteFile(report, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("testdata/console/pictures.mjs")
	if err != nil {
		t.Fatal(err)
	}
	packages := npm.Packages(ctx, t, "console-client", "testdata/console")
	if err := os.WriteFile(filepath.Join(packages, "pictures.mjs"), script, 0o644); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if *update {
		if folder, err = filepath.Abs("../../docs/pictures"); err != nil {
			t.Fatal(err)
		}
	}
	draw := exec.CommandContext(ctx, "node", "pictures.mjs", path, s.url, s.key,
		"/trade?a=ETH&d=long&usd=450000&x=20&w="+wallet, folder, report)
	draw.Dir = packages
	if out, err := draw.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"report.png", "console.png"} {
		picture, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if size, err := png.DecodeConfig(bytes.NewReader(picture)); err != nil || size.Width < 400 ||
			size.Height < 400 {
			t.Errorf("%s: %+v %v", name, size, err)
		}
	}
}
