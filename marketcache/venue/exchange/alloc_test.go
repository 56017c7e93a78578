package exchange

import "testing"

// hot are the actions that bots send all the time.
var hot = []string{
	`{"type":"order","orders":[` + limit + `,` + trigger + `],"grouping":"normalTpsl",` +
		`"builder":{"b":"` + account + `","f":10}}`,
	`{"type":"modify","oid":"` + cloid + `","order":` + limit + `,"a":true}`,
	`{"type":"batchModify","modifies":[{"oid":1,"order":` + limit + `},{"oid":2,"order":` + trigger + `}]}`,
	`{"type":"cancel","cancels":[{"a":0,"o":1},{"a":1,"o":2}]}`,
	`{"type":"cancelByCloid","cancels":[{"asset":0,"cloid":"` + cloid + `"}],"f":true}`,
	`{"type":"updateLeverage","asset":0,"isCross":false,"leverage":7}`,
	`{"type":"noop"}`,
}

// TestAllocations checks that a warm envelope decodes, writes and packs without memory of its own.
func TestAllocations(t *testing.T) {
	for _, action := range hot {
		body := []byte(signed(action))
		var e Envelope
		text := make([]byte, 0, 4096)
		once := func() {
			if err := Decode(body, &e); err != nil {
				t.Fatal(err)
			}
			text = e.AppendJSON(text[:0])
			e.pack().whole(&e.Action)
		}
		once()
		if n := testing.AllocsPerRun(100, once); n > 0 {
			t.Errorf("%s: %v allocations", action, n)
		}
	}
}
