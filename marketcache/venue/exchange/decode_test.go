package exchange

import (
	"bufio"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const (
	limit   = `{"a":0,"b":true,"p":"70000","s":"0.01","r":false,"t":{"limit":{"tif":"Gtc"}}}`
	trigger = `{"a":0,"b":false,"p":"66000","s":"0.01","r":true,"t":{"trigger":{"isMarket":true,"triggerPx":"67000",` +
		`"tpsl":"sl"}}}`
	account = "0x1d9470d4b963f552e6f671a81619d395877bf409"
	cloid   = "0x000000000000000000000000000004d2"
	order   = `{"type":"order","orders":[` + limit + `],"grouping":"na"}`
)

// signed is the body of an action with some signature.
func signed(action string) string {
	nonce := "1790000000000"
	if strings.Contains(action, `"nonce":7`) || strings.Contains(action, `"time":7`) {
		nonce = "7"
	}
	return `{"action":` + action + `,"nonce":` + nonce + `,"signature":{"r":"0x1","s":"0x2","v":27}}`
}

// lines returns the lines of a file of testdata without comments.
func lines(t testing.TB, name string) (all []string) {
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	for s.Scan() {
		if !strings.HasPrefix(s.Text(), "#") {
			all = append(all, s.Text())
		}
	}
	if s.Err() != nil || len(all) < 20 {
		t.Fatalf("%s: %d lines, %v", name, len(all), s.Err())
	}
	return all
}

// everyAction returns at least one action of each type with a form, in the venue's order of members, and its class.
func everyAction(t testing.TB) map[string]string {
	all := make(map[string]string)
	for _, line := range lines(t, "actions.txt") {
		class, action, _ := strings.Cut(line, " ")
		all[strings.TrimLeft(action, " ")] = class
	}
	return all
}

// TestEveryAction decodes each action and writes it again, twice into the same envelope as others.
func TestEveryAction(t *testing.T) {
	var warm Envelope
	seen := make(map[string]bool)
	all := everyAction(t)
	for range 2 {
		for action, class := range all {
			body := signed(action)
			if err := Decode([]byte(body), &warm); err != nil {
				t.Errorf("%s\n%v", action, err)
				continue
			}
			if got := string(warm.AppendJSON(nil)); got != body {
				t.Errorf("%s\nis written as\n%s", body, got)
			}
			if got := warm.Action.Class().String(); got != class {
				t.Errorf("%s\nis %s, want %s", action, got, class)
			}
			if fresh := mustDecode(t, body); fresh.Hash() != warm.Hash() {
				t.Errorf("%s\nhashes differently in an envelope that was used before", action)
			}
			seen[warm.Action.Type()] = true
		}
	}
	for typ := range known {
		if !seen[typ] {
			t.Errorf("no action of type %s", typ)
		}
	}
}

// TestStrict has bodies that the venue may read otherwise than they look, or not at all.
func TestStrict(t *testing.T) {
	for _, line := range lines(t, "strict.txt") {
		row := strings.Split(line, "\t")
		if len(row) != 4 {
			t.Fatalf("%q has %d columns", line, len(row))
		}
		t.Run(row[0], func(t *testing.T) { refused(t, row[3], row[1], row[2]) })
	}
}

func TestLimits(t *testing.T) {
	for _, row := range []struct{ name, body, path, word string }{
		{"nothing", "", "", "one JSON object"},
		{"a byte order mark", "\ufeff" + signed(order), "", "one JSON object"},
		{"invalid UTF-8", signed(strings.Replace(order, "Gtc", "Gt\xff", 1)), "action.orders[0].t.limit.tif", "UTF-8"},
		{"too long", signed(order) + strings.Repeat(" ", MaxBody), "", "several actions"},
		{"too many values", signed(`{"type":"x","x":[` + strings.Repeat("0,", maxNodes) + `0]}`), "",
			"several actions"},
		{"too many orders", signed(strings.Replace(order, limit, strings.Repeat(limit+",", maxItems)+limit, 1)),
			"action.orders", "several actions"},
	} {
		t.Run(row.name, func(t *testing.T) { refused(t, row.body, row.path, row.word) })
	}
	mustDecode(t, signed(strings.Replace(order, limit, strings.Repeat(trigger+",", maxItems-1)+trigger, 1)))
}

// refused checks that a body is refused for the member at path, with a word of the error.
func refused(t *testing.T, body, path, word string) {
	var e Envelope
	err := Decode([]byte(body), &e)
	var d *DecodeError
	if !errors.As(err, &d) {
		t.Fatalf("accepted as %s", e.AppendJSON(nil))
	}
	if d.Path != path && (path != "" || !d.Syntax) || !strings.Contains(d.Error(), word) {
		t.Errorf("path %q, want %q; %v, want %q in it", d.Path, path, err, word)
	}
}
