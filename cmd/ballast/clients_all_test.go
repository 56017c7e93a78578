//go:build all

package main

import (
	"context"
	"os"
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

func pythonLibrary(ctx context.Context, t *testing.T, s *remote, operator string) {
	cmd := exec.CommandContext(ctx, "python3", "-W", "error", "../../clients/python/tests/test_service.py", s.url,
		s.key, operator)
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

func typescriptLibrary(ctx context.Context, t *testing.T, s *remote, operator string) {
	dir := npm.TypeScript(ctx, t, "../../clients/typescript")
	cmd := exec.CommandContext(ctx, "node", filepath.Join(dir, "dist/test/service.js"), s.url, s.key, operator)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "\n# pass 8\n") {
		t.Errorf("%v\n%s", err, out)
	}
}

func typescriptReadme(ctx context.Context, t *testing.T, program string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, "node", "--input-type=module", "-e", program)
	cmd.Dir = npm.TypeScript(ctx, t, "../../clients/typescript") // where Node finds the client under its package name
	return cmd
}

// clientPackages is a folder with the packages that a release has of the clients.
type clientPackages string

// TestE2EClientPackages runs the program of each client's README with the package that a release has of it, installed
// into an empty directory.
func TestE2EClientPackages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "../../packaging/clients.sh", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p := clientPackages(dir)
	s := serveSim(t, "--data-dir", t.TempDir())
	for _, c := range []exampleClient{
		{name: "go", readme: p.goModule}, {name: "python", readme: p.pip}, {name: "typescript", readme: p.npm},
	} {
		t.Run(c.name, func(t *testing.T) { printsVerdict(t, s.readmeExample(t.Context(), t, &c, crossWallet)) })
	}
}

// install runs a script in an empty directory, which has the program under a name, with the packages in $PACKAGES. It
// returns the directory.
func (p clientPackages) install(ctx context.Context, t *testing.T, name, program, script string) string {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, name), program)
	cmd := exec.CommandContext(ctx, "bash", "-ec", script)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "PACKAGES="+string(p), "MODULE="+goModule(t))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return dir
}

func (p clientPackages) goModule(ctx context.Context, t *testing.T, program string) *exec.Cmd {
	dir := p.install(ctx, t, "main.go", goProgram(t, program), `tar xzf $PACKAGES/ballast_*_goproxy.tar.gz
go mod init agent
export GOPROXY=file://$PWD/goproxy,$(go env GOPROXY) GONOSUMDB=$MODULE
go get $MODULE@latest
go build -o agent .`)
	return exec.CommandContext(ctx, filepath.Join(dir, "agent"))
}

func (p clientPackages) pip(ctx context.Context, t *testing.T, program string) *exec.Cmd {
	dir := p.install(ctx, t, "trade.py", program, `export PIP_NO_INDEX=1
python3 -m pip install --quiet --target sdist $PACKAGES/ballast_risk-*.tar.gz
python3 -m pip install --quiet --target wheel $PACKAGES/ballast_risk-*.whl
diff -r sdist/ballast wheel/ballast --exclude __pycache__`)
	cmd := exec.CommandContext(ctx, "python3", filepath.Join(dir, "trade.py"))
	cmd.Env = append(os.Environ(), "PYTHONPATH="+filepath.Join(dir, "wheel"))
	return cmd
}

func (p clientPackages) npm(ctx context.Context, t *testing.T, program string) *exec.Cmd {
	dir := p.install(ctx, t, "trade.mjs", program, `npm init --yes
npm install --no-audit --no-fund $PACKAGES/ballast-*.tgz`)
	return exec.CommandContext(ctx, "node", filepath.Join(dir, "trade.mjs"))
}
