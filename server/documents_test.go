package server

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"ballast/server/console"
	"ballast/server/spec"
)

func TestDocuments(t *testing.T) {
	f := newFixture(t, nil)
	get := func(path string, headers ...string) *reply {
		return f.raw("GET " + path + " HTTP/1.1\r\nHost: x\r\n" + strings.Join(append(headers, ""), "\r\n") + "\r\n")
	}
	for path, want := range map[string]*spec.Document{
		"/openapi.json": spec.OpenAPIAt("http://x", false), "/openapi.json?view=full": spec.OpenAPIAt("http://x", true),
		"/asyncapi.json": spec.AsyncAPI, "/llms.txt": spec.LLMs,
		"/llms-full.txt": spec.LLMsFull, "/docs": spec.Docs, "/": console.Page, "/docs/redoc.js": spec.DocsScript,
		"/docs/operations.md": spec.Operations,
	} {
		r := get(path)
		r.ok().holds("Content-Type", want.ContentType, "Cache-Control", "no-cache", "X-Content-Type-Options", "nosniff",
			"Vary", "Accept-Encoding")
		if !bytes.Equal(r.body, want.Plain()) {
			t.Errorf("%s: %d bytes", path, len(r.body))
		}
		packed := get(path, "Accept-Encoding: gzip")
		z, err := gzip.NewReader(bytes.NewReader(packed.body))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if text, err := io.ReadAll(z); err != nil || !bytes.Equal(text, want.Plain()) ||
			packed.header.Get("Content-Encoding") != "gzip" {
			t.Errorf("%s, packed: %v %v", path, err, packed.header)
		}
		tag := r.header.Get("Etag")
		for _, match := range []string{tag, strings.TrimPrefix(tag, "W/"), `"a", ` + tag, "*"} {
			again := get(path, "If-None-Match: "+match).want(304, "").holds("Etag", tag)
			if len(again.body) != 0 {
				t.Errorf("%s, If-None-Match %s: %s", path, match, again.body)
			}
		}
		for _, match := range []string{"", `"a"`, tag[:len(tag)-1], "W/" + tag} {
			get(path, "If-None-Match: "+match).ok()
		}
		f.raw("HEAD "+path+" HTTP/1.1\r\nHost: x\r\n\r\n").ok().holds("Etag", tag)
	}
	for _, body := range []string{string(get("/openapi.json").body), string(get("/openapi.json?view=full").body)} {
		if !strings.Contains(body, `"servers": [{"url": "http://x"}]`) {
			t.Errorf("no server: %.1500s", body)
		}
	}
	if n := bytes.Count(get("/openapi.json?view=full").body, []byte("anyOf")); n >= bytes.Count(spec.OpenAPI.Plain(),
		[]byte("anyOf")) {
		t.Errorf("%d unions are left", n)
	}
	// The page may load nothing from other hosts and run only its own script.
	policy := get("/docs").header.Get("Content-Security-Policy")
	for _, part := range strings.Split(policy, "; ") {
		if name, value, _ := strings.Cut(part, " "); strings.Contains(value, "unsafe") ||
			strings.ContainsAny(value, "*") || strings.Contains(value, "http") {
			t.Errorf("%s %s", name, value)
		}
	}
	if !strings.HasPrefix(policy, "default-src 'none'; script-src 'self'; ") {
		t.Error(policy)
	}
	if policy := get("/").header.Get("Content-Security-Policy"); policy != console.Policy {
		t.Error(policy)
	}
	f = newFixture(t, func(c *Config) { c.NoConsole = true })
	get("/").want(404, "", `"error":"not_found"`)
}
