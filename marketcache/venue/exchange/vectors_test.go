package exchange

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"ballast/internal/reference"
)

// vector is one signed action of the golden file.
type vector struct {
	Name, From, Key, Source string
	Action                  json.RawMessage
	Nonce                   uint64
	VaultAddress            string
	ExpiresAfter            *uint64
	Hash, R, S              string
	V                       int

	// Of a user-signed action.
	ChainID          uint64
	PrimaryType      string
	Fields           []string
	Message          map[string]any
	HyperliquidChain string
	Wrapper          json.RawMessage `json:"wrapperWithoutType"`

	// Of a whole request.
	Body  json.RawMessage
	Inner []string // keys of the signatures in it
}

type vectorFile struct {
	Keys    map[string]struct{ Key, Address string }
	Vectors []vector
}

func vectors(t testing.TB) (f vectorFile) {
	reference.Golden(t, "exchange", &f)
	if len(f.Vectors) < 80 {
		t.Fatalf("%d vectors", len(f.Vectors))
	}
	return f
}

func (v *vector) network() Network {
	if v.Source == "b" || v.HyperliquidChain == "Testnet" || v.Message["hyperliquidChain"] == "Testnet" {
		return Testnet
	}
	return Mainnet
}

func (v *vector) signature() string { return fmt.Sprintf(`{"r":%q,"s":%q,"v":%d}`, v.R, v.S, v.V) }

// body is the request that the vector stands for. That of an inner signature has no valid signature around it.
func (v *vector) body(t testing.TB) string {
	action, signature, nonce := string(v.Action), v.signature(), v.Nonce
	switch {
	case v.Body != nil:
		return string(v.Body)
	case v.Wrapper != nil:
		action = `{"type":"multiSig",` + string(v.Wrapper)[1:]
	case v.Message != nil:
		message, err := json.Marshal(v.Message)
		if err != nil {
			t.Fatal(err)
		}
		action = fmt.Sprintf(`{"type":%q,"signatureChainId":"0x%x",%s`, typeOf(v.PrimaryType), v.ChainID, message[1:])
		for _, name := range []string{"nonce", "time"} {
			if x, ok := v.Message[name].(float64); ok {
				nonce = uint64(x)
			}
		}
	case strings.HasPrefix(action, "["):
		var parts []json.RawMessage
		if err := json.Unmarshal(v.Action, &parts); err != nil {
			t.Fatal(err)
		}
		action = fmt.Sprintf(`{"type":"multiSig","signatureChainId":"0x66eee","signatures":[%s],`+
			`"payload":{"multiSigUser":%s,"outerSigner":%s,"action":%s}}`, signature, parts[0], parts[1], parts[2])
		signature = `{"r":"0x1","s":"0x1","v":27}`
	}
	body := fmt.Sprintf(`{"action":%s,"nonce":%d,"signature":%s`, action, nonce, signature)
	if v.VaultAddress != "" {
		body += fmt.Sprintf(`,"vaultAddress":%q`, v.VaultAddress)
	}
	if v.ExpiresAfter != nil {
		body += fmt.Sprintf(`,"expiresAfter":%d`, *v.ExpiresAfter)
	}
	return body + "}"
}

// typeOf is the type of the action that is signed as primary.
func typeOf(primary string) string {
	for typ, create := range known {
		if f, ok := create().(userSigned); ok && typePrefix+f.primary() == primary {
			return typ
		}
	}
	return primary
}

func mustDecode(t testing.TB, body string) *Envelope {
	t.Helper()
	e := new(Envelope)
	if err := Decode([]byte(body), e); err != nil {
		t.Fatalf("%s\n%v", body, err)
	}
	return e
}

// asWritten decodes a body whose action is kept as the client wrote it, also where the venue would write it otherwise.
func asWritten(t testing.TB, v *vector) *Envelope {
	var r reader
	if err := r.parse(v.Action); err != nil {
		t.Fatal(err)
	}
	e := mustDecode(t, strings.Replace(v.body(t), string(v.Action), `{"type":"noop"}`, 1))
	e.Action.Form = r.unknown(0, "order")
	return e
}

