package exchange

import (
	"math/rand/v2"
	"testing"
)

func order1(t testing.TB, key Key, nonce uint64, n Network) *Envelope {
	t.Helper()
	price, _ := ParseDecimal("67000")
	size, _ := ParseDecimal("0.1")
	e := &Envelope{Nonce: nonce}
	e.Action.Form = &PlaceOrders{Orders: []Order{{Buy: true, Price: price, Size: size}}}
	if err := e.Sign(key, n); err != nil {
		t.Fatal(err)
	}
	return e
}

// SignedBy says of every action, signature and network what Signer says.
func TestKnownSignerAgreesWithRecovery(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 5 {
		key, err := NewKey()
		if err != nil {
			t.Fatal(err)
		}
		other, _ := NewKey()
		known, err := order1(t, key, 1, Mainnet).Known(Mainnet)
		if err != nil || known.Address != key.Address() {
			t.Fatal(known.Address, err)
		}
		own := 0
		for i := range 120 {
			e := order1(t, key, random.Uint64(), Mainnet)
			switch i % 8 {
			case 1:
				e = order1(t, other, random.Uint64(), Mainnet)
			case 2:
				e.Nonce++
			case 3:
				e.Signature.V ^= 27 ^ 28
			case 4:
				e.Signature.S[31] ^= 1 << random.IntN(8)
			case 5:
				e.Signature.R[random.IntN(32)] ^= 1
			case 6:
				e = order1(t, key, random.Uint64(), Testnet)
			case 7:
				e.Signature = Signature{V: 27}
			}
			who, err := e.Signer(Mainnet)
			if got := e.SignedBy(known, Mainnet); got != (err == nil && who == known.Address) {
				t.Errorf("case %d: signed by it %t, recovered %v, %v", i%8, got, who, err)
			} else if got {
				own++
			}
		}
		if own != 15 {
			t.Errorf("%d are its own, want 15", own)
		}
	}
}
