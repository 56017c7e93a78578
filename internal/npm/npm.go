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

// Packages returns a directory whose node_modules has the packages of folder. They are installed once for
// each name and lock file. Without node or npm the test fails.
func Packages(ctx context.Context, t *testing.T, name, folder string) string {
	t.Helper()
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Fatalf("%s is not installed: the client cannot run", tool)
		}
	}
	lock, err := os.ReadFile(filepath.Join(folder, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(lock), `"resolved"`) {
		t.Fatalf("%s/package-lock.json names a registry; make it with the .npmrc beside it", folder)
	}
	sum := sha256.Sum256(lock)
	return Cached(t, name+"-"+hex.EncodeToString(sum[:6]), func(dir string) error {
		for _, name := range []string{"package.json", "package-lock.json", ".npmrc"} {
			if err := copyFile(folder, name, dir); err != nil {
				return err
			}
		}
		return Run(ctx, dir, "npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	})
}

// TypeScript compiles the client in source (clients/typescript) and returns the directory with the
// result and its packages. Each state of the sources is compiled once.
func TypeScript(ctx context.Context, t *testing.T, source string) string {
	t.Helper()
	packages := Packages(ctx, t, "typescript-client", source)
	names := []string{"package.json", "tsconfig.json", "gen.mjs", "src", "test", "examples"}
	sum := sha256.New()
	err := eachFile(source, names, func(name string, text []byte) error {
		fmt.Fprintf(sum, "%s %d\n%s", name, len(text), text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return Cached(t, filepath.Base(packages)+"-"+hex.EncodeToString(sum.Sum(nil)[:6]), func(dir string) error {
		err := eachFile(source, names, func(name string, _ []byte) error { return copyFile(source, name, dir) })
		if err != nil {
			return err
		}
		if err := os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
			return err
		}
		return Run(ctx, dir, "node", "node_modules/typescript/bin/tsc")
	})
}

// eachFile calls f for the files below dir that have one of the names, or are in a folder of that name.
func eachFile(dir string, names []string, f func(name string, text []byte) error) error {
	source := os.DirFS(dir)
	for _, name := range names {
		err := fs.WalkDir(source, name, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := fs.ReadFile(source, path)
			if err != nil {
				return err
			}
			return f(path, text)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Cached returns a directory outside the project, which fill has filled once for each name. It is filled under another
// name and renamed when it is complete, so that concurrent tests never see it half done.
func Cached(t *testing.T, name string, fill func(dir string) error) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "ballast", name)
	if _, err := os.Stat(dir); err == nil {
		return dir
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	work, err := os.MkdirTemp(filepath.Dir(dir), "making-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(work)
	if err := fill(work); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(work, dir); err != nil { // another test may have made the same
		if _, has := os.Stat(dir); has != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Run runs a program in a directory; the error has its output.
func Run(ctx context.Context, dir, program string, args ...string) error {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%v: %w\n%s", cmd.Args, err, out)
	}
	return nil
}

// copyFile copies a file of a folder, or of one inside of it, to the same place in dir.
func copyFile(folder, name, dir string) error {
	b, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), b, 0o644)
}
