package ballast

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Verify returns an error unless the receipt is signed with this key, is about this request, and holds at a time.
// Compare its Account and Verdict with what you act on yourself.
func (k *ReceiptKey) Verify(r *Receipt, request any, now time.Time) error {
	text := fmt.Sprintf("ballast-receipt-v1\nkey_id=%s\nkind=%s\nindex=%d\nrequest_digest=%s\naccount=%s\n",
		k.KeyID, r.Kind, r.Index, r.RequestDigest, r.Account) +
		fmt.Sprintf("verdict=%s\npolicy_revision=%d\nengine_version=%s\nrequest_id=%s\nas_of=%s\nvalid_until=%s\n",
			r.Verdict, r.PolicyRevision, r.EngineVersion, r.RequestID, r.AsOf, r.ValidUntil)
	public, err := base64.StdEncoding.DecodeString(k.Raw)
	if err != nil || len(public) != ed25519.PublicKeySize {
		return errors.New("the receipt key is no Ed25519 key")
	}
	signature, err := base64.StdEncoding.DecodeString(r.Signature)
	if err != nil || !ed25519.Verify(public, []byte(text), signature) {
		return errors.New("the receipt is not signed with this key")
	}
	body, err := canonical(request)
	if err != nil {
		return err
	}
	if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != r.RequestDigest {
		return errors.New("the receipt is about another request")
	}
	until, err := time.Parse(time.RFC3339, r.ValidUntil)
	if err != nil || now.After(until) {
		return errors.New("the receipt held until " + r.ValidUntil)
	}
	return nil
}

// canonical returns a request in the form of RFC 8785: encoding/json sorts members and prints numbers as it wants, of
// requests, whose names are ASCII.
func canonical(request any) ([]byte, error) {
	text, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	err = e.Encode(value)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}
