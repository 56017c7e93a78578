//go:build all

package main

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"ballast/internal/npm"
)

// browser returns the path of a Chromium. It installs Chromium on Debian-based systems if the test
// has the rights.
func browser(ctx context.Context, t *testing.T) string {
	find := func() string {
		for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
			if path, err := exec.LookPath(name); err == nil {
				return path
			}
		}
		return ""
	}
	path := find()
	if _, err := exec.LookPath("apt-get"); path == "" && err == nil && os.Getuid() == 0 {
		out, err := exec.CommandContext(ctx, "sh", "-c", "apt-get update && DEBIAN_FRONTEND=noninteractive apt-get "+
			"install -y --no-install-recommends chromium").CombinedOutput()
		if path = find(); path == "" {
			t.Logf("install chromium: %v\n%s", err, out)
		}
	}
	if path == "" {
		t.Skip("no Chromium is installed")
	}
	return path
}

// TestE2EConsole tests every screen of the console in a browser: in a wide window in light and dark
// mode, on a phone, by pointer and by keyboard; then with a silent venue, and with a revoked key.
func TestE2EConsole(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 12*time.Minute)
	defer cancel()
	path := browser(ctx, t)
	f := startBeside(t, []string{"--assets", "234", "--dex-assets", "291"}, "--listen", "127.0.0.1:"+freePort(t))
	f.settle(t)
	p := startCommand(t, npm.Client(ctx, t, "console-client", "testdata/console", path, f.url+"/", f.key,
		endangered))

	for {
		line, ok := <-p.lines
		if !ok {
			break
		}
		p.output.WriteString(line + "\n")
		switch line {
		case "ready for its end":
			f.end(t)
		case "ready for its start":
			f.process = start(t, "ballast", f.cmd.Args[1:]...)
		case "ready for silence":
			fault(t, f.venue, "stall,500:l2Book,500:metaAndAssetCtxs,500:allMids")
		case "ready for revocation":
			revokeAll(t, f.dir)
		}
	}
	if err := p.cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, p.output)
	}
	t.Log(strings.TrimSpace(p.output.String()))
}

// TestE2EConsoleOperator tests the screens of who answers for the losses, policy, kill switch and decisions, with an
// agent's and an operator's key.
func TestE2EConsoleOperator(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	path := browser(ctx, t)
	dir := t.TempDir()
	s := serveSim(t, "--data-dir", dir, "--gate")
	operator := issueOperator(t, dir)
	eventually(t, "the operator's key is known", time.Minute, func() bool {
		return status(t, s.url, operator.Key) == 200
	})
	command(t, nil, "demo-bot", "--exchange-url", s.url) // one of its orders is refused
	walk := npm.Client(ctx, t, "console-client", "testdata/console", path, s.url+"/", s.key, endangered,
		operator.Key)
	walk.Args[1] = "operator.mjs"
	out, err := walk.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	t.Log(strings.TrimSpace(string(out)))
}

// revokeAll revokes every key of a running service.
func revokeAll(t *testing.T, dir string) {
	t.Helper()
	var keys []listed
	printed(t, &keys, "keys", "list", "--data-dir", dir)
	for _, k := range keys {
		printed(t, new(any), "keys", "revoke", k.ID, "--data-dir", dir)
	}
}
