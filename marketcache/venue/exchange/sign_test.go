package exchange

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func ExampleEnvelope_Sign() {
	key, _ := ParseKey("0x0123456789012345678901234567890123456789012345678901234567890123")
	price, _ := ParseDecimal("100")
	e := Envelope{
		Action: Action{Form: &PlaceOrders{Orders: []Order{{Asset: 1, Buy: true, Price: price, Size: price, TIF: GTC}}}},
		Nonce:  1790000000000,
	}
	if err := e.Sign(key, Testnet); err != nil {
		fmt.Println(err)
	}
	var read Envelope
	if err := Decode(e.AppendJSON(nil), &read); err != nil {
		fmt.Println(err)
	}
	signer, err := read.Signer(Testnet)
	fmt.Println(signer, err)
	// Output: 0x14791697260e4c9a71f18484c9f997b308e59325 <nil>
}

func newKey(t *testing.T) Key {
	key, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func TestSignMultiSig(t *testing.T) {
	first, second := newKey(t), newKey(t)
	letter := known["userSetAbstraction"]().(*userPlain)
	letter.sign, letter.values[1].word = Signing{ChainID: 1, Network: Testnet, Nonce: 9}, 3
	for name, inner := range map[string]Form{
		"L1":          &Cancel{Cancels: []CancelID{{Asset: 1, OID: 2}}},
		"user-signed": letter,
	} {
		e := Envelope{Nonce: 9, Action: Action{Form: &MultiSig{ChainID: 0x66eee,
			Payload: Payload{User: Address{1}, OuterSigner: first.Address(), Action: Action{Form: inner}}}}}
		err := errors.Join(e.SignInner(first, Testnet), e.SignInner(second, Testnet), e.Sign(first, Testnet))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		read := mustDecode(t, string(e.AppendJSON(nil)))
		if signer, err := read.Signer(Testnet); err != nil || signer != first.Address() {
			t.Errorf("%s: signer %s, %v", name, signer, err)
		}
		signers, err := read.InnerSigners(nil, Testnet)
		if err != nil || !slices.Equal(signers, []Address{first.Address(), second.Address()}) {
			t.Errorf("%s: signers inside %s, %v", name, signers, err)
		}
		// The signatures are for this account only.
		read.Action.Form.(*MultiSig).Payload.User[0]++
		signers, err = read.InnerSigners(nil, Testnet)
		if err == nil && slices.Contains(signers, first.Address()) {
			t.Errorf("%s: good for another account", name)
		}
	}
}

// TestNetwork checks that an action that names its network is neither signed nor recovered for the other one.
func TestNetwork(t *testing.T) {
	key := newKey(t)
	transfer := &USDSend{Signing: Signing{ChainID: 1, Network: Testnet}, Amount: "1"}
	multi := &MultiSig{Payload: Payload{Action: Action{Form: transfer}}}
	for _, form := range []Form{transfer, multi} {
		e := Envelope{Action: Action{Form: form}}
		if err := e.Sign(key, Mainnet); !errors.Is(err, ErrNetwork) {
			t.Errorf("%s: signed: %v", form.Type(), err)
		}
		if err := e.Sign(key, Testnet); err != nil {
			t.Errorf("%s: %v", form.Type(), err)
		}
		if _, err := e.Signer(Mainnet); !errors.Is(err, ErrNetwork) {
			t.Errorf("%s: recovered: %v", form.Type(), err)
		}
	}
	e := Envelope{Action: Action{Form: multi}}
	if err := e.SignInner(key, Mainnet); !errors.Is(err, ErrNetwork) {
		t.Errorf("signed inside: %v", err)
	}
	if err := (&Envelope{Action: Action{Form: transfer}}).SignInner(key, Testnet); err == nil {
		t.Error("signed inside an action that is no multi-sig one")
	}
}

// TestNoSignature has numbers that no signature can have.
func TestNoSignature(t *testing.T) {
	const n = "0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141" // the order of the group
	for name, signature := range map[string]string{
		"r 0": `"r":"0x0","s":"0x1"`, "s 0": `"r":"0x1","s":"0x0"`,
		"r too large": `"r":"` + n + `","s":"0x1"`, "s too large": `"r":"0x1","s":"` + n + `"`,
		"r not on the curve": `"r":"0x5","s":"0x1"`,
	} {
		e := mustDecode(t, strings.Replace(signed(order), `"r":"0x1","s":"0x2"`, signature, 1))
		if signer, err := e.Signer(Mainnet); err == nil {
			t.Errorf("%s: signer %s", name, signer)
		}
	}
}

func TestParseKey(t *testing.T) {
	for _, text := range []string{"", "0x", "0x1", "0x" + strings.Repeat("0", 64), "0x" + strings.Repeat("f", 64),
		strings.Repeat("1", 64), "0x" + strings.Repeat("g", 64)} {
		if key, err := ParseKey(text); err == nil {
			t.Errorf("%q is the key of %s", text, key.Address())
		}
	}
}

func TestDecimal(t *testing.T) {
	for text, want := range map[string]string{
		"0": "0", "0.0": "0", "00": "0", "1": "1", "10": "10", "0.1": "0.1", ".5": "0.5", "5.": "5", "007.50": "7.5",
		"0.00000001": "0.00000001", "123.45678900": "123.456789", "1844674407370955161": "1844674407370955161",
	} {
		d, err := ParseDecimal(text)
		if err != nil || d.String() != want {
			t.Errorf("%q is %s, %v; want %s", text, d, err, want)
		}
		if again, err := ParseDecimal(d.String()); err != nil || again != d {
			t.Errorf("%s is read again as %+v, %v", d, again, err)
		}
	}
	for _, text := range []string{"9007199254740993", "1844674407370955.161", "0.1", "123456789.12345678"} {
		d, err := ParseDecimal(text)
		if want, _ := strconv.ParseFloat(text, 64); err != nil || d.Float64() != want {
			t.Errorf("%s is %v, %v", text, d.Float64(), err)
		}
	}
	for _, text := range []string{"", ".", "-1", "+1", "1e3", "0x1", "1..2", "1,0", " 1", "1 ", "NaN", "Inf",
		"0.000000001", "184467440737095516150", "99999999999999999999999999"} {
		if d, err := ParseDecimal(text); err == nil {
			t.Errorf("%q is read as %s", text, d)
		}
	}
}
