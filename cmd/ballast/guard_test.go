package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// tradingServer names the variable that makes the test binary an MCP server with the tools of
// caiovicentino/hyperliquid-mcp-server: the file in which it notes its calls, or the exit status with which it ends at
// once.
const tradingServer = "TRADING_SERVER"

// serveTrades serves MCP on standard input and output, as a server that trades.
func serveTrades(notes string) error {
	if status := 0; len(notes) < 4 {
		fmt.Sscan(notes, &status)
		os.Exit(status)
	}
	fmt.Fprintln(os.Stderr, "trading server: hello")
	log, err := os.OpenFile(notes, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	server := sdk.NewServer(&sdk.Implementation{Name: "trading", Version: "1"}, nil)
	for _, name := range []string{"place_order", "place_batch_orders", "cancel_all_orders", "adjust_leverage", "look",
		"leap"} {
		tool := &sdk.Tool{Name: name, InputSchema: map[string]any{"type": "object"},
			Annotations: &sdk.ToolAnnotations{ReadOnlyHint: name == "look"}}
		server.AddTool(tool, func(_ context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			fmt.Fprintf(log, "%s %s\n", name, req.Params.Arguments)
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: name + " done"}}}, nil
		})
	}
	return server.Run(context.Background(), &sdk.StdioTransport{})
}

// guarded returns a command that runs the trading server behind the guard, and the file of its calls.
func guarded(t *testing.T, s *remote, flags ...string) (cmd *exec.Cmd, notes string) {
	t.Helper()
	notes = filepath.Join(t.TempDir(), "notes")
	args := append([]string{"guard", "--map", "caiovicentino", "--server", s.url, "--key-file", s.keyFile(t),
		"--wallet", crossWallet}, flags...)
	cmd = exec.Command(binary(t, "ballast"), append(args, "--", os.Args[0], "-test.run=^$")...)
	cmd.Env = append(os.Environ(), tradingServer+"="+notes)
	return cmd, notes
}

func callTool(t *testing.T, session *sdk.ClientSession, name string, arguments string) (text string, isError bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	r, err := session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r.Content[0].(*sdk.TextContent).Text, r.IsError
}

// TestE2EGuard trades with the SDK's client through the guard, in front of a server that is judged by a service on the
// simulated venue.
func TestE2EGuard(t *testing.T) {
	s := sharedSim(t)
	cmd, notes := guarded(t, s)
	var said strings.Builder
	cmd.Stderr = &said
	client := sdk.NewClient(&sdk.Implementation{Name: "agent", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, &said)
	}
	if list, err := session.ListTools(t.Context(), nil); err != nil || len(list.Tools) != 6 {
		t.Fatalf("%v, %v", list, err)
	}
	for _, row := range []struct{ tool, arguments, refusal string }{
		{"place_order", `{"coin":"BTC","is_buy":true,"size":0.001,"price":0,"order_type":"market"}`, ""},
		{"place_order", `{"coin":"BTC","is_buy":true,"size":900,"price":0,"order_type":"market"}`, "Remedy: "},
		{"place_order", `{"coin":"BTC","is_buy":false,"size":900,"price":1,"reduce_only":true}`, ""},
		{"place_batch_orders", `{"orders":[{"coin":"BTC","is_buy":true,"size":0.001,"price":1},` +
			`{"coin":"BTC","is_buy":true,"size":900,"price":900000}]}`, "Remedy: "},
		{"place_order", `{"coin":"NOPE","is_buy":true,"size":1,"price":1}`, "NOPE"},
		{"cancel_all_orders", `{}`, ""},
		{"adjust_leverage", `{"coin":"BTC","leverage":3}`, ""},
		{"look", `{}`, ""},
		{"leap", `{}`, "the server does not mark it as read-only"},
	} {
		var text string
		var isError bool
		eventually(t, row.tool+" on fresh data", 30*time.Second, func() bool {
			text, isError = callTool(t, session, row.tool, row.arguments)
			return !strings.Contains(text, "Try again in some seconds")
		})
		if isError != (row.refusal != "") || !strings.Contains(text, row.refusal) ||
			isError != strings.HasPrefix(text, "Ballast refused "+row.tool) {
			t.Errorf("%s %s: %s", row.tool, row.arguments, text)
		}
	}
	if err := session.Close(); err != nil {
		t.Errorf("%v\n%s", err, &said)
	}
	if n := strings.Count(said.String(), "ballast guard: Ballast refused"); n < 4 ||
		!strings.Contains(said.String(), "trading server: hello") {
		t.Errorf("standard error has %d refusals:\n%s", n, &said)
	}
	calls, _ := os.ReadFile(notes)
	if n := strings.Count(string(calls), "\n"); n != 5 || strings.Contains(string(calls), `"size":900,"price":0`) {
		t.Errorf("the server got\n%s", calls)
	}
}

func TestE2EGuardEndsAsTheServerDoes(t *testing.T) {
	s := sharedSim(t)
	cmd, _ := guarded(t, s)
	cmd.Env = append(os.Environ(), tradingServer+"=7")
	if cmd.Run(); cmd.ProcessState.ExitCode() != 7 {
		t.Errorf("exit status %d, want the server's 7", cmd.ProcessState.ExitCode())
	}
	cmd, _ = guarded(t, s)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p := launch(t, "guard", cmd, false)
	p.note(t, "trading server: hello")
	p.cmd.Process.Signal(syscall.SIGTERM)
	if status := p.exit(t); status != 128+int(syscall.SIGTERM) {
		t.Errorf("after SIGTERM exit status %d", status)
	}
	in.Close()
	// without a service nothing opens, and exits pass
	nobody := &remote{url: "http://127.0.0.1:" + freePort(t), key: "x"}
	cmd, notes := guarded(t, nobody)
	in, err = cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p = launch(t, "guard", cmd, false)
	io.WriteString(in,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},`+
			`"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"place_order","arguments":`+
			`{"coin":"BTC","is_buy":true,"size":1,"price":1}}}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"cancel_all_orders","arguments":{}}}
`)
	p.note(t, "cancel_all_orders done")
	in.Close()
	status := p.exit(t)
	calls, _ := os.ReadFile(notes)
	if said := p.drain()(); status != 0 || !strings.Contains(said, "the service cannot be asked") ||
		string(calls) != "cancel_all_orders {}\n" {
		t.Errorf("exit status %d: %s\nthe server got %s", status, said, calls)
	}
}

func TestGuardCalls(t *testing.T) {
	dir := t.TempDir()
	bad := writeFile(t, filepath.Join(dir, "map"), "tools:\n  x: {dose: reads}\n")
	key := writeFile(t, filepath.Join(dir, "key"), "k")
	for says, c := range map[string]guardCmd{
		"--wallet: the tools name no account":                                   {Map: "edkdev"},
		"maps of the program itself: caiovicentino, edkdev, t3rmed, talkincode": {Map: dir + "/none"},
		"line 2: tool x: does":                                                  {Map: bad},
		"the server does not start":                                             {Map: "edkdev", Wallet: crossWallet},
	} {
		c.Server, c.KeyFile, c.Command = "http://127.0.0.1:1", key, []string{dir + "/nothing"}
		if err := c.Run(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v, want %q", err, says)
		}
	}
}
