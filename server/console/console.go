// Package console holds the page that a browser shows at /: live markets, a trade form whose answer is
// drawn, a wallet and its alerts, the record of the forecasts, and the state of the service. The page is
// one file, built from the sources beside it by "make gen"; it asks nobody but the service it came from.
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

// Policy is the Content-Security-Policy of Page: it runs the one script and has the one style
// sheet that are inside it, known by their hashes, and talks to its own service alone.
var Policy = "default-src 'none'; script-src " + hashOf("<script type=\"module\">", "</script>") + "; style-src " + hashOf("<style>", "</style>") +
	"; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

// hashOf names what the page has between two tags as a policy does.
func hashOf(begin, end string) string {
	_, rest, found := bytes.Cut(page, []byte(begin))
	text, _, closed := bytes.Cut(rest, []byte(end))
	if !found || !closed {
		panic("BUG: the console has no " + begin)
	}
	sum := sha256.Sum256(text)
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
