package exchange

import (
	"reflect"
	"testing"
)

// TestAnswers reads answers of the venue and writes them again.
func TestAnswers(t *testing.T) {
	id := Cloid{14: 4, 15: 0xd2}
	size := Decimal{Units: 1, Scale: 2}
	for text, want := range map[string]Answer{
		`{"status":"err","response":"User or API Wallet 0x1 does not exist."}`: {
			Error: "User or API Wallet 0x1 does not exist."},
		`{"status":"ok","response":{"type":"default"}}`: {OK: true, Type: "default"},
		`{"status":"ok","response":{"type":"order","data":{"statuses":[{"resting":{"oid":123456,"cloid":"` + cloid +
			`"}},{"filled":{"totalSz":"0.01","avgPx":"70001.0","oid":18446744073709551615}},` +
			`{"error":"no \"margin\""},"waitingForFill","waitingForTrigger"]}}}`: {OK: true, Type: "order",
			Statuses: []Status{{Kind: Resting, OID: 123456, HasCloid: true, Cloid: id},
				{Kind: Filled, OID: 1<<64 - 1, Size: size, AveragePrice: 70001},
				{Kind: Failed, Error: `no "margin"`}, {Kind: WaitingForFill}, {Kind: WaitingForTrigger}}},
		`{"status":"ok","response":{"type":"cancel","data":{"statuses":["success",{"error":"gone"}]}}}`: {
			OK: true, Type: "cancel", Statuses: []Status{{Kind: Success}, {Kind: Failed, Error: "gone"}}},
		`{"status":"ok","response":{"type":"twapOrder","data":{"status":{"running":{"twapId":777}}}}}`: {
			OK: true, Type: "twapOrder", Statuses: []Status{{Kind: Running, OID: 777}}},
		`{"status":"ok","response":{"type":"twapCancel","data":{"status":"success"}}}`: {
			OK: true, Type: "twapCancel", Statuses: []Status{{Kind: Success}}},
	} {
		got := Answer{Statuses: []Status{{Kind: Resting, OID: 9}}} // of an earlier answer
		if err := ParseAnswer([]byte(text), &got); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if again := string(got.AppendJSON(nil)); again != text {
			t.Errorf("%s is written as\n%s", text, again)
		}
		got.tape = tape{}
		if len(got.Statuses) == 0 {
			got.Statuses = nil
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v", text, got)
		}
	}
}

func TestOtherAnswers(t *testing.T) {
	var a Answer
	const later = `{"status":"ok","new":1,"response":{"type":"order","data":{"statuses":[{"queued":{"oid":1}},` +
		`"later",7,{"filled":{"totalSz":"x","avgPx":"1","oid":1}},{"resting":{"oid":-1}}]}}}`
	if err := ParseAnswer([]byte(later), &a); err != nil || len(a.Statuses) != 5 {
		t.Fatalf("%+v, %v", a.Statuses, err)
	}
	for i := range a.Statuses {
		if a.Statuses[i].Kind != OtherStatus {
			t.Errorf("status %d: %+v", i, a.Statuses[i])
		}
	}
	for _, text := range []string{``, `[]`, `{}`, `{"status":"ok"}`, `{"status":"ok","response":"x"}`,
		`502 Bad Gateway`, `{"status":"maybe","response":{"type":"default"}}`} {
		if err := ParseAnswer([]byte(text), &a); err == nil {
			t.Errorf("%q is accepted: %+v", text, a)
		}
	}
}

// TestRefusals checks that a refusal has one element for each order, as clients expect.
func TestRefusals(t *testing.T) {
	list := func(typ, statuses string) string {
		return `{"status":"ok","response":{"type":"` + typ + `","data":{"statuses":[` + statuses + `]}}}`
	}
	const (
		no    = `{"error":"no"}`
		whole = `{"status":"err","response":"no"}`
		twap  = `{"status":"ok","response":{"type":"twapOrder","data":{"status":{"error":"no"}}}}`
	)
	for action, want := range map[string]string{
		`{"type":"order","orders":[` + limit + `,` + limit + `],"grouping":"na"}`:         list("order", no+","+no),
		`{"type":"order","orders":[],"grouping":"na"}`:                                    list("order", no),
		`{"type":"batchModify","modifies":[{"oid":1,"order":` + limit + `}]}`:             list("order", no),
		`{"type":"modify","oid":1,"order":` + limit + `}`:                                 whole,
		`{"type":"cancel","cancels":[{"a":0,"o":1}]}`:                                     list("cancel", no),
		`{"type":"cancelByCloid","cancels":[{"asset":0,"cloid":"` + cloid + `"}]}`:        list("cancel", no),
		`{"type":"twapOrder","twap":{"a":0,"b":true,"s":"1","r":false,"m":30,"t":false}}`: twap,
		`{"type":"updateLeverage","asset":0,"isCross":true,"leverage":1}`:                 whole,
		`{"type":"somethingNew"}`:                                                         whole,
	} {
		e := mustDecode(t, signed(action))
		if got := string(e.Action.AppendRefusal(nil, "no")); got != want {
			t.Errorf("%s: %s, want %s", action, got, want)
		}
	}
}
