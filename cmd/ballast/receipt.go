package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"ballast/server/receipt"
)

// receiptFlags are the flags of signed receipts.
type receiptFlags struct {
	ReceiptKey   string        `default:"" placeholder:"FILE" help:"${help_receipt_key}"`
	ReceiptValid time.Duration `default:"2s" help:"${help_receipt_valid}"`
}

// maxReceiptValid is the longest --receipt-valid: prices and wallets change.
const maxReceiptValid = time.Hour

// problem returns what is wrong with the flags, nil if nothing is.
func (f *receiptFlags) problem() error {
	if f.ReceiptValid < time.Millisecond || f.ReceiptValid > maxReceiptValid {
		return fmt.Errorf("--receipt-valid %v: want a time from 1ms to %v", f.ReceiptValid, maxReceiptValid)
	}
	return nil
}

// receipts returns the signer of receipts, nil if there is no key.
func (f *receiptFlags) receipts() (*receipt.Signer, error) {
	if f.ReceiptKey == "" {
		return nil, nil
	}
	if info, err := os.Stat(f.ReceiptKey); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("--receipt-key: others may use %s, mode %v, and sign with it: chmod 600 %[1]s",
			f.ReceiptKey, info.Mode().Perm())
	}
	text, err := readFile(f.ReceiptKey)
	if err != nil {
		return nil, fmt.Errorf("--receipt-key: %w", err)
	}
	private, err := receipt.ParseKey(text)
	if err != nil {
		return nil, fmt.Errorf("--receipt-key %s: %w", f.ReceiptKey, err)
	}
	return receipt.NewSigner(private, f.ReceiptValid), nil
}

type receiptKeyCmd struct {
	New receiptKeyNewCmd `cmd:"" help:"Write a new private key to a file, which must not exist."`
}

type receiptKeyNewCmd struct {
	File string `arg:"" help:"The file to write, readable by its owner only."`
}

// Run writes a new key and prints its id.
func (c *receiptKeyNewCmd) Run() error {
	text, id, err := receipt.NewKey()
	if err != nil {
		return err
	}
	f, err := os.OpenFile(c.File, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s exists: receipts signed with it could no longer be verified; name another file", c.File)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	fmt.Printf("key %s in %s: start the service with --receipt-key %[2]s\n", id, c.File)
	return nil
}
