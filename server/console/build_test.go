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

// TestBuild checks the types of the sources, and that they give exactly the committed page.
func TestBuild(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	modules := filepath.Join(npm.Packages(ctx, t, "console", "."), "node_modules")
	root := t.TempDir()
	dir := filepath.Join(root, "server/console")
	// the sources import types of the contract
	for _, folder := range []string{"server/console/src", "clients/typescript/src"} {
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
	for _, args := range [][]string{{"node_modules/typescript/bin/tsc", "-p", "."}, {"build.mjs", "dist"}} {
		node := exec.CommandContext(ctx, "node", args...)
		node.Dir = dir
		if out, err := node.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", args[0], err, out)
		}
	}
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
