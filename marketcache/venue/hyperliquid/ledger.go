package hyperliquid

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

const (
	// ledgerWeight is the weight of a page of a wallet's ledger, ledgerPage the entries of a page from which on there
	// may be another, and maxLedgerPages how many are read.
	ledgerWeight   = 20
	ledgerPage     = 500
	maxLedgerPages = 10
)

// ledgerEntry is an entry of userNonFundingLedgerUpdates.
type ledgerEntry struct {
	Time  int64       `json:"time"`
	Delta ledgerDelta `json:"delta"`
}

// ledgerDelta is what an entry says. Each type has some of the fields.
type ledgerDelta struct {
	Type        string   `json:"type"`
	USDC        *decimal `json:"usdc"`
	Fee         *decimal `json:"fee"`
	ToPerp      *bool    `json:"toPerp"`
	User        string   `json:"user"`
	Destination string   `json:"destination"`
	Token       string   `json:"token"`
	Amount      *decimal `json:"amount"`
	SourceDex   string   `json:"sourceDex"`
	DestDex     string   `json:"destinationDex"`
	NetUSD      *decimal `json:"netWithdrawnUsd"`
}

// Flows returns the deposits to what backs a wallet's positions, and the withdrawals, after a time, ms since 1970, in
// the order of time. An entry that is not understood is an error: without it, a loss cannot be told.
func (f *Feed) Flows(ctx context.Context, a *marketcache.Account, sinceMs int64) (flows []marketcache.Flow, err error) {
	for range maxLedgerPages {
		rows, err := f.readLedger(ctx, a.Wallet, sinceMs+1)
		if err != nil {
			return nil, err
		}
		for i := range rows {
			e := &rows[i]
			usd, ok := e.Delta.flow(a)
			if !ok || e.Time <= 0 {
				return nil, venueError("userNonFundingLedgerUpdates: an entry of type %q is not understood",
					printable([]byte(e.Delta.Type)))
			}
			if sinceMs = max(sinceMs, e.Time); usd != 0 {
				flows = append(flows, marketcache.Flow{AtMs: e.Time, USD: usd})
			}
		}
		if len(rows) < ledgerPage {
			return flows, nil
		}
	}
	return nil, venueError("userNonFundingLedgerUpdates: more than %d entries", maxLedgerPages*ledgerPage)
}

// readLedger reads a page of a wallet's ledger from a time on.
func (f *Feed) readLedger(ctx context.Context, w marketcache.Wallet, fromMs int64) (rows []ledgerEntry, err error) {
	q := accountRequest("userNonFundingLedgerUpdates", w, ledgerWeight)
	q.body = strings.TrimSuffix(q.body, "}") + `,"startTime":` + strconv.FormatInt(fromMs, 10) + `}`
	read := feed.Read{Class: feed.ForWallet, Key: marketcache.CallerOf(ctx).ID, Weight: q.weight, Patience: walletWait}
	g, err := f.queue.Acquire(ctx, read)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", q.what, err)
	}
	defer g.Release()
	q.optional, q.take = true, func(got answer) bool { return decode(got.body, &rows) }
	_, err = f.client.askGranted(ctx, g, q)
	return rows, err
}

// flow is the change of what backs the wallet's positions, USD. ok is false for an entry that is not understood.
func (d *ledgerDelta) flow(a *marketcache.Account) (usd float64, ok bool) {
	unified := a.Mode.Pooled()
	wallet := a.Wallet.String()
	out, in := strings.EqualFold(d.User, wallet), strings.EqualFold(d.Destination, wallet)
	moved := func(amount float64) (float64, bool) {
		switch {
		case d.USDC == nil && d.Amount == nil || !out && !in:
			return 0, false
		case out && in:
			return -d.Fee.orZero(), true
		case out:
			return -amount - d.Fee.orZero(), true
		}
		return amount, true
	}
	switch d.Type {
	case "deposit", "vaultDistribution", "vaultLeaderCommission":
		return d.USDC.orZero(), d.USDC != nil
	case "withdraw", "vaultDeposit", "vaultCreate":
		return -d.USDC.orZero() - d.Fee.orZero(), d.USDC != nil
	case "vaultWithdraw":
		return d.NetUSD.orZero(), d.NetUSD != nil
	case "internalTransfer", "subAccountTransfer":
		return moved(d.USDC.orZero())
	case "accountClassTransfer":
		switch {
		case d.USDC == nil || d.ToPerp == nil:
			return 0, false
		case unified: // one balance
			return 0, true
		case *d.ToPerp:
			return d.USDC.orZero(), true
		}
		return -d.USDC.orZero(), true
	case "spotTransfer":
		if !unified || d.Token != "USDC" {
			return 0, true
		}
		return moved(d.Amount.orZero())
	case "send":
		return d.sent(unified, out, in)
	case "liquidation", "rewardsClaim", "cStakingTransfer", "spotGenesis", "accountActivationGas":
		return 0, true
	}
	return 0, false
}

// sent is the flow of a transfer between dexes or accounts.
func (d *ledgerDelta) sent(unified, out, in bool) (usd float64, ok bool) {
	if d.Amount == nil || !out && !in {
		return 0, false
	}
	if d.Token != "USDC" {
		return 0, true
	}
	backs := func(dex string) bool { return unified || dex != "spot" }
	if out && backs(d.SourceDex) {
		usd -= d.Amount.orZero()
	}
	if in && backs(d.DestDex) {
		usd += d.Amount.orZero()
	}
	return usd, true
}
