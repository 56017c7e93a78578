//go:build all

// Package npm runs JavaScript clients against our servers, for tests.
package npm

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Client returns the command that runs client.mjs of a folder, which also has what the script imports and its
// package.json, with the arguments. Without node or npm the test fails.
func Client(ctx context.Context, t *testing.T, name, folder string, args ...string) *exec.Cmd {
	t.Helper()
	dir := Packages(ctx, t, name, folder)
	scripts, err := filepath.Glob(filepath.Join(folder, "*.mjs"))
	if err != nil || len(scripts) == 0 {
		t.Fatal("no scripts in ", folder, err)
	}
	for _, path := range scripts { // they may have changed since the packages were installed
		if err := copyFile(folder, filepath.Base(path), dir); err != nil {
			t.Fatal(err)
		}
	}
	node := exec.CommandContext(ctx, "node", append([]string{"client.mjs"}, args...)...)
	node.Dir = dir
	return node
}

// Packages returns a directory whose node_modules has the packages of folder. They are installed outside
// the project, once for each name and lock file. Without node or npm the test fails.
func Packages(ctx context.Context, t *testing.T, name, folder string) string {
	t.Helper()
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("%s is not installed: the client cannot run", tool)
		}
	}
	dir, err := installed(ctx, name, folder)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TypeScript compiles the client in source (clients/typescript) and returns the directory with the
// result and its packages, outside the project. Each state of the sources is compiled once.
func TypeScript(ctx context.Context, t *testing.T, source string) string {
	t.Helper()
	packages := Packages(ctx, t, "typescript-client", source)
	work, err := os.MkdirTemp(filepath.Dir(packages), "compiling-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(work)
	for _, name := range []string{"package.json", "tsconfig.json", "gen.mjs"} {
		if err := copyFile(source, name, work); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"src", "test", "examples"} {
		if err := os.CopyFS(filepath.Join(work, name), os.DirFS(filepath.Join(source, name))); err != nil {
			t.Fatal(err)
		}
	}
	sum, err := sumOf(work)
	if err != nil {
		t.Fatal(err)
	}
	dir := packages + "-" + sum
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	if err := os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(work, "node_modules")); err != nil {
		t.Fatal(err)
	}
	compile := exec.CommandContext(ctx, "node", "node_modules/typescript/bin/tsc")
	compile.Dir = work
	if out, err := compile.CombinedOutput(); err != nil {
		t.Fatalf("the TypeScript client does not compile: %v\n%s", err, out)
	}
	if err := os.Rename(work, dir); err != nil { // another test may have compiled the same
		if _, has := os.Stat(dir); has != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// sumOf returns a sum of the names and contents of the files below dir.
func sumOf(dir string) (string, error) {
	sum := sha256.New()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		fmt.Fprintf(sum, "%s %d\n", strings.TrimPrefix(path, dir), len(b))
		sum.Write(b)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)[:6]), err
}

func installed(ctx context.Context, name, folder string) (dir string, err error) {
	lock, err := os.ReadFile(filepath.Join(folder, "package-lock.json"))
	if err != nil {
		return "", err
	}
	if strings.Contains(string(lock), `"resolved"`) {
		return "", fmt.Errorf("%s/package-lock.json names a registry; make it with the .npmrc beside it", folder)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	sum := sha256.Sum256(lock)
	parent := filepath.Join(cache, "ballast")
	dir = filepath.Join(parent, name+"-"+hex.EncodeToString(sum[:6]))
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err == nil {
		return dir, nil
	}
	return dir, install(ctx, folder, parent, dir)
}

// install prepares the directory under another name and renames it when complete, so that concurrent
// tests never see it half done.
func install(ctx context.Context, folder, parent, dir string) error {
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp(parent, "installing-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	for _, name := range []string{"package.json", "package-lock.json", ".npmrc"} {
		if err := copyFile(folder, name, work); err != nil {
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

func copyFile(folder, name, dir string) error {
	b, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), b, 0o644)
}
