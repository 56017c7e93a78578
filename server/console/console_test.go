package console

import (
	"strings"
	"testing"
)

// maxPacked is the maximum compressed size of styles and scripts, in bytes.
const maxPacked = 150_000

// The page is small, and its content security policy allows only what it contains.
func TestPage(t *testing.T) {
	if n := len(Page.Packed()); n > maxPacked {
		t.Errorf("%d bytes, compressed", n)
	}
	for _, part := range strings.Split(Policy, "; ") {
		if strings.Contains(part, "unsafe") || strings.ContainsAny(part, "*") || strings.Contains(part, "http") {
			t.Error(part)
		}
	}
	for _, part := range []string{"default-src 'none'; script-src 'sha256-", "; style-src 'sha256-",
		"; connect-src 'self'; "} {
		if !strings.Contains(Policy, part) {
			t.Errorf("no %q in %s", part, Policy)
		}
	}
}
