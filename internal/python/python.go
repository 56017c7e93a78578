//go:build all

// Package python runs the Python client and programs built on it, for tests.
package python

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"ballast/internal/npm"
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
	modules := ""
	if exec.CommandContext(ctx, "python3", "-c", "import websockets").Run() != nil {
		modules = filepath.Join(npm.Cached(t, "python3-websockets", func(dir string) error {
			return websockets(ctx, dir)
		}), "modules")
	}
	return append(os.Environ(), "PYTHONPATH="+source+string(os.PathListSeparator)+modules, "PYTHONDONTWRITEBYTECODE=1")
}

// websockets installs the package into the folder modules of a directory.
func websockets(ctx context.Context, dir string) error {
	const debian = "apt-get download python3-websockets && dpkg-deb -x python3-websockets_*.deb . && mv " +
		"usr/lib/python3/dist-packages modules"
	failures := []error{errors.New("the package websockets cannot be installed: is the network there?")}
	for _, script := range []string{
		"python3 -m pip install --quiet --disable-pip-version-check --retries 0 --target modules websockets",
		debian,
		"apt-get update && " + debian,
	} {
		err := npm.Run(ctx, dir, "sh", "-ec", script)
		if err == nil {
			return nil
		}
		failures = append(failures, err)
	}
	return errors.Join(failures...)
}
