package main

import (
	"bufio"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// With a rejected API key a tool call returns an error; with a missing flag the command fails.
func TestE2EMCPRefusals(t *testing.T) {
	refused(t, []badCall{
		{2, "--key-file", []string{"--server", "http://127.0.0.1:1"}},
		{2, "--key-file: without --server a simulated venue answers", []string{"--key-file", "key"}},
		{2, "want the whole address, http://127.0.0.1:1", []string{"--server", "127.0.0.1:1", "--key-file", "key"}},
	}, "mcp")
	s := sharedSim(t)
	for name, row := range map[string]struct{ server, want string }{
		"refused key": {s.url, `"error":"invalid API key"`},
		"nobody":      {"http://127.0.0.1:" + freePort(t), `"error":"service_unreachable"`},
	} {
		keyFile := (&remote{key: "nope"}).keyFile(t)
		cmd := exec.Command(binary(t, "ballast"), "mcp", "--server", row.server, "--key-file", keyFile)
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		io.WriteString(in,
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",`+
				`"capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_markets","arguments":{}}}
`)
		lines := bufio.NewScanner(out)
		if lines.Scan(); !lines.Scan() || !strings.Contains(lines.Text(), row.want) {
			t.Errorf("%s: %s", name, lines.Text())
		}
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: after the end of its input: %v", name, err)
		}
	}
}
