//go:build all

package main

import (
	"encoding/json"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestE2EReceiptsInOtherLanguages verifies a receipt with the program of docs/api.md, under Node.
func TestE2EReceiptsInOtherLanguages(t *testing.T) {
	request, answer, key := receiptFiles(t)
	page := contents(t, "../../docs/api.md")
	_, program, _ := strings.Cut(page, "\n## Receipts\n")
	_, program, _ = strings.Cut(program, "\n```js\n")
	program, _, found := strings.Cut(program, "\n```\n")
	if !found {
		t.Fatal("docs/api.md has no program that verifies a receipt")
	}
	program += `
import { readFileSync } from "node:fs";
const [request, answer, key] = process.argv.slice(2).map((f) => JSON.parse(readFileSync(f, "utf8")));
const r = answer.receipt;
check(r, request, key);
const fails = (name, receipt, request, now) => {
  try { check(receipt, request, key, now); } catch (e) { console.log(name, e.message); return; }
  console.log(name, "PASSED");
};
fails("verdict:", { ...r, verdict: "not " + r.verdict }, request);
fails("request:", r, { ...request, size: 50001 });
fails("late:", r, request, Date.parse(r.valid_until) + 1);
`
	file := writeFile(t, filepath.Join(t.TempDir(), "verify.mjs"), program)
	out, said := runs(t, exec.CommandContext(t.Context(), "node", file, request, answer, key))
	const want = "verdict: not signed by this key\nrequest: about another request\nlate: no longer valid\n"
	if string(out) != want {
		t.Errorf("%s%s, want\n%s", out, said, want)
	}
}

// receiptFiles asks a service that signs receipts, and writes request, answer and key to files.
func receiptFiles(t *testing.T) (request, answer, key string) {
	t.Helper()
	s := serveSim(t, "--receipt-key", newReceiptKey(t), "--receipt-valid", "10m")
	s.drain()
	write := func(name string, text []byte) string { return writeFile(t, filepath.Join(t.TempDir(), name), text) }
	body := `{ "wallet": "` + crossWallet + `", "asset":"BTC", "size": 5e4, "action": "long", "leverage": 2.50,` +
		` "order": {"price": 40000.5, "type": "limit"} }`
	status, got := s.post(t, body)
	if status != http.StatusOK || got["receipt"] == nil {
		t.Fatalf("%d %v", status, got)
	}
	_, public := s.get(t, "/v1/receipt-key")
	answerText, _ := json.Marshal(got)
	keyText, _ := json.Marshal(public)
	return write("request.json", []byte(body)), write("answer.json", answerText), write("key.json", keyText)
}
