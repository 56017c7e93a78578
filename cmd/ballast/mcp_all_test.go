//go:build all

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"ballast/internal/npm"
)

// mcpReport is the JSON that testdata/client/client.mjs prints.
type mcpReport struct {
	Tools []struct {
		Name, Title, Description string
		Annotations              struct{ ReadOnlyHint, DestructiveHint, IdempotentHint bool }
		InputSchema              struct {
			AdditionalProperties *bool
			Properties           map[string]struct{ Description string }
		}
		OutputSchema map[string]any
	}
	Calls []struct {
		Name   string
		Args   map[string]any
		Result struct {
			IsError           bool
			Content           []struct{ Type, Text string }
			StructuredContent map[string]any
		}
	}
	Mended []struct {
		Name   string
		Args   map[string]any
		Failed bool
	}
	ResourceTemplates []struct{ URITemplate string }
	Contents          []struct{ URI, MIMEType, Text string }
	Instructions      string
}

var mcpTools = []string{"check_wallet", "explain_flag", "get_decision", "get_market", "list_markets", "size_trade",
	"validate_plan", "validate_trade"}

// runs runs a command and returns its standard output and standard error.
func runs(t *testing.T, cmd *exec.Cmd) (out []byte, said string) {
	t.Helper()
	var errors bytes.Buffer
	cmd.Stderr = &errors
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, &errors)
	}
	return out, errors.String()
}

// TestE2EMCP runs the official MCP client and the inspector against the built binary: over stdio
// with the service in the same process, over stdio with a service elsewhere, and over HTTP.
func TestE2EMCP(t *testing.T) {
	t.Parallel() // beside one other: it mostly waits
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	ballast := binary(t, "ballast")
	s := sharedSim(t)
	for _, row := range []struct {
		name      string
		client    []string
		inspector []string
	}{
		{"stdio", []string{"stdio", ballast, "mcp"}, []string{ballast, "mcp"}},
		{"stdio to a service", []string{"stdio", ballast, "mcp", "--server", s.url, "--key-file", s.keyFile(t)}, nil},
		{"http", []string{"http", s.url + "/mcp", s.key}, []string{s.url + "/mcp", "--transport", "http", "--header",
			"Authorization: Bearer " + s.key}},
	} {
		t.Run(row.name, func(t *testing.T) {
			client := npm.Client(ctx, t, "mcp-client", "testdata/client", row.client...)
			out, said := runs(t, client)
			if inside := row.name == "stdio"; strings.Contains(said, "SIMULATED VENUE") != inside {
				t.Errorf("standard error: %q", said)
			}
			var report mcpReport
			if err := json.Unmarshal(out, &report); err != nil {
				t.Fatalf("%v: %.500s", err, out)
			}
			report.check(t)
			if row.inspector == nil {
				return
			}
			arguments := append([]string{"node_modules/.bin/mcp-inspector", "--cli"}, row.inspector...)
			inspector := exec.CommandContext(ctx, "node", append(arguments, "--method", "tools/list")...)
			inspector.Dir = client.Dir
			out, _ = runs(t, inspector)
			var listed mcpReport
			if err := json.Unmarshal(out, &listed); err != nil || len(listed.Tools) != len(mcpTools) {
				t.Errorf("the inspector lists %v: %.500s", err, out)
			}
			inspector = exec.CommandContext(ctx, "node", append(arguments, "--method", "tools/call", "--tool-name",
				"get_market", "--tool-arg", "asset=BTC")...)
			inspector.Dir = client.Dir
			if out, _ = runs(t, inspector); !strings.Contains(string(out), `"oracle_price"`) {
				t.Errorf("the inspector's call: %.500s", out)
			}
		})
	}
}

// check compares what the client has seen with the tools of the contract.
func (r *mcpReport) check(t *testing.T) {
	var names []string
	for _, tool := range r.Tools {
		names = append(names, tool.Name)
		if !tool.Annotations.ReadOnlyHint || tool.Annotations.DestructiveHint || !tool.Annotations.IdempotentHint ||
			tool.Title == "" || tool.Description == "" ||
			tool.OutputSchema["type"] != "object" || tool.InputSchema.AdditionalProperties == nil {
			t.Errorf("the declaration of %s is incomplete: %+v", tool.Name, tool)
		}
		for name, field := range tool.InputSchema.Properties {
			if field.Description == "" {
				t.Errorf("%s: %s has no description", tool.Name, name)
			}
		}
	}
	if slices.Sort(names); !slices.Equal(names, mcpTools) {
		t.Errorf("tools %v", names)
	}
	for _, call := range r.Calls {
		text := call.Result.Content[0].Text
		if n := utf8.RuneCountInString(text); len(call.Result.Content) != 1 || n == 0 || n > 1200 {
			t.Errorf("%s %v: %d texts, of %d characters", call.Name, call.Args, len(call.Result.Content), n)
		}
		if call.Result.IsError {
			if call.Result.StructuredContent["error"] == nil {
				t.Errorf("%s %v: %v", call.Name, call.Args, call.Result.StructuredContent)
			}
			continue
		}
		asPromised(t, call.Name, call.Args, call.Result.StructuredContent)
		content := string(mustJSON(t, call.Result.StructuredContent))
		if !strings.Contains(content, `"venue":"simulated"`) && call.Name != "explain_flag" {
			t.Errorf("%s does not say that the venue is simulated", call.Name)
		}
	}
	for _, m := range r.Mended {
		if m.Failed {
			t.Errorf("%s: the text of the error did not suffice to correct the arguments %v", m.Name, m.Args)
		}
	}
	if len(r.Mended) != 6 || len(r.ResourceTemplates) != 1 || !strings.Contains(r.Instructions, "validate_trade") {
		t.Errorf("%d mended, %v, %q", len(r.Mended), r.ResourceTemplates, r.Instructions)
	}
	begin := map[string]string{"ballast://model": "# The model", "ballast://model/sizing": "## `sizing`",
		"ballast://flags": `[{"name":"stale_market_data"`}
	for _, c := range r.Contents {
		if want := begin[c.URI]; want == "" || !strings.HasPrefix(c.Text, want) {
			t.Errorf("%s begins %.60q", c.URI, c.Text)
		}
		delete(begin, c.URI)
	}
	if len(begin) > 0 {
		t.Errorf("resources not read: %v", begin)
	}
}

func mustJSON(t *testing.T, value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// asPromised checks a tool's structured content against the schema of the route that the tool calls.
func asPromised(t *testing.T, tool string, args, content map[string]any) {
	t.Helper()
	target := map[string]string{
		"validate_trade": "POST /v1/validate", "validate_plan": "POST /v1/validate/batch",
		"check_wallet": "GET /v1/monitor/x",
		"list_markets": "GET /v1/assets", "get_market": "GET /v1/market/BTC",
	}[tool]
	if target == "" { // explain_flag returns only a part of an answer
		return
	}
	bare := map[string]any{}
	for name, value := range content {
		if name != "matching" && (name != "venue" || !strings.HasSuffix(target, "BTC") && tool != "list_markets") {
			bare[name] = value
		}
	}
	method, path, _ := strings.Cut(target, " ")
	if err := answers.Check(method, path, http.StatusOK, http.Header{"Content-Type": {"application/json"},
		"X-Request-Id": {"x"}}, mustJSON(t, bare)); err != nil {
		t.Errorf("%s %v: %v", tool, args, err)
	}
}
