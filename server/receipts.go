package server

import (
	"github.com/valyala/fasthttp"

	"ballast/compute/risk"
	"ballast/server/api"
	"ballast/server/receipt"
)

// receipts is the scratch of the receipts of a request.
type receipts struct {
	receipt.Scratch
	digest *receipt.Digest // of the request
	text   []byte          // of a receipt
}

// headerReceipt has the receipt of an answer of the gate, whose body is in the venue's form.
var headerReceipt = []byte("X-Ballast-Receipt")

// receiptKey answers GET /v1/receipt-key.
func (s *Server) receiptKey(x *exchange) {
	if s.cfg.Receipts == nil {
		x.fail(api.CodeNotFound, "this service signs no receipts: it was started without --receipt-key")
		return
	}
	x.reply(fasthttp.StatusOK, typeJSON, s.cfg.Receipts.Info())
}

// takeDigest takes the digest of the request, for its receipts.
func (x *exchange) takeDigest() {
	if x.s.cfg.Receipts != nil {
		x.receipts.digest = x.receipts.Digest(x.ctx.PostBody())
	}
}

// appendReceipt appends to an answer about the trade that was assessed last, number i of the request, its receipt as
// the last member; nothing without a key.
func (x *exchange) appendReceipt(answer []byte, kind string, i int) []byte {
	out, account := &x.memory.Out, x.memory.In.Trade.Wallet
	d := receipt.Decision{Kind: kind, Index: i, Account: account, Verdict: out.Recommendation.String(),
		AsOfMs: out.Meta.AsOfUnixMs, Stale: x.memory.In.Stale}
	if v := &x.judged.verdict; v.Applies {
		d.Revision = v.Revision
	}
	if text := x.sign(&d); text != nil {
		answer = append(append(answer[:len(answer)-len(`}`)], `,"receipt":`...), text...)
		answer = append(answer, '}')
	}
	return answer
}

// sign completes a decision and returns its receipt, nil without a key.
func (x *exchange) sign(d *receipt.Decision) []byte {
	if x.s.cfg.Receipts == nil || x.receipts.digest == nil {
		return nil
	}
	d.Digest, d.Engine, d.RequestID = x.receipts.digest, risk.EngineVersion, x.id
	x.receipts.text = x.s.cfg.Receipts.Append(x.receipts.text[:0], d, &x.receipts.Scratch)
	return x.receipts.text
}

// signAction puts the receipt of what the gate did into the answer's headers.
func (x *exchange) signAction() {
	if x.s.cfg.Receipts == nil {
		return
	}
	e := &x.entry
	x.takeDigest()
	d := receipt.Decision{Kind: receipt.Gate, Account: e.Wallet, Verdict: e.Gate.Did, AsOfMs: e.AtMs}
	if p, _ := x.s.inForce(&e.Wallet); p != nil {
		d.Revision = p.Revision
	}
	if text := x.sign(&d); text != nil {
		x.ctx.Response.Header.SetCanonical(headerReceipt, text)
	}
}
