package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"ballast/compute/risk"
	"ballast/marketcache"
	"ballast/server/days"
)

// limitsCaller is the key to which the reads of wallets for limits on losses are charged.
const limitsCaller = "limits"

// newDays opens the records of account values that limits on losses need.
func newDays(m *market, r *replica, log *slog.Logger) (*days.Book, error) {
	young := risk.DefaultAges().WalletSoft
	cfg := days.Config{
		Live: r.limits.InForce(), Store: r.db, Log: log,
		Read: func(ctx context.Context, w marketcache.Wallet) (*marketcache.Account, error) {
			if a, _, ok := m.cache.Account(&w, marketcache.Now(), young); ok {
				return a, nil
			}
			ctx = marketcache.WithCaller(ctx, marketcache.Caller{ID: limitsCaller})
			return m.feed.LoadAccount(ctx, w, marketcache.NoAsset)
		},
		Flows: func(ctx context.Context, a *marketcache.Account, sinceMs int64) ([]marketcache.Flow, error) {
			return m.feed.Flows(marketcache.WithCaller(ctx, marketcache.Caller{ID: limitsCaller}), a, sinceMs)
		},
		NowMs: m.venueMs,
	}
	if r.join != nil {
		cfg.Tell = r.join.days.Tell
	}
	return days.New(cfg)
}

// keepDays reads wallets for the records until shutdown.
func (r *replica) keepDays(book *days.Book, log *slog.Logger) {
	r.days.Store(book)
	if r.join != nil {
		shared := r.join.days
		shared.Adopt, shared.TellAll = book.Adopt, book.TellAll
		r.keep("shared account values", log, shared.Run)
	}
	r.keep("account values", log, book.Run)
}

// followDays reads the records of which a command has lifted halts.
func (r *replica) followDays() error {
	if book := r.days.Load(); book != nil {
		return book.Follow()
	}
	return nil
}

// Run lifts the halts of a wallet.
func (c *policyLiftCmd) Run() error {
	wallet, ok := marketcache.ParseWallet([]byte(c.Wallet))
	if !ok {
		return fmt.Errorf("%.64q is no wallet: want 0x and 40 hexadecimal digits", c.Wallet)
	}
	db, err := openExisting(c.DataDir)
	if err != nil {
		return err
	}
	defer db.Close()
	switch found, err := days.Lift(db, wallet, operator(), time.Now()); {
	case err != nil:
		return err
	case !found:
		return fmt.Errorf("no loss of %v has been recorded in %s: is it the data directory of the service?", wallet,
			db.Path())
	}
	fmt.Printf("halts of %v lifted; its losses count from the newest reading on\n", wallet)
	return nil
}
