package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// bodies are bodies that Decode accepts.
func bodies(t testing.TB) (all []string) {
	for action := range everyAction(t) {
		all = append(all, signed(action))
	}
	slices.Sort(all)
	f := vectors(t)
	for i := range f.Vectors {
		if v := &f.Vectors[i]; !strings.Contains(string(v.Action), `.0"`) {
			all = append(all, v.body(t))
		}
	}
	return append(all,
		strings.Replace(signed(order), `,"signature"`, `, "vaultAddress" : null ,"expiresAfter":null,"signature"`, 1),
		strings.Replace(signed(order), `,"signature"`,
			`,"vaultAddress":"0x1D9470d4b963f552e6f671a81619d395877bf409","signature"`, 1),
		strings.Replace(signed(order), `,"signature"`,
			`,"vaultAddress":"1d9470d4b963f552e6f671a81619d395877bf409","signature"`, 1),
		strings.Replace(signed(order), `"r":"0x1"`, `"r":"0x0001"`, 1),
		signed(`{"name":"\u00e4\ud83d\ude00\/","type":"createSubAccount"}`))
}

func FuzzDecode(f *testing.F) {
	for _, body := range bodies(f) {
		f.Add([]byte(body))
	}
	f.Add([]byte(`{"action":{"type":"order","orders":[],"type":"noop"},"nonce":1e3,"signature":null}`))
	var warm Envelope
	f.Fuzz(func(t *testing.T, body []byte) { compare(t, body, &warm) })
}

// FuzzEdit changes one place of a good body, so that most bodies are nearly good.
func FuzzEdit(f *testing.F) {
	all := bodies(f)
	for i := range all {
		f.Add(uint8(i), uint16(i*7), uint8(0), "")
	}
	inserts := []string{"0", `"r":true,`, "null", `,"c":null`, "e1", ".0", "-", " ", `\u0061`, "\xff", "A", "{", "[]"}
	for i, insert := range inserts {
		f.Add(uint8(i), uint16(40+9*i), uint8(i%3), insert)
	}
	var warm Envelope
	f.Fuzz(func(t *testing.T, which uint8, at uint16, cut uint8, insert string) {
		body := all[int(which)%len(all)]
		from := int(at) % (len(body) + 1)
		to := min(from+int(cut), len(body))
		compare(t, []byte(body[:from]+insert+body[to:]), &warm)
	})
}

// compare decodes a body. What is accepted must say the same as another parser reads, must be written so that it is
// read as the same again, and must not depend on what the envelope held before.
func compare(t *testing.T, body []byte, warm *Envelope) {
	var fresh Envelope
	err := Decode(body, &fresh)
	if warmErr := Decode(body, warm); (err == nil) != (warmErr == nil) {
		t.Fatalf("%q: %v, in a used envelope %v", body, err, warmErr)
	}
	if err != nil {
		if d := new(DecodeError); !errors.As(err, &d) || d.Problem == "" || d.Mend == "" {
			t.Fatalf("%q: error %#v", body, err)
		}
		return
	}
	text := fresh.AppendJSON(nil)
	if again := warm.AppendJSON(nil); !bytes.Equal(again, text) {
		t.Fatalf("%q: written as\n%s\nin a used envelope as\n%s", body, text, again)
	}
	theirs, ours := generic(t, body), generic(t, text)
	normalise(theirs)
	if !reflect.DeepEqual(theirs, ours) {
		t.Fatalf("%q: written as\n%s", body, text)
	}
	var again Envelope
	if err := Decode(text, &again); err != nil {
		t.Fatalf("%q: our own text %s: %v", body, text, err)
	}
	if !bytes.Equal(again.AppendJSON(nil), text) || again.Hash() != fresh.Hash() || warm.Hash() != fresh.Hash() ||
		again.Action.Class() != fresh.Action.Class() || warm.Action.Class() != fresh.Action.Class() {
		t.Fatalf("%q: our own text is read otherwise: %s", body, again.AppendJSON(nil))
	}
	for n := range Testnet + 1 {
		first, err1 := fresh.digest(n)
		second, err2 := again.digest(n)
		if first != second || (err1 == nil) != (err2 == nil) {
			t.Fatalf("%q: another digest after our own text", body)
		}
	}
	risk(t, theirs["action"].(map[string]any), &fresh)
}

func generic(t *testing.T, text []byte) (m map[string]any) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&m); err != nil {
		t.Fatalf("%q: another parser refuses it: %v", text, err)
	}
	return m
}

