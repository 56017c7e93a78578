package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"ballast/server/limits"
)

const twoWallet = "0xba11a57000000000000000000000000000000002"

// TestParsePolicies: a file of policies by wallet, or of the rules of one, in YAML or JSON; anything that could mean
// less than was written is refused.
func TestParsePolicies(t *testing.T) {
	upper := strings.Replace(strings.ToUpper(crossWallet), "0X", "0x", 1)
	for name, row := range map[string]struct{ text, want, says string }{
		"YAML of wallets": {"'*':\n  max_leverage: 5\n" + upper + ":\n  halt: true\n",
			`* {"max_leverage":5} ` + crossWallet + ` {"halt":true}`, ""},
		"JSON of wallets": {`{"*":{"max_leverage":5},"` + twoWallet + `":{}}`,
			`* {"max_leverage":5} ` + twoWallet + ` {}`, ""},
		"flow style": {`"*": {max_leverage: 5, denied_assets: [BTC]}`,
			`* {"max_leverage":5,"denied_assets":["BTC"]}`, ""},
		"rules alone":         {"max_leverage: 5\n", twoWallet + ` {"max_leverage":5}`, ""},
		"JSON of rules alone": {` {"max_leverage":5} `, twoWallet + ` {"max_leverage":5}`, ""},
		"no limit":            {"{}", twoWallet + " {}", ""},

		"empty":                 {"", "", "no rule"},
		"comments alone":        {"# max_leverage: 5\n", "", "no rule"},
		"a list":                {"- 1\n", "", "not a list of rules"},
		"a wallet in two cases": {"{\"" + crossWallet + "\":{},\"" + upper + "\":{}}", "", "twice"},
		"a wallet twice":        {crossWallet + ":\n  halt: true\n" + crossWallet + ":\n  halt: true\n", "", "twice"},
		"* twice":               {`{"*":{},"*":{}}`, "", "twice"},
		"no wallet":             {`{"*":{},"0x1":{}}`, "", `"0x1" is no wallet`},
		"a rule among wallets":  {`{"*":{},"max_leverage":5}`, "", `"max_leverage" is no wallet`},
		"other letters":         {"\"0\u0445" + crossWallet[2:] + "\": {}\n\"*\": {}", "", "is no wallet"},
		"another rule":          {"'*':\n\n  # why\n  max_leverge: 5\n", "", "line 4: unknown rule: max_leverge"},
		"a rule twice":          {"'*':\n  max_leverage: 5\n  max_leverage: 50\n", "", "max_leverage"},
		"a rule twice in JSON":  {`{"*":{"max_leverage":5,"max_leverage":50}}`, "", "twice"},
		"an alias":              {"'*': &a\n  max_leverage: 5\n" + crossWallet + ": *a\n", "", ""},
		"two documents":         {"'*': {}\n---\n'*': {halt: true}\n", "", "a second document"},
		"two objects":           {`{"*":{}}{}`, "", "behind the JSON"},
		"cut short":             {`{"*":{}`, "", "expected ',' or '}'"},
	} {
		parsed, err := parsePolicies([]byte(row.text), twoWallet)
		var got []string
		for _, wallet := range slices.Sorted(maps.Keys(parsed)) {
			rules := parsed[wallet]
			got = append(got, wallet, string(rules.AppendJSON(nil)))
		}
		switch {
		case row.want != "":
			if text := strings.Join(got, " "); err != nil || text != row.want {
				t.Errorf("%s: %s %v, want %s", name, text, err, row.want)
			}
		case err == nil || !strings.Contains(err.Error(), row.says):
			t.Errorf("%s: %q %v, want %q", name, got, err, row.says)
		}
	}
}

// TestCompare: a file changes what it names, and removes the rest only when it is told to.
func TestCompare(t *testing.T) {
	m := limits.NewMemory()
	apply := func(text string, prune bool) (words []string) {
		t.Helper()
		wanted, err := parsePolicies([]byte(text), limits.All)
		if err != nil {
			t.Fatal(err)
		}
		changes, err := compare(m.State(), wanted, prune)
		if err != nil {
			t.Fatal(err)
		}
		var edits []limits.Edit
		for _, c := range changes {
			words = append(words, c.name[:1]+c.name[len(c.name)-1:]+" "+c.word)
			if c.edit != nil {
				edits = append(edits, c.edit)
			}
		}
		if _, err := m.Change(t.Context(), "ops", limits.Together(edits...)); err != nil {
			t.Fatal(err)
		}
		return words
	}
	two := `{"` + crossWallet + `":{"halt":true},"` + twoWallet + `":{"max_score":50}}`
	for _, row := range []struct {
		text     string
		prune    bool
		want     []string
		revision uint64
	}{
		{two, false, []string{"01 new", "02 new"}, 1},
		{two, true, []string{"01 same", "02 same"}, 1},
		{`{"` + twoWallet + `":{}}`, false, []string{"01 kept", "02 changed"}, 2},
		{`{"*":{}}`, true, []string{"** new", "01 removed", "02 removed"}, 3},
	} {
		if got := apply(row.text, row.prune); !slices.Equal(got, row.want) || m.State().Revision != row.revision {
			t.Errorf("%s: %q, revision %d; want %q", row.text, got, m.State().Revision, row.want)
		}
	}
}
