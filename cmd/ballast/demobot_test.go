package main

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"ballast/marketcache/venue/exchange"
)

// The bot's orders trade on the simulated venue, but for the one that is too large.
func TestDemoBot(t *testing.T) {
	m := &market{stop: func() {}}
	base, err := m.startSim(t.Context(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer m.shutdown()
	for _, name := range traderNames() {
		trader := (&demoBotCmd{Wallet: name}).trader()
		key, err := exchange.ParseKey(trader.Key)
		if err != nil || key.Address().String() != trader.Address {
			t.Fatalf("%s: the key is that of %v, %v", name, key.Address(), err)
		}
		var out bytes.Buffer
		b := &demoBot{base: base, key: key, user: trader.Address, nonce: uint64(time.Now().UnixMilli()), out: &out}
		if err := b.run(); err != nil {
			t.Fatal(err)
		}
		var refused []string
		answers := strings.Split(out.String(), "\n< ")[1:]
		for _, answer := range answers {
			if strings.Contains(answer, "error") || !strings.HasPrefix(answer, `{"status":"ok"`) {
				refused = append(refused, answer)
			}
		}
		const margin = "Insufficient margin to place order. asset=0"
		if len(answers) != 7 || len(refused) != 1 || !strings.Contains(refused[0], margin) {
			t.Errorf("%s: %d answers, refused %q\n%s", name, len(answers), refused, out.String())
		}
	}
}
