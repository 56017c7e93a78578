//go:build all

package main

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ballast/internal/npm"
	"ballast/internal/python"
)

var otherClients = []exampleClient{
	{"python", pythonAlerts, pythonLibrary, pythonReadme},
	{"typescript", typescriptAlerts, typescriptLibrary, typescriptReadme},
}

// TestE2EClientsOfOtherLanguages runs what the tests of Go's client do with the clients that need python3 or
// node and npm.
func TestE2EClientsOfOtherLanguages(t *testing.T) {
	t.Parallel() // beside one other: it mostly waits
	for name, test := range map[string]func(*testing.T, []exampleClient){
		"alerts": testClients, "libraries": testClientLibraries, "protocol": testClientsProtocol,
	} {
		t.Run(name, func(t *testing.T) { test(t, otherClients) })
	}
}

// TestE2EClientsOfOtherLanguagesAskAgain is for itself: a program must start before its key may ask again.
func TestE2EClientsOfOtherLanguagesAskAgain(t *testing.T) { testClientsAskAgain(t, otherClients) }

func pythonPath(t *testing.T) []string {
	return python.Environ(t.Context(), t, "../../clients/python/src")
}

func pythonAlerts(t *testing.T) []string {
	path, err := filepath.Abs("../../clients/python/examples/alerts.py")
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{"env"}, append(pythonPath(t), "python3", path)...)
}

func pythonLibrary(ctx context.Context, t *testing.T, s *remote) {
	cmd := exec.CommandContext(ctx, "python3", "-W", "error", "../../clients/python/tests/test_service.py", s.url,
		s.key)
	cmd.Env = pythonPath(t)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.HasSuffix(string(out), "\nOK\n") {
		t.Errorf("%v\n%s", err, out)
	}
}

func pythonReadme(ctx context.Context, t *testing.T, program string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "python3", "-c", program)
	cmd.Env = pythonPath(t)
	return cmd
}

func typescriptAlerts(t *testing.T) []string {
	return []string{"node", filepath.Join(npm.TypeScript(t.Context(), t, "../../clients/typescript"),
		"dist/examples/alerts.js")}
}

func typescriptLibrary(ctx context.Context, t *testing.T, s *remote) {
	dir := npm.TypeScript(ctx, t, "../../clients/typescript")
	cmd := exec.CommandContext(ctx, "node", filepath.Join(dir, "dist/test/service.js"), s.url, s.key)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "\n# pass 5\n") {
		t.Errorf("%v\n%s", err, out)
	}
}

func typescriptReadme(ctx context.Context, t *testing.T, program string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "node", "--input-type=module", "-e", program)
	cmd.Dir = npm.TypeScript(ctx, t, "../../clients/typescript") // where Node finds the client under its package name
	return cmd
}
