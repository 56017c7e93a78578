package guard

import (
	"strings"
	"testing"
)

func TestEmbeddedMapsAreWhole(t *testing.T) {
	for _, name := range Embedded() {
		m, err := ParseMap(EmbeddedMap(name))
		if err != nil || m.Server == "" {
			t.Errorf("%s: %v", name, err)
			continue
		}
		count := map[Effect]int{}
		for _, tool := range m.Tools {
			count[tool.Does]++
		}
		if count[Opens] == 0 || count[Reduces] == 0 || count[Reads] == 0 || !m.NeedsWallet() {
			t.Errorf("%s: %v", name, count)
		}
		if !strings.HasPrefix(string(EmbeddedMap(name)), "# https://github.com/"+m.Server+", ") {
			t.Errorf("%s does not say where its tools are from", name)
		}
	}
	if EmbeddedMap("../guard") != nil || EmbeddedMap("nobody") != nil {
		t.Error("a map that is not there")
	}
}

func TestMapsAreStrict(t *testing.T) {
	for text, want := range map[string]string{
		``:                                       "the map is empty",
		`[]`:                                     "want names with values",
		`server: x`:                              "the map names no tool",
		`tool: {}`:                               `the map has no "tool": did you mean tools?`,
		"tools:\n  a: reads":                     "line 2: tool a: want what it does",
		"tools:\n  a: {does: read}":              `line 2: tool a: does "read": did you mean reads?`,
		"tools:\n  a: {does: sings!}":            "want one of opens, reduces",
		"tools:\n  a: {}":                        `does "": want one of`,
		"tools: {a: {does: reads, does: opens}}": "already",
		"tools: {a: {does: reads}, a: {does: reads}}":                               "a is given twice",
		"tools: {a: {does: reads, asset: x}}":                                       `tool a has no "asset"`,
		"tools: {a: {does: opens, aset: x}}":                                        `no "aset": did you mean asset?`,
		"tools: {a: {does: opens, asset: x, buy: y}}":                               "size_coin, size_usd, has 0",
		"tools: {a: {does: opens, asset: x, asset_number: z, buy: y, size_usd: z}}": "asset_number, has 2",
		"tools: {a: {does: opens, asset: x, buy: y, side: z, size_usd: z}}":         "side, always, has 2",
		"tools: {a: {does: opens, asset: x, always: both, size_usd: z}}":            "want buy or sell",
		"tools: {a: {does: refused}}":                                               "exactly one of why, has 0",
		"tools: {a: {does: margin}}":                                                "exactly one of adds, has 0",
		"tools: {a: {does: leverage, asset: x}}":                                    "exactly one of leverage, has 0",
		"tools: {a: &x {does: reads}, b: *x}":                                       "anchor or an alias",
		"tools: {a: {does: reads}}\n---\ntools: {}":                                 "a second document",
		"tools: {1: {does: reads}}":                                                 "a name must be a text",
		"tools: {a: {does: opens, asset: [x], buy: y, size_usd: z}}":                "line 1: tool a",
		"tools: {a: {does: reads}":                                                  "did not find",
	} {
		if _, err := ParseMap([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	m, err := ParseMap([]byte(`{"server": "s", "tools": {"a": {"does": "opens", "asset": "x.y",
		"always": "sell", "size_usd": "z", "wallet": "w"}}}`))
	if err != nil || m.Tools["a"].Asset != "x.y" || m.NeedsWallet() {
		t.Errorf("a map in JSON: %v, %v", m, err)
	}
}
