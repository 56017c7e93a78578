// Package npm runs programs that others wrote in JavaScript against ours, for tests.
package npm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// folder holds a test's client.mjs and the packages that it needs.
const folder = "testdata/client"

// Client returns the command that runs testdata/client/client.mjs with the arguments, its
// packages installed outside the project, in one folder for each name and lock file. Without
// node or npm the test fails.
func Client(ctx context.Context, t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	dir := Install(ctx, t, name, folder)
	if err := copyFile(folder, "client.mjs", dir); err != nil { // it may have changed, the packages not
		t.Fatal(err)
	}
	node := exec.CommandContext(ctx, "node", append([]string{"client.mjs"}, args...)...)
	node.Dir = dir
	return node
}

// Install returns a folder outside the project with the packages of the package.json in folder
// from, one for each name and lock file. Without node or npm the test fails.
func Install(ctx context.Context, t *testing.T, name, from string) (dir string) {
	t.Helper()
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("%s is not installed: the test needs it", tool)
		}
	}
	dir, err := installed(ctx, name, from)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func installed(ctx context.Context, name, from string) (dir string, err error) {
	lock, err := os.ReadFile(filepath.Join(from, "package-lock.json"))
	if err != nil {
		return "", err
	}
	if strings.Contains(string(lock), `"resolved"`) {
		return "", fmt.Errorf("package-lock.json names a registry: .npmrc in %s leaves that out", from)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	sum := sha256.Sum256(lock)
	parent := filepath.Join(cache, "ballast")
	dir = filepath.Join(parent, name+"-"+hex.EncodeToString(sum[:6]))
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err != nil {
		if err := install(ctx, parent, from, dir); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// install makes the folder beside its place and moves it there whole, so that two
// tests at once cannot see it half done.
func install(ctx context.Context, parent, from, dir string) error {
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp(parent, "installing-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	for _, name := range []string{"package.json", "package-lock.json", ".npmrc"} {
		if err := copyFile(from, name, work); err != nil {
			return err
		}
	}
	npm := exec.CommandContext(ctx, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	npm.Dir = work
	if out, err := npm.CombinedOutput(); err != nil {
		return fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	if err := os.Rename(work, dir); err != nil && !os.IsExist(err) {
		if _, has := os.Stat(filepath.Join(dir, "node_modules")); has != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, name, dir string) error {
	b, err := os.ReadFile(filepath.Join(from, name))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), b, 0o644)
}
