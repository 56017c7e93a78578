//go:build all

package webhook

import (
	"bufio"
	"context"
	"strings"
	"testing"
	"time"

	"ballast/internal/npm"
)

// TestLibraryVerifies: the convention's own library for JavaScript verifies what is posted, and refuses what another
// secret has signed.
func TestLibraryVerifies(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	own := NewSecret()
	node := npm.Client(ctx, t, "standardwebhooks", "testdata/client", own)
	out, err := node.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	defer node.Wait()
	defer node.Process.Kill()
	lines := bufio.NewScanner(out)
	says := func(want string) string {
		t.Helper()
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), want) {
			t.Fatalf("%q, want %s", lines.Text(), want)
		}
		return strings.TrimPrefix(lines.Text(), want)
	}
	url := "http://127.0.0.1:" + says("listening ")
	p := NewPoster("test", true)
	body := []byte(`{"type":"alert.began","data":{"message":"SOL: liquidation is 1.41 % away – \u00e9"}}`)
	if err := p.Post(ctx, &Target{url, own}, "msg_1", body); err != nil {
		t.Error(err)
	}
	if says(`verified msg_1 {"type":"alert.began"`); !strings.Contains(lines.Text(), "1.41 %") {
		t.Error(lines.Text())
	}
	if err := p.Post(ctx, &Target{url, NewSecret()}, "msg_2", body); err == nil {
		t.Error("a message with another secret was taken")
	}
	says("refused msg_2")
}
