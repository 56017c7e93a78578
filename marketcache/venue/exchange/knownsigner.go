package exchange

import (
	"github.com/decred/dcrd/dcrec/secp256k1/v4"
)

// KnownSigner is a signer whose public key is known. Whether an action is its own takes half of the time that it takes
// to find who has signed it. A KnownSigner takes 115 KB.
type KnownSigner struct {
	Address Address
	// multiples has j*16^i times the key at [i][j-1], with Z = 1.
	multiples [64][15]secp256k1.JacobianPoint
}

// Known returns the signer of the action for that network as a KnownSigner.
func (e *Envelope) Known(n Network) (*KnownSigner, error) {
	d, err := e.digest(n)
	if err != nil {
		return nil, err
	}
	key, err := recoverKey(d, &e.Signature)
	if err != nil {
		return nil, err
	}
	k := &KnownSigner{Address: addressOf(key)}
	var power secp256k1.JacobianPoint
	key.AsJacobian(&power)
	for i := range k.multiples {
		row := &k.multiples[i]
		row[0] = power
		for j := 1; j < len(row); j++ {
			secp256k1.AddNonConst(&row[j-1], &power, &row[j])
		}
		secp256k1.AddNonConst(&row[len(row)-1], &power, &power)
		power.ToAffine()
	}
	k.toAffine()
	return k, nil
}

// toAffine makes the Z of all multiples 1, with one inversion.
func (k *KnownSigner) toAffine() {
	const all = len(k.multiples) * len(k.multiples[0])
	at := func(i int) *secp256k1.JacobianPoint { return &k.multiples[i/15][i%15] }
	var before [all]secp256k1.FieldVal // product of the Z of earlier ones
	var product secp256k1.FieldVal
	product.SetInt(1)
	for i := range all {
		before[i] = product
		product.Mul(&at(i).Z)
	}
	product.Inverse()
	for i := all - 1; i >= 0; i-- {
		p := at(i)
		var inverse, square secp256k1.FieldVal
		inverse.Mul2(&product, &before[i])
		product.Mul(&p.Z)
		square.SquareVal(&inverse)
		p.X.Mul(&square).Normalize()
		p.Y.Mul(&square).Mul(&inverse).Normalize()
		p.Z.SetInt(1)
	}
}

// SignedBy reports whether Signer would return the address of k.
func (e *Envelope) SignedBy(k *KnownSigner, n Network) bool {
	d, err := e.digest(n)
	return err == nil && k.signed(d, &e.Signature)
}

// signed reports whether d was signed by k: whether s⁻¹(d·G + r·key) is the point with that r and parity.
func (k *KnownSigner) signed(d word, sig *Signature) bool {
	var r, s, u1, u2 secp256k1.ModNScalar
	if r.SetBytes(&sig.R) != 0 || s.SetBytes(&sig.S) != 0 || r.IsZero() || s.IsZero() || sig.V != 27 && sig.V != 28 {
		return false
	}
	s.InverseNonConst()
	u1.SetByteSlice(d[:])
	u1.Mul(&s)
	u2.Mul2(&r, &s)
	var sum secp256k1.JacobianPoint
	secp256k1.ScalarBaseMultNonConst(&u1, &sum)
	digits := u2.Bytes()
	for i := range k.multiples {
		if digit := digits[31-i/2] >> (4 * (i % 2)) & 15; digit > 0 {
			secp256k1.AddNonConst(&sum, &k.multiples[i][digit-1], &sum)
		}
	}
	if sum.Z.Normalize().IsZero() {
		return false
	}
	sum.ToAffine()
	var x secp256k1.FieldVal
	x.SetBytes(&sig.R) // below the order, so below the field's prime
	return sum.X.Normalize().Equals(x.Normalize()) && sum.Y.Normalize().IsOdd() == (sig.V == 28)
}
