package ballast

import (
	"strings"
	"testing"
	"time"
)

// receiptCase is clients/testdata/receipt.json: a receipt that the service has signed.
type receiptCase struct {
	Key     ReceiptKey        `json:"key"`
	Request ValidationRequest `json:"request"`
	Receipt Receipt           `json:"receipt"`
}

func TestReceipt(t *testing.T) {
	var good receiptCase
	load(t, "receipt.json", &good)
	until, err := time.Parse(time.RFC3339, good.Receipt.ValidUntil)
	if err != nil {
		t.Fatal(err)
	}
	if err := good.Key.Verify(&good.Receipt, good.Request, until); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(c *receiptCase, now *time.Time){
		"signed":          func(c *receiptCase, _ *time.Time) { c.Receipt.Verdict = "abort" },
		"with this key":   func(c *receiptCase, _ *time.Time) { c.Key.Raw = strings.Repeat("A", 43) + "=" },
		"no Ed25519 key":  func(c *receiptCase, _ *time.Time) { c.Key.Raw = "AAAA" },
		"this key":        func(c *receiptCase, _ *time.Time) { c.Key.KeyID = "0000000000000000" },
		"another request": func(c *receiptCase, _ *time.Time) { c.Request.Size++ },
		"held until":      func(_ *receiptCase, now *time.Time) { *now = now.Add(time.Millisecond) },
	} {
		bad, now := good, until
		change(&bad, &now)
		if err := bad.Key.Verify(&bad.Receipt, bad.Request, now); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
