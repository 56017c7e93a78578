//go:build all

package sim

import (
	"context"
	"strings"
	"testing"
	"time"

	"ballast/internal/npm"
)

// A public client library for the real venue works with the simulation: each answer and event
// arrives through its transports and has the declared type.
func TestPublicClient(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	r := start(t, Config{Seed: 1})
	out, err := npm.Client(ctx, t, "venuesim-client", "http://"+r.addr, "ws://"+r.addr+"/ws", Wallets[0].Address).CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if !strings.HasPrefix(line, "ok ") {
			t.Log(strings.TrimSpace(line))
		}
	}
	if err != nil {
		t.Errorf("client.mjs: %v", err)
	}
}
