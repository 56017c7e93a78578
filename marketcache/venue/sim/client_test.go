package sim

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
	"time"
)

// clientFolder returns a folder outside the project that holds the client of
// testdata/client with its packages installed, one folder per lock file.
func clientFolder(ctx context.Context) (string, error) {
	lock, err := os.ReadFile("testdata/client/package-lock.json")
	if err != nil {
		return "", err
	}
	if strings.Contains(string(lock), `"resolved"`) {
		return "", fmt.Errorf("package-lock.json names a registry; see testdata/client/README.md")
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	sum := sha256.Sum256(lock)
	parent := filepath.Join(cache, "ballast")
	dir := filepath.Join(parent, "venuesim-client-"+hex.EncodeToString(sum[:6]))
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); err != nil {
		if err := install(ctx, parent, dir); err != nil {
			return "", err
		}
	}
	return dir, copyFile("client.mjs", dir) // the script may have changed, the packages not
}

// install makes the folder beside its place and moves it there whole, so that two
// tests at once cannot see it half done.
func install(ctx context.Context, parent, dir string) error {
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp(parent, "installing-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	for _, name := range []string{"package.json", "package-lock.json", ".npmrc"} {
		if err := copyFile(name, work); err != nil {
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

func copyFile(name, dir string) error {
	b, err := os.ReadFile(filepath.Join("testdata/client", name))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), b, 0o644)
}

// A client that others wrote for the real venue understands this one: each answer and
// event arrives through its transports and has the type that it declares.
func TestPublicClient(t *testing.T) {
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed: the public client cannot run", tool)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	dir, err := clientFolder(ctx)
	if err != nil {
		t.Fatal(err)
	}
	r := start(t, Config{Seed: 1})
	node := exec.CommandContext(ctx, "node", "client.mjs", "http://"+r.addr, "ws://"+r.addr+"/ws", Wallets[0].Address)
	node.Dir = dir
	out, err := node.CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "ok ") {
			t.Log(strings.TrimSpace(line))
		}
	}
	if err != nil {
		t.Errorf("client.mjs: %v", err)
	}
}
