package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strconv"
	"strings"
)

const (
	secretPrefix = "whsec_"
	// The length of a key, bytes, by the convention.
	minSecret, maxSecret, newSecret = 24, 64, 32
)

// NewSecret makes a secret.
func NewSecret() string {
	var key [newSecret]byte
	rand.Read(key[:])
	return secretPrefix + base64.StdEncoding.EncodeToString(key[:])
}

// ErrSecret says how a secret is written.
var ErrSecret = errors.New("must be whsec_ and the base64 of 24 to 64 bytes, or left out: then one is made")

// CheckSecret returns an error that does not repeat the secret, unless the secret has its form.
func CheckSecret(secret string) error {
	_, err := keyOf(secret)
	return err
}

func keyOf(secret string) ([]byte, error) {
	text, ok := strings.CutPrefix(secret, secretPrefix)
	key, err := base64.StdEncoding.Strict().DecodeString(text)
	if !ok || err != nil || len(key) < minSecret || len(key) > maxSecret || strings.ContainsAny(text, "\r\n") {
		return nil, ErrSecret
	}
	return key, nil
}

// Sign returns the value of the header webhook-signature for a message sent at a time, seconds since 1970.
func Sign(secret, id string, at int64, body []byte) (string, error) {
	key, err := keyOf(secret)
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + strconv.FormatInt(at, 10) + "."))
	mac.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)), nil
}
