package webhook

import (
	"encoding/base64"
	"strings"
	"testing"
)

// TestSign: the signature of the convention's own example, as Python's hmac module computes it too.
func TestSign(t *testing.T) {
	const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	got, err := Sign(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; err != nil || got != want {
		t.Errorf("%s %v, want %s", got, err, want)
	}
}

func TestSecrets(t *testing.T) {
	of := func(n int) string { return secretPrefix + base64.StdEncoding.EncodeToString(make([]byte, n)) }
	for secret, good := range map[string]bool{
		NewSecret(): true, of(24): true, of(64): true, of(23): false, of(65): false, "": false, secretPrefix: false,
		strings.TrimPrefix(of(24), secretPrefix): false, "whsec-" + of(24)[6:]: false, of(24) + "\n": false,
		of(25)[:len(of(25))-2]: false, "WHSEC_" + of(24)[6:]: false, secretPrefix + strings.Repeat("-", 32): false,
	} {
		err := CheckSecret(secret)
		if (err == nil) != good {
			t.Errorf("%q: %v", secret, err)
		}
		if err != nil && len(secret) > 10 && strings.Contains(err.Error(), secret[6:]) {
			t.Errorf("the error repeats the secret: %v", err)
		}
	}
	if one, two := NewSecret(), NewSecret(); one == two {
		t.Error("two new secrets are the same")
	}
}
