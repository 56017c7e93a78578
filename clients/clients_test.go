//go:build all

// Package clients tests the client libraries in its subfolders, without a running service.
package clients

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ballast/internal/npm"
	"ballast/internal/python"
)

// The generated types match the contract; `make gen` writes them again.
func TestTypesAreCurrent(t *testing.T) {
	run(t, exec.CommandContext(t.Context(), "python3", "generate.py", "--check"), "")
}

func TestPython(t *testing.T) {
	ctx := processes(t)
	environ := python.Environ(ctx, t, "python/src")
	pyright := npm.Packages(ctx, t, "pyright", "python/typecheck") + "/node_modules/pyright/index.js"
	for _, c := range []struct {
		name, want string
		command    []string
	}{
		{"tests", "\nOK\n", []string{"python3", "-W", "error", "-m", "unittest", "python/tests/test_client.py",
			"python/tests/test_exchanges.py"}},
		{"types", "0 errors, 0 warnings", []string{"node", pyright, "-p", "python"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.CommandContext(ctx, c.command[0], c.command[1:]...)
			cmd.Env = environ
			run(t, cmd, c.want)
		})
	}
}

func TestTypeScript(t *testing.T) {
	ctx := processes(t)
	spec, err := filepath.Abs("../server/spec")
	if err != nil {
		t.Fatal(err)
	}
	data, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	dir := npm.TypeScript(ctx, t, "typescript")
	for _, c := range []struct {
		name, want string
		arguments  []string
	}{
		{"types are current", "", []string{"gen.mjs", spec, "--check"}},
		{"tests", "# fail 0", []string{"--test", "dist/test/client.test.js", "dist/test/exchanges.test.js"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.CommandContext(ctx, "node", c.arguments...)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "TESTDATA="+data)
			run(t, cmd, c.want)
		})
	}
}

// processes returns a context for the programs that a test runs.
func processes(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// run fails the test when the command fails, or does not print what is wanted.
func run(t *testing.T, cmd *exec.Cmd, want string) {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), want) {
		t.Fatalf("%v\n%s", err, out)
	}
}