// normalise changes what may be written in several ways to what AppendJSON writes: null at the top, leading zeros of
// the signature, and capitals or a missing 0x where bytes are signed.
func normalise(m map[string]any) {
	lower := func(m map[string]any, names ...string) {
		for _, name := range names {
			if text, ok := m[name].(string); ok {
				m[name] = "0x" + strings.TrimPrefix(strings.ToLower(text), "0x")
			}
		}
	}
	for _, name := range []string{"vaultAddress", "expiresAfter"} {
		if m[name] == nil {
			delete(m, name)
		}
	}
	lower(m, "vaultAddress")
	signature := m["signature"].(map[string]any)
	for _, name := range []string{"r", "s"} {
		x, _ := new(big.Int).SetString(signature[name].(string)[2:], 16)
		signature[name] = "0x" + x.Text(16)
	}
	action := m["action"].(map[string]any)
	if payload, ok := action["payload"].(map[string]any); ok && action["type"] == "multiSig" {
		action = payload["action"].(map[string]any)
	}
	switch action["type"] {
	case "approveAgent":
		lower(action, "agentAddress")
	case "approveBuilderFee":
		lower(action, "builder")
	case "tokenDelegate":
		lower(action, "validator")
	case "sendToEvmWithData":
		lower(action, "data")
	case "linkStakingUser", "userSetAbstraction", "userPortfolioMargin", "userDexAbstraction":
		lower(action, "user")
	}
}

// wholeSize compares an order that the venue splits, or moves, with what another parser sees.
func wholeSize(t *testing.T, action map[string]any, e *Envelope) {
	names := [...]string{"a", "b", "s", "r"}
	if twap, is := action["twap"].(map[string]any); is {
		action = twap
	} else {
		names = [...]string{"asset", "isBuy", "sz", "reduceOnly"}
	}
	orders := e.Action.AppendOrders(nil)
	size, _ := new(big.Rat).SetString(action[names[2]].(string))
	if len(orders) != 1 || action[names[0]].(json.Number).String() != strconv.FormatUint(uint64(orders[0].Asset), 10) ||
		action[names[1]] != orders[0].Buy || size.Cmp(rat(orders[0].Size)) != 0 ||
		action[names[3]] != orders[0].ReduceOnly {
		t.Fatalf("%v is read as %+v", action, orders)
	}
}

// risk compares the orders that another parser sees with those that the gate would assess.
func risk(t *testing.T, action map[string]any, e *Envelope) {
	if payload, ok := action["payload"].(map[string]any); ok && action["type"] == "multiSig" {
		action = payload["action"].(map[string]any)
	}
	var seen []any
	switch action["type"] {
	case "order":
		seen = action["orders"].([]any)
	case "modify":
		seen = []any{action["order"]}
	case "batchModify":
		for _, m := range action["modifies"].([]any) {
			seen = append(seen, m.(map[string]any)["order"])
		}
	case "twapOrder", "trailingStop":
		wholeSize(t, action, e)
		return
	}
	orders := e.Action.AppendOrders(nil)
	if len(orders) != len(seen) {
		t.Fatalf("%d orders, another parser sees %d", len(orders), len(seen))
	}
	enlarges := false
	for i, placed := range seen {
		o, got := placed.(map[string]any), &orders[i]
		price, _ := new(big.Rat).SetString(o["p"].(string))
		size, _ := new(big.Rat).SetString(o["s"].(string))
		_, trigger := o["t"].(map[string]any)["trigger"]
		if o["a"].(json.Number).String() != strconv.FormatUint(uint64(got.Asset), 10) || o["b"] != got.Buy ||
			o["r"] != got.ReduceOnly || price.Cmp(rat(got.Price)) != 0 || size.Cmp(rat(got.Size)) != 0 ||
			trigger != got.IsTrigger {
			t.Fatalf("order %v is read as %+v", o, got)
		}
		if want, _ := size.Float64(); got.Size.Float64() != want {
			t.Fatalf("size %v is %v", size, got.Size.Float64())
		}
		enlarges = enlarges || o["r"] == false
	}
	if enlarges && e.Action.Class() != Increase {
		t.Fatalf("class %s", e.Action.Class())
	}
}

func rat(d Decimal) *big.Rat {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.Scale)), nil)
	return new(big.Rat).SetFrac(new(big.Int).SetUint64(d.Units), scale)
}

func FuzzParseAnswer(f *testing.F) {
	f.Add([]byte(`{"status":"ok","response":{"type":"order","data":{"statuses":[{"resting":{"oid":1}},` +
		`{"filled":{"totalSz":"0.02","avgPx":"1891.4","oid":77738308}},{"error":"x"},"waitingForFill"]}}}`))
	f.Add([]byte(`{"status":"ok","response":{"type":"twapOrder","data":{"status":{"running":{"twapId":777}}}}}`))
	f.Add([]byte(`{"status":"err","response":"x"}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		var a, again Answer
		if ParseAnswer(body, &a) != nil {
			return
		}
		for i := range a.Statuses {
			if a.Statuses[i].Kind == OtherStatus {
				return
			}
		}
		text := a.AppendJSON(nil)
		if err := ParseAnswer(text, &again); err != nil || !bytes.Equal(again.AppendJSON(nil), text) {
			t.Fatalf("%q is written as %s and read again as %s, %v", body, text, again.AppendJSON(nil), err)
		}
	})
}
