package alerts

import (
	"bufio"
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
	dir := filepath.Join(parent, "alerts-client-"+hex.EncodeToString(sum[:6]))
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

// A client that others wrote understands the socket: handshake, alerts, pings, faults and
// both ways of closing.
func TestForeignClient(t *testing.T) {
	for _, tool := range []string{"node", "npm"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed: the foreign client cannot run", tool)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	dir, err := clientFolder(ctx)
	if err != nil {
		t.Fatal(err)
	}
	h := newTestHub(t, Config{})
	node := exec.CommandContext(ctx, "node", "client.mjs", "ws://"+serve(t, h)+"/v1/alerts/ws", strings.ToUpper(testWallet[2:]))
	node.Args[3] = "0x" + node.Args[3]
	node.Dir = dir
	node.Stderr = os.Stderr
	out, err := node.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	r := risky(1700000000000)
	r.Positions[0].RiskScore = 41
	r.HasPortfolio, r.PortfolioVaRPct = true, 10.75
	wallet := strings.ToLower(testWallet)
	want := []string{
		`extensions ""`,
		`{"subscribed":"` + wallet + `"}`,
		`pong are you there`,
		`subscribed`,
		riskyAlert("high_risk_score", `"BTC"`, "BTC: risk score 41 is above 40", "41", "40"),
		riskyAlert("portfolio_var_breach", "null", "portfolio: VaR 99 % over 24 h is 10.75 % of the account value, more than 10.5 %", "10.75", "10.5"),
		riskyAlert("high_risk_score", `"BTC"`, "BTC: risk score 41 is above 40", "41", "40"),
		`unknown key: {"error":"invalid_config","detail":"unknown field: thresholds.max_score"}`,
		`unknown key: closed 1008 invalid_config`,
		`binary: {"error":"invalid_config","detail":"binary message, want text"}`,
		`binary: closed 1008 invalid_config`,
		`too long: closed 1009 message over 4096 bytes`,
		`fragments: {"subscribed":"` + wallet + `"}`,
		`leaving: closed 4321 `,
		`idle`,
		`closed 1001 shutting down`,
	}
	lines := bufio.NewScanner(out)
	ended := make(chan error, 1)
	i := 0
	for ; lines.Scan(); i++ {
		if i >= len(want) || lines.Text() != want[i] {
			t.Errorf("line %d: %s", i, lines.Text())
		}
		switch lines.Text() {
		case "subscribed":
			h.Deliver(r)
			r2 := *r
			r2.HasPortfolio = false
			h.Deliver(&r2)
		case "idle":
			go func() { ended <- h.Shutdown(ctx) }()
		}
	}
	if err := node.Wait(); err != nil || i != len(want) {
		t.Fatalf("client: %v after %d lines, want %d", err, i, len(want))
	}
	if err := <-ended; err != nil {
		t.Errorf("shutdown: %v", err)
	}
}

func riskyAlert(kind, asset, message, current, threshold string) string {
	return `{"alert_type":"` + kind + `","wallet":"` + testWallet + `","asset":` + asset + `,"severity":"warning","message":"` + message +
		`","timestamp":"2023-11-14T22:13:20.000Z","current_value":` + current + `,"threshold":` + threshold + `}`
}
