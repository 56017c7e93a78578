package server

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	wire "ballast/marketcache/venue/exchange"
	"ballast/server/receipt"
)

// signing makes a server sign receipts that hold for five seconds.
func signing(c *Config) {
	key := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{9}, ed25519.SeedSize))
	c.Receipts = receipt.NewSigner(key, 5*time.Second)
}

// receiptOf verifies a receipt with the key that the service tells, and returns its values as texts.
func (f *fixture) receiptOf(text []byte) map[string]string {
	f.t.Helper()
	var key struct{ Raw []byte }
	var r map[string]json.RawMessage
	if err := json.Unmarshal(f.get("/v1/receipt-key").body, &key); err != nil {
		f.t.Fatal(err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		f.t.Fatalf("no receipt: %v in %q", err, text)
	}
	fields := map[string]string{}
	for name, value := range r {
		if fields[name] = string(value); value[0] == '"' {
			fields[name] = strings.Trim(string(value), `"`)
		}
	}
	message := fields["version"] + "\n"
	for _, name := range []string{"key_id", "kind", "index", "request_digest", "account", "verdict", "policy_revision",
		"engine_version", "request_id", "as_of", "valid_until"} {
		message += name + "=" + fields[name] + "\n"
	}
	signature, err := base64.StdEncoding.DecodeString(fields["signature"])
	if err != nil || !ed25519.Verify(key.Raw, []byte(message), signature) {
		f.t.Errorf("signature %v is not of\n%s", err, message)
	}
	return fields
}

// receiptIn returns the member receipt of an object.
func receiptIn(tree map[string]any) []byte {
	text, _ := json.Marshal(tree["receipt"])
	return text
}

func sha(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func TestDecisionsHaveReceipts(t *testing.T) {
	f := warmFixture(t, signing)
	live := f.s.cfg.Policies.InForce()
	canonical := `{"action":"long","asset":"BTC","leverage":10,"size":50000,"wallet":"` + wallet + `"}`
	for _, path := range []string{"/v1/validate", "/v1/validate?view=compact", "/v1/validate?explain=true"} {
		a := f.raw(f.request("POST", path, trade("BTC"), "X-Request-Id: mine-1")).ok()
		r := f.receiptOf(receiptIn(a.tree))
		if r["request_digest"] != sha(canonical) || r["account"] != wallet ||
			r["verdict"] != a.tree["recommendation"] || r["request_id"] != "mine-1" || r["kind"] != "validate" ||
			r["policy_revision"] != "0" {
			t.Errorf("%s: %v", path, r)
		}
		asOf, _ := time.Parse(time.RFC3339, r["as_of"])
		until, _ := time.Parse(time.RFC3339, r["valid_until"])
		if until.Sub(asOf) != 5*time.Second || a.tree["meta"].(map[string]any)["as_of"] != r["as_of"] {
			t.Errorf("%s: from %v to %v", path, asOf, until)
		}
	}
	f.rules(live, `{"max_order_usd":1}`)
	if r := f.receiptOf(receiptIn(f.post(trade("BTC")).tree)); r["verdict"] != "abort" || r["policy_revision"] != "7" {
		t.Errorf("what the policy forbids: %v", r)
	}
	f.aged(3 * time.Second)
	f.venueGives(nil, fmt.Errorf("venue_unavailable"))
	if r := f.receiptOf(receiptIn(f.post(trade("BTC")).tree)); r["valid_until"] != r["as_of"] {
		t.Errorf("on stale data: %v", r)
	}
}

func TestBatchesHaveAReceiptForEachTrade(t *testing.T) {
	f := warmFixture(t, signing)
	a := f.postBatch(batchOf(btcLong, `{"asset":"NOPE","action":"long","size":1,"é":1}`, btcLong)).ok()
	results := a.tree["results"].([]any)
	digest := ""
	for i, element := range results {
		tree := element.(map[string]any)
		if i == 1 {
			if tree["receipt"] != nil {
				t.Errorf("a trade that was not assessed: %v", tree["receipt"])
			}
			continue
		}
		r := f.receiptOf(receiptIn(tree))
		if r["kind"] != "batch" || r["index"] != fmt.Sprint(i) || i > 0 && r["request_digest"] != digest {
			t.Errorf("trade %d: %v", i, r)
		}
		digest = r["request_digest"]
	}
}

func TestWithoutAKeyThereAreNoReceipts(t *testing.T) {
	f := warmFixture(t, nil)
	if a := f.post(trade("BTC")).ok(); a.tree["receipt"] != nil {
		t.Errorf("%v", a.tree["receipt"])
	}
	f.get("/v1/receipt-key").want(404, "not_found", "--receipt-key")
}

// answersWithReceipts makes every endpoint with receipts answer.
func answersWithReceipts(f *fixture) {
	f.get("/v1/receipt-key")
	f.post(trade("BTC"))
	f.raw(f.request("POST", "/v1/validate?view=compact", trade("BTC")))
}

func TestAnswersOfTheGateHaveReceipts(t *testing.T) {
	g := newGated(t, nil)
	c := Config{}
	signing(&c)
	g.s.cfg.Receipts = c.Receipts
	g.rules(g.live, `{}`)
	account := g.account.String()
	for _, row := range []struct {
		name, verdict, account string
		body                   string
	}{
		{"a small order", "allowed", account, g.sign(order(true, "0.001", "60000", false), wire.Mainnet)},
		{"a huge order", "refused", account, g.sign(order(true, "900000", "60000", false), wire.Mainnet)},
		{"an exit", "passed", "", g.sign(order(false, "0.001", "60000", true), wire.Mainnet)},
		{"funds", "refused", "", g.sign(&wire.VaultTransfer{USD: 5}, wire.Mainnet)},
	} {
		a := g.act(row.body)
		r := g.receiptOf([]byte(a.header.Get("X-Ballast-Receipt")))
		var canonical any
		json.Unmarshal([]byte(row.body), &canonical)
		sorted, _ := json.Marshal(canonical) // whole numbers below 2^53 and plain texts
		if r["kind"] != "gate" || r["verdict"] != row.verdict || r["account"] != row.account ||
			r["request_digest"] != sha(string(sorted)) {
			t.Errorf("%s: %v, %s", row.name, r, a.body)
		}
	}
	if a := g.act(`{"action":1}`); a.header.Get("X-Ballast-Receipt") != "" {
		t.Errorf("a body that is no action: %v", a.header)
	}
}
