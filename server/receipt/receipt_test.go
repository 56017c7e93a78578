package receipt

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"ballast/marketcache"
)

// The examples of RFC 8785, sections 3.2.2 to 3.2.4, and what requests have.
func TestCanonicalForm(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{`{"numbers":[333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],` +
			`"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null, true, false]}`,
			`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],` +
				`"string":"€$\u000f\nA'B\"\\\\\"/"}`},
		{`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One",` +
			`"\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`,
			"{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\"," +
				"\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\"," +
				"\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}"},
		{` { "size" : 5e4 , "asset":"BTC","wallet":"0xAb" ,"order":{"type":"limit","price":60000.50}} `,
			`{"asset":"BTC","order":{"price":60000.5,"type":"limit"},"size":50000,"wallet":"0xAb"}`},
		{`[-0, 0.0000001, 1e-6, 1e20, 1e21, 123456789012345680000, 5e-324, 1.7976931348623157e308]`,
			`[0,1e-7,0.000001,100000000000000000000,1e+21,123456789012345680000,5e-324,1.7976931348623157e+308]`},
		{`{"ab":1,"a":2,"a\"":3,"":4}`, `{"":4,"a":2,"a\"":3,"ab":1}`},
		{`[]`, `[]`}, {`{}`, `{}`}, {`[{},[{"b":[],"a":{}}]]`, `[{},[{"a":{},"b":[]}]]`},
	} {
		var m Scratch
		sum := sha256.Sum256([]byte(row.want))
		for _, text := range []string{row.text, row.want} {
			if got := m.Digest([]byte(text)); got == nil || string(got[:]) != hex.EncodeToString(sum[:]) {
				t.Errorf("%s\nis read as\n%s, want\n%s", text, m.text, row.want)
			}
		}
	}
	for _, text := range []string{``, `{`, `{"a":1,"a":2}`, `[1] 2`, `{"a":}`, `"\ud800"`, `[1,]`} {
		if got := new(Scratch).Digest([]byte(text)); got != nil {
			t.Errorf("%s: %s", text, got[:])
		}
	}
}

func testKey() ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{7}, ed25519.SeedSize))
}

func decision(m *Scratch) Decision {
	return Decision{Kind: Batch, Index: 2, Digest: m.Digest([]byte(`{"b":1,"a":2}`)),
		Account: marketcache.Wallet{0xab, 1}, Verdict: "proceed", Revision: 7, Engine: "3.0.0",
		RequestID: []byte(`req_"1\`), AsOfMs: 1_790_000_000_123}
}

// verify verifies a receipt from its JSON alone, as another program does.
func verify(t *testing.T, public ed25519.PublicKey, text []byte) (fields map[string]any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&fields); err != nil {
		t.Fatal(err)
	}
	message := fields["version"].(string) + "\n"
	for _, name := range []string{"key_id", "kind", "index", "request_digest", "account", "verdict", "policy_revision",
		"engine_version", "request_id", "as_of", "valid_until"} {
		message += fmt.Sprintf("%s=%v\n", name, fields[name])
	}
	signature, err := base64.StdEncoding.DecodeString(fields["signature"].(string))
	if err != nil || !ed25519.Verify(public, []byte(message), signature) {
		t.Errorf("the signature is not of\n%s", message)
	}
	return fields
}

func TestReceiptIsSigned(t *testing.T) {
	s := NewSigner(testKey(), 2*time.Second)
	var m Scratch
	d := decision(&m)
	text := s.Append(nil, &d, &m)
	if bytes.ContainsAny(text, "\r\n") {
		t.Errorf("not one line: %q", text)
	}
	public := testKey().Public().(ed25519.PublicKey)
	fields := verify(t, public, text)
	sum := sha256.Sum256([]byte(`{"a":2,"b":1}`))
	for name, want := range map[string]string{
		"request_digest": hex.EncodeToString(sum[:]), "account": "0xab01" + strings.Repeat("0", 36), "kind": "batch",
		"as_of": "2026-09-21T14:13:20.123Z", "valid_until": "2026-09-21T14:13:22.123Z", "request_id": `req_"1\`,
		"index": "2", "policy_revision": "7", "verdict": "proceed", "engine_version": "3.0.0",
	} {
		if got := fmt.Sprint(fields[name]); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	d.Stale, d.Account = true, marketcache.Wallet{}
	fields = verify(t, public, s.Append(nil, &d, &m))
	if fields["valid_until"] != fields["as_of"] || fields["account"] != "" {
		t.Errorf("a stale decision of nobody: %v", fields)
	}
	if m.Digest([]byte(`{`)) != nil {
		t.Error("a text that is no JSON has a digest")
	}
}

// TestReceiptOfClients: the receipt with which the clients test their verification is one that we sign.
func TestReceiptOfClients(t *testing.T) {
	text, err := os.ReadFile("../../clients/testdata/receipt.json")
	if err != nil {
		t.Fatal(err)
	}
	var shown struct{ Key, Request, Receipt json.RawMessage }
	if err := json.Unmarshal(text, &shown); err != nil {
		t.Fatal(err)
	}
	s := NewSigner(testKey(), 2*time.Second)
	var m Scratch
	d := decision(&m)
	d.Kind, d.Index, d.RequestID, d.Digest = Validate, 0, []byte("req_1"), m.Digest(shown.Request)
	if got := s.Append(nil, &d, &m); string(got) != string(shown.Receipt) || string(s.Info()) != string(shown.Key) {
		t.Errorf("key %s, receipt %s", s.Info(), got)
	}
}

func TestKeyInfoNamesTheKey(t *testing.T) {
	s := NewSigner(testKey(), 1500*time.Millisecond)
	var info struct {
		KeyID   string `json:"key_id"`
		PEM     string
		Raw     []byte
		ValidMs int `json:"valid_ms"`
	}
	if err := json.Unmarshal(s.Info(), &info); err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode([]byte(info.PEM))
	parsed, err := x509.ParsePKIXPublicKey(block.Bytes)
	sum := sha256.Sum256(info.Raw)
	public := testKey().Public().(ed25519.PublicKey)
	if err != nil || !public.Equal(parsed) || !bytes.Equal(public, info.Raw) ||
		info.KeyID != hex.EncodeToString(sum[:])[:16] || info.ValidMs != 1500 {
		t.Errorf("%s: %v", s.Info(), err)
	}
}

func TestKeyFiles(t *testing.T) {
	text, id, err := NewKey()
	if err != nil {
		t.Fatal(err)
	}
	key, err := ParseKey(text)
	if err != nil || keyID(key.Public().(ed25519.PublicKey)) != id {
		t.Errorf("%v, id %s", err, id)
	}
	const rsa = "MC4CAQAwBQYDK2VuBCIEIJ==" // no key
	for want, text := range map[string]string{
		"no PEM block":       "hello",
		"is encrypted":       "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
		"block is PUBLIC":    "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n",
		"asn1: ":             "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
		"is not of Ed25519":  x25519PEM,
		"receipt-key new":    "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n",
		"openssl genpkey -a": rsa,
	} {
		if _, err := ParseKey([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// x25519PEM is a key of another algorithm.
const x25519PEM = `-----BEGIN PRIVATE KEY-----
MC4CAQAwBQYDK2VuBCIEIBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQ
-----END PRIVATE KEY-----
`
