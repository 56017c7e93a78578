//go:build all

// Package python runs the Python client and programs built on it, for tests.
package python

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Environ returns an environment in which Python finds the client in source (clients/python/src) and the
// package websockets, which is installed outside the project if it is missing. Without python3 the test
// fails.
func Environ(ctx context.Context, t *testing.T, source string) []string {
	t.Helper()
	if _, err := exec.LookPath("python3"); err != nil {
		t.Fatal("python3 is not installed: the Python client cannot run")
	}
	source, err := filepath.Abs(source)
	if err != nil {
		t.Fatal(err)
	}
	modules, err := websockets(ctx)
	if err != nil {
		t.Fatalf("the package websockets cannot be installed: is the network there?\n%v", err)
	}
	return append(os.Environ(), "PYTHONPATH="+source+string(os.PathListSeparator)+modules, "PYTHONDONTWRITEBYTECODE=1")
}

// websockets returns a directory with the package, "" if Python has it.
func websockets(ctx context.Context) (string, error) {
	if exec.CommandContext(ctx, "python3", "-c", "import websockets").Run() == nil {
		return "", nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	parent := filepath.Join(cache, "ballast")
	dir := filepath.Join(parent, "python-websockets")
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	// Prepared under another name and renamed when complete, for concurrent tests.
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	work, err := os.MkdirTemp(parent, "installing-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	var failures []error
	for _, script := range []string{
		"python3 -m pip install --quiet --disable-pip-version-check --retries 0 --target modules websockets",
		debian,
		"apt-get update && " + debian,
	} {
		sh := exec.CommandContext(ctx, "sh", "-ec", script)
		sh.Dir = work
		out, err := sh.CombinedOutput()
		if err != nil {
			failures = append(failures, fmt.Errorf("%s: %w\n%s", script, err, strings.TrimSpace(string(out))))
			continue
		}
		if err := os.Rename(filepath.Join(work, "modules"), dir); err != nil {
			if _, has := os.Stat(dir); has != nil {
				return "", err
			}
		}
		return dir, nil
	}
	return "", errors.Join(failures...)
}

const debian = "apt-get download python3-websockets && dpkg-deb -x python3-websockets_*.deb . && mv " +
	"usr/lib/python3/dist-packages modules"
