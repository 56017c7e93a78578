package spec

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"
)

func TestDocuments(t *testing.T) {
	for name, d := range map[string]*Document{"OpenAPI": OpenAPI, "AsyncAPI": AsyncAPI, "LLMs": LLMs,
		"LLMsFull": LLMsFull, "Docs": Docs, "DocsScript": DocsScript} {
		if len(d.Plain()) == 0 || string(unpack(d.Packed())) != string(d.Plain()) {
			t.Errorf("%s: the packed text is another", name)
		}
		if tag := d.ETag(); !strings.HasPrefix(tag, `W/"`) || tag != d.ETag() {
			t.Errorf("%s: tag %s", name, tag)
		}
	}
	for name, version := range map[string]string{"openapi": "3.1.0", "asyncapi": "3.0.0"} {
		d := map[string]*Document{"openapi": OpenAPI, "asyncapi": AsyncAPI}[name]
		var tree map[string]any
		if err := json.Unmarshal(d.Plain(), &tree); err != nil || tree[name] != version {
			t.Errorf("%s: %v, version %v", name, err, tree[name])
		}
	}
	for _, part := range []string{string(LLMs.Plain()), "\n# HTTP interface: ", "\n# Alerts: "} {
		if !strings.Contains(string(LLMsFull.Plain()), part) {
			t.Errorf("llms-full.txt lacks %.40q", part)
		}
	}
	if n := len(LLMs.Plain()); n >= 8<<10 {
		t.Errorf("llms.txt has %d bytes", n)
	}
}

// The page's script equals the published file byte by byte; see redoc/README.md.
func TestRedocIsThePublishedFile(t *testing.T) {
	const published = "dcaf76612bc4a3fbcc923a8966dee2f6146a5f32e5ce1b6f02dd60cbbf89500b"
	if sum := sha256.Sum256(DocsScript.Plain()); hex.EncodeToString(sum[:]) != published {
		t.Errorf("%x, want %s", sum, published)
	}
}
