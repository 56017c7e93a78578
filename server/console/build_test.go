//go:build all

package console

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"ballast/internal/npm"
)

var update = flag.Bool("update", false, "write the page that the sources give to dist")

// sources returns a folder with the page's sources, the contract's types which they import, and the
// packages that build them.
func sources(ctx context.Context, t *testing.T) string {
	t.Helper()
	modules := filepath.Join(npm.Packages(ctx, t, "console", "."), "node_modules")
	root := t.TempDir()
	dir := filepath.Join(root, "server/console")
	for _, folder := range []string{"server/console/src", "server/console/test", "clients/typescript/src"} {
		if err := os.CopyFS(filepath.Join(root, folder), os.DirFS(filepath.Join("../..", folder))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"build.mjs", "tsconfig.json", "package.json"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// node runs a script in dir.
func node(ctx context.Context, t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(ctx, "node", args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
}

// TestBuild checks the types of the sources, and that they give exactly the committed page.
func TestBuild(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	dir := sources(ctx, t)
	node(ctx, t, dir, "node_modules/typescript/bin/tsc", "-p", ".")
	node(ctx, t, dir, "build.mjs", "dist")
	built, err := os.ReadFile(filepath.Join(dir, "dist/index.html"))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("dist/index.html", built, 0o644); err != nil {
			t.Fatal(err)
		}
	} else if !bytes.Equal(built, page) {
		t.Error("dist/index.html is not what the sources give: run make gen")
	}
}

// TestScripts runs the tests in test: numbers, ages, addresses, and the charts of random trades.
func TestScripts(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	dir := sources(ctx, t)
	tests, err := filepath.Glob(filepath.Join(dir, "test/*.test.mjs"))
	if err != nil || len(tests) == 0 {
		t.Fatal("no tests", err)
	}
	node(ctx, t, dir, append([]string{"node_modules/esbuild/bin/esbuild", "--bundle", "--platform=node", "--format=esm",
		"--outdir=built", "--out-extension:.js=.mjs", "--log-level=warning"}, tests...)...)
	node(ctx, t, dir, "--test", "built/")
}
