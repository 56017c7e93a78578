//go:build all

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestE2EReceiptsInOtherLanguages verifies a receipt with the program of docs/api.md, under Node.
func TestE2EReceiptsInOtherLanguages(t *testing.T) {
	skipShort(t)
	request, answer, key := receiptFiles(t)
	page, err := os.ReadFile("../../docs/api.md")
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(page), "\n## Receipts\n")
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
	file := filepath.Join(t.TempDir(), "verify.mjs")
	if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
		t.Fatal(err)
	}
	out, said := runs(t, exec.CommandContext(t.Context(), "node", file, request, answer, key))
	const want = "verdict: not signed by this key\nrequest: about another request\nlate: no longer valid\n"
	if string(out) != want {
		t.Errorf("%s%s, want\n%s", out, said, want)
	}
}
