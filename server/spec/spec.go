// Package spec holds the contract of the service, as files inside the program: OpenAPI 3.1
// of every endpoint, AsyncAPI 3.0 of the alert socket, the reference page, and two texts for
// language models. The files are written by hand. Tests check with package internal/contract
// that the service follows them.
package spec

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed" // the documents
	"encoding/hex"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"sync"

	"ballast/docs"
)

var (
	//go:embed openapi.json
	openAPI []byte
	//go:embed asyncapi.json
	asyncAPI []byte
	//go:embed llms.txt
	llms []byte
	//go:embed docs.html
	page []byte
	//go:embed redoc/redoc.standalone.js.gz
	redoc []byte
)

// The documents.
var (
	OpenAPI  = NewDocument("application/json", openAPI)
	AsyncAPI = NewDocument("application/json", asyncAPI)
	LLMs     = NewDocument("text/plain; charset=utf-8", llms)
	// LLMsFull is LLMs followed by the full documentation pages.
	LLMsFull = NewDocument("text/plain; charset=utf-8",
		slices.Concat(llms, []byte("\n"+docs.FirstRequest+"\n"+docs.API+"\n"+docs.Alerts)))
	Operations = NewDocument("text/plain; charset=utf-8", []byte(docs.Operations))
	Docs       = NewDocument("text/html; charset=utf-8", page)
	// DocsScript is Redoc, the script that renders Docs from OpenAPI; see redoc/README.md.
	DocsScript = newPackedDocument("text/javascript; charset=utf-8", redoc)
)

var (
	servers = regexp.MustCompile(`"servers": \[\{"url": "[^"]*"\}\]`)
	unions  = regexp.MustCompile(`\{"anyOf": \[(\{"\$ref": "[^"]+"\}), \{"\$ref": "[^"]+"\}\]` +
		`(, "description": "[^"]*")?\}`)
)

// OpenAPIAt returns the contract of the service at an origin. With full each union of the full and the compact view,
// which some generators cannot express, is the full view.
func OpenAPIAt(origin string, full bool) *Document {
	url, _ := json.Marshal(origin) // never fails
	body := servers.ReplaceAllLiteral(openAPI, []byte(`"servers": [{"url": `+string(url)+`}]`))
	if full {
		body = unions.ReplaceAll(body, []byte("$1"))
	}
	return NewDocument("application/json", body)
}

// DocsPolicy is the Content-Security-Policy of Docs. Nothing is loaded from other hosts, not even
// Redoc's logo. The two hashes allow the style element that Redoc fills by script, which is
// empty in the page, and Redoc's style sheet for scroll bars.
const DocsPolicy = "default-src 'none'; script-src 'self'; style-src " +
	"'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=' 'sha256-QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='; " +
	"connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Document is a file that never changes while the program runs. Callers must not write to its bodies.
type Document struct {
	ContentType string
	Plain       func() []byte
	Packed      func() []byte // Plain compressed by gzip
	// ETag returns the document's entity tag. It is weak because both encodings have the same tag.
	ETag func() string
}

// NewDocument returns a document. Its gzip encoding is made at the first request for it.
func NewDocument(contentType string, body []byte) *Document {
	return &Document{ContentType: contentType, ETag: etagOf(body),
		Plain: func() []byte { return body }, Packed: sync.OnceValue(func() []byte { return pack(body) })}
}

// newPackedDocument returns a document from its gzip encoding. The plain body is made at the first
// request for it.
func newPackedDocument(contentType string, packed []byte) *Document {
	return &Document{ContentType: contentType, ETag: etagOf(packed),
		Plain: sync.OnceValue(func() []byte { return unpack(packed) }), Packed: func() []byte { return packed }}
}

// etagOf returns a function that computes the tag at its first call.
func etagOf(body []byte) func() string {
	return sync.OnceValue(func() string {
		sum := sha256.Sum256(body)
		return `W/"` + hex.EncodeToString(sum[:16]) + `"`
	})
}

func pack(body []byte) []byte {
	var b bytes.Buffer
	w, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // fails for unknown levels only
	w.Write(body)                                         // a Buffer takes everything
	w.Close()
	return b.Bytes()
}

func unpack(packed []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	var body []byte
	if err == nil {
		body, err = io.ReadAll(r)
	}
	if err != nil {
		panic("BUG: embedded file is damaged: " + err.Error())
	}
	return body
}
