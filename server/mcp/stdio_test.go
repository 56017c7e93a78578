package mcp

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"testing"
)

// Over standard input each bad line gets an error, and the next message is answered.
func TestBadLinesEndNothing(t *testing.T) {
	in, client := io.Pipe()
	answers, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- New(Config{}).Run(t.Context(), in, out)
		out.Close()
	}()
	lines := bufio.NewScanner(answers)
	lines.Buffer(nil, 4*maxLine)
	ask := func(line, want string) {
		t.Helper()
		if _, err := fmt.Fprintln(client, line); err != nil {
			t.Fatal(err)
		}
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), want) {
			t.Errorf("%.100s: %.200s, want %s", line, lines.Text(), want)
		}
	}
	const pong = `{"jsonrpc":"2.0","id":1,"result":{}}`
	ask("["+ping+"]", "["+pong+"]") // no version yet
	ask(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}`,
		`{"jsonrpc":"2.0","id":0,"result":{`)
	fmt.Fprintln(client, "\n \n"+`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	for line, code := range map[string]int{"Now using node v20": -32700, ping[:12]: -32700, "\ufeff" + ping: -32700,
		strings.Repeat(" ", 3*maxLine) + "x": -32700, `"` + strings.Repeat("x", 2*maxLine) + `"`: -32700,
		`5`: -32600, `[]`: -32600, "[" + ping + "]": -32600, `{"method":"ping"}`: -32600} {
		ask(line, fmt.Sprintf(`{"jsonrpc":"2.0","id":null,"error":{"code":%d,`, code))
		ask(ping, pong)
	}
	// A client of the version without initialize says its version in each message.
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{}}`
	ask(`{"jsonrpc":"2.0","id":2,"method":"server/discover","params":{`+meta+`}}`, `{"jsonrpc":"2.0","id":2,"result":{`)
	ask(`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"ballast://model/sizing",`+meta+`}}`,
		`{"jsonrpc":"2.0","id":2,"result":{`)
	client.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if lines.Scan() {
		t.Errorf("one more line: %s", lines.Text())
	}
}

// When the client reads no more, Run ends with the error.
func TestBrokenOutput(t *testing.T) {
	in, client := io.Pipe()
	answers, out := io.Pipe()
	answers.Close()
	done := make(chan error, 1)
	go func() { done <- New(Config{}).Run(t.Context(), in, out) }()
	fmt.Fprintln(client, ping)
	if err := <-done; err != io.ErrClosedPipe {
		t.Error(err)
	}
	client.Close()
}