func TestVectors(t *testing.T) {
	f := vectors(t)
	for i := range f.Vectors {
		v := &f.Vectors[i]
		t.Run(fmt.Sprint(i, " ", v.Name), func(t *testing.T) {
			var e *Envelope
			if strings.Contains(string(v.Action), `.0"`) {
				if err := Decode([]byte(v.body(t)), new(Envelope)); err == nil {
					t.Error("a price with a zero too many was accepted")
				}
				e = asWritten(t, v)
			} else {
				e = mustDecode(t, v.body(t))
			}
			key, err := ParseKey(f.Keys[v.Key].Key)
			if err != nil {
				t.Fatal(err)
			}
			want := f.Keys[v.Key].Address
			if key.Address().String() != want {
				t.Fatalf("key of %s", key.Address())
			}
			got := e.Signature
			if strings.HasPrefix(string(v.Action), "[") {
				inner(t, e, v.network(), key)
				return
			}
			if signer, err := e.Signer(v.network()); err != nil || signer.String() != want {
				t.Fatalf("signer %s, %v; want %s", signer, err, want)
			}
			if other, err := e.Signer(1 - v.network()); err == nil && other.String() == want {
				t.Error("the signer on the other network is the same")
			}
			if hash := e.Hash(); v.Hash != "" && "0x"+hex.EncodeToString(hash[:]) != v.Hash {
				t.Errorf("hash %x, want %s", hash, v.Hash)
			}
			signers, err := e.InnerSigners(nil, v.network())
			if err != nil || v.Body != nil && len(signers) != len(v.Inner) {
				t.Fatalf("signers inside %v, %v", signers, err)
			}
			for i, name := range v.Inner {
				if signers[i].String() != f.Keys[name].Address {
					t.Errorf("signer inside %s, want %s", signers[i], f.Keys[name].Address)
				}
			}
			if err := e.Sign(key, v.network()); err != nil || e.Signature != got {
				t.Errorf("signed as %x, want %x, %v", e.Signature, got, err)
			}
		})
	}
}

// inner checks the one signature in a multi-sig action.
func inner(t *testing.T, e *Envelope, n Network, key Key) {
	signers, err := e.InnerSigners(nil, n)
	if err != nil || len(signers) != 1 || signers[0] != key.Address() {
		t.Fatalf("signers %v, %v; want %s", signers, err, key.Address())
	}
	m := e.Action.Form.(*MultiSig)
	if err := e.SignInner(key, n); err != nil || m.Signatures[1] != m.Signatures[0] {
		t.Errorf("signed as %x, want %x, %v", m.Signatures[1], m.Signatures[0], err)
	}
}

// TestStrangers changes one thing about a signed order: the signer must then be another, or the body refused.
func TestStrangers(t *testing.T) {
	f := vectors(t)
	var v *vector
	for i := range f.Vectors {
		if f.Vectors[i].Name == "order Gtc" && f.Vectors[i].Source == "a" {
			v = &f.Vectors[i]
		}
	}
	k1 := f.Keys["K1"].Address
	sorted := *v
	sorted.Action = json.RawMessage(`{"grouping":"na","orders":[{"a":1,"b":true,"p":"100","r":false,"s":"100",` +
		`"t":{"limit":{"tif":"Gtc"}}}],"type":"order"}`)
	edit := func(from, to string) *vector {
		edited := *v
		edited.Action = json.RawMessage(strings.Replace(string(v.Action), from, to, 1))
		return &edited
	}
	for name, v := range map[string]*vector{
		"hashed in sorted order": &sorted,
		"zeros in the price":     edit(`"p":"100"`, `"p":"100.0"`),
		"cloid null":             edit(`}}}]`, `}},"c":null}]`),
		"another size":           edit(`"s":"100"`, `"s":"10"`),
	} {
		if signer, err := asWritten(t, v).Signer(Mainnet); err == nil && signer.String() == k1 {
			t.Errorf("%s: recovers to the signer", name)
		}
	}
	// The order of members in the text does not matter: what is hashed is the venue's order.
	if signer, err := mustDecode(t, sorted.body(t)).Signer(Mainnet); err != nil || signer.String() != k1 {
		t.Errorf("sorted text: signer %s, %v", signer, err)
	}
	for name, change := range map[string]func(e *Envelope){
		"nonce":   func(e *Envelope) { e.Nonce++ },
		"vault":   func(e *Envelope) { e.HasVault, e.Vault = true, Address{1} },
		"expires": func(e *Envelope) { e.HasExpires, e.Expires = true, 1 },
		"v":       func(e *Envelope) { e.Signature.V = 27 + 28 - e.Signature.V },
		"s":       func(e *Envelope) { e.Signature.S[31]++ },
	} {
		e := mustDecode(t, v.body(t))
		change(e)
		if signer, err := e.Signer(Mainnet); err == nil && signer.String() == k1 {
			t.Errorf("%s changed: recovers to the signer", name)
		}
	}
	if signer, err := mustDecode(t, v.body(t)).Signer(Testnet); err == nil && signer.String() == k1 {
		t.Error("recovers to the signer on the other network")
	}
}
