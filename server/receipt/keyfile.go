package receipt

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
)

// makeKey says how to make a key file.
const makeKey = "`ballast receipt-key new FILE` or `openssl genpkey -algorithm ed25519 -out FILE` makes one"

// ParseKey reads a private key of Ed25519: PEM, PKCS #8, not encrypted.
func ParseKey(text []byte) (ed25519.PrivateKey, error) {
	block, _ := pem.Decode(text)
	switch {
	case block == nil:
		return nil, errors.New("no PEM block: want a private key of Ed25519; " + makeKey)
	case block.Type == "ENCRYPTED PRIVATE KEY":
		return nil, errors.New("the key is encrypted: want it without a password, readable by its owner only")
	case block.Type != "PRIVATE KEY":
		return nil, errors.New("the PEM block is " + block.Type + ": want PRIVATE KEY (PKCS #8) of Ed25519; " + makeKey)
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		return nil, fmt.Errorf("no private key: %w; %s", err, makeKey)
	}
	private, is := key.(ed25519.PrivateKey)
	if !is {
		return nil, errors.New("the key is not of Ed25519; " + makeKey)
	}
	return private, nil
}

// NewKey returns a new private key as a PEM text, and its id.
func NewKey() (text []byte, id string, err error) {
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		return nil, "", err
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, "", err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), keyID(public), nil
}

func publicPEM(public ed25519.PublicKey) []byte {
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		panic("BUG: a public key of Ed25519 has no DER form: " + err.Error())
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}
