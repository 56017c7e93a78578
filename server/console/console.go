// Package console holds the web page at /: a trade answered while one types, a wallet with its pools and
// alerts, live markets, recorded decisions, the operator's limits and the kill switch, the record of the forecasts,
// and the state of the service. The page is one file, which "make gen" builds from the sources in this folder. It
// sends requests to its own service only.
package console

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the page
	"encoding/base64"

	"ballast/server/spec"
)

//go:embed dist/index.html
var page []byte

// Page is the console: HTML with style and script inside.
var Page = spec.NewDocument("text/html; charset=utf-8", page)

// Policy is the Content-Security-Policy of Page. It allows the page's own script and style sheet, by
// their hashes, and requests to its own service.
var Policy = "default-src 'none'; script-src " + hashOf("<script type=\"module\">", "</script>") + "; style-src " +
	hashOf("<style>", "</style>") +
	"; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'"

// hashOf returns the policy's source expression for the text between two tags of the page.
func hashOf(begin, end string) string {
	_, rest, found := bytes.Cut(page, []byte(begin))
	text, _, closed := bytes.Cut(rest, []byte(end))
	if !found || !closed {
		panic("BUG: the console has no " + begin)
	}
	sum := sha256.Sum256(text)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
