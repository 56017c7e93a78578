//go:build all && linux

package main

import (
	"context"
	"image/png"
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
	top := strings.Join(lines[:min(len(lines), pictureLines)], "")
	report := writeFile(t, filepath.Join(t.TempDir(), "report"), top)
	packages := npm.Packages(ctx, t, "console-client", "testdata/console")
	writeFile(t, filepath.Join(packages, "pictures.mjs"), contents(t, "testdata/console/pictures.mjs"))
	folder := t.TempDir()
	if *update {
		folder, _ = filepath.Abs("../../docs/pictures") // fails only without a working directory
	}
	draw := exec.CommandContext(ctx, "node", "pictures.mjs", path, s.url, s.key,
		"/trade?a=ETH&d=long&usd=450000&x=20&w="+wallet, folder, report)
	draw.Dir = packages
	if out, err := draw.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, name := range []string{"report.png", "console.png"} {
		picture := contents(t, filepath.Join(folder, name))
		if size, err := png.DecodeConfig(strings.NewReader(picture)); err != nil || size.Width < 400 ||
			size.Height < 400 {
			t.Errorf("%s: %+v %v", name, size, err)
		}
	}
}
