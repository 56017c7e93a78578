package server

import (
	"context"
	"fmt"
	"testing"
	"time"

	"ballast/marketcache"
	wire "ballast/marketcache/venue/exchange"
	"ballast/policy"
)

// An order against a position may rest until the position is closed, and then opens one on the other side. One that
// fills at once and is no larger than the position only reduces it.
func TestGateOrdersAgainstAPosition(t *testing.T) {
	g := newGated(t, nil)
	g.warm()
	sell := func(tif wire.TIF, size string) string {
		o := order(false, size, "66000", false)
		o.Orders[0].TIF = tif
		return g.sign(o, wire.Mainnet)
	}
	g.limit(`{"max_position_usd":80000}`) // 1 BTC, 67,123.5 USD, is held
	g.passed("rests, within the limit on the other side", g.act(sell(wire.GTC, "1.1")))
	g.refused("rests beside it", g.act(sell(wire.ALO, "0.2")), "reduce-only it passes")
	g.refused("at once, larger than the position with it", g.act(sell(wire.IOC, "0.5")), "reduce-only it passes")

	g = newGated(t, nil)
	g.warm()
	g.live.SetSwitch(&policy.Switch{On: true, Reason: "drill", Who: "ops", Since: time.Now()})
	g.refused("rests while increases are stopped", g.act(sell(wire.GTC, "0.5")), "stopped since")
	twap := &wire.TWAPOrder{TWAP: wire.TWAP{Size: wire.Decimal{Units: 1}, Minutes: 30}}
	g.refused("a TWAP", g.act(g.sign(twap, wire.Mainnet)), "stopped since")
	stop := order(false, "0.5", "60000", false)
	stop.Orders[0].IsTrigger, stop.Orders[0].Trigger = true, wire.Trigger{IsMarket: true, TPSL: wire.StopLoss,
		Price: wire.Decimal{Units: 61000}}
	g.refused("a stop that is not reduce-only", g.act(g.sign(stop, wire.Mainnet)), "stopped since")
	g.passed("reduces at once", g.act(sell(wire.IOC, "0.5")))
	g.refused("with the one before more than all", g.act(sell(wire.FrontendMarket, "0.6")), "stopped since")
	g.passed("reduce-only", g.act(g.sign(order(false, "0.5", "66000", true), wire.Mainnet)))
}

// TWAPs count that ran before this gate; while they are not known nothing is increased.
func TestGateTWAPsOfBefore(t *testing.T) {
	g := newGated(t, nil)
	g.warm()
	g.limit(`{"max_position_usd":101000}`) // 67,123.5 USD are held
	const row = `{"state":{"coin":%q,"minutes":30,"reduceOnly":false,"side":"B","sz":"0.4","timestamp":%d},` +
		`"status":{"status":"activated"},"twapId":9}`
	g.tells("twapHistory", g.account, `{"state":7}`)
	small := func(size string) string { return g.sign(order(true, size, "67000", false), wire.Mainnet) }
	if r := g.act(small("0.2")); len(g.reached()) > 0 {
		t.Errorf("an order while TWAPs are not known: %d %s", r.status, r.body)
	}
	g.tells("twapHistory", g.account, fmt.Sprintf(row, g.s.cfg.Cache.Universe().Asset(btc).Name,
		g.s.cfg.Cache.Venue.Clock.VenueMs(marketcache.Now())-60_000))
	g.refused("beside a TWAP", g.act(small("0.2")), "max_position_usd")
	g.passed("what fits", g.act(small("0.1")))
}

// TestGateUnknownAssetOfBefore: while an order that may enlarge a position in an asset unknown to the service rests or
// runs, increases are refused.
func TestGateUnknownAssetOfBefore(t *testing.T) {
	t.Run("TWAP", func(t *testing.T) {
		g := newGated(t, nil)
		g.warm()
		g.tells("twapHistory", g.account, fmt.Sprintf(`{"state":{"coin":"xyz:NONE","minutes":30,"side":"A","sz":"9",`+
			`"timestamp":%d},"status":{"status":"activated"},"twapId":9}`,
			g.s.cfg.Cache.Venue.Clock.VenueMs(marketcache.Now())-60_000))
		increase := func() string { return g.sign(order(true, "0.01", "67000", false), wire.Mainnet) }
		g.refused("an increase", g.act(increase()), "not known to this service")
		g.passed("a reduction", g.act(g.sign(order(false, "0.01", "66000", true), wire.Mainnet)))
	})
	for _, reduces := range []bool{false, true} {
		t.Run(fmt.Sprintf("resting order, reduce-only %t", reduces), func(t *testing.T) {
			g := newGated(t, nil)
			g.warm()
			rest := []marketcache.OpenOrder{{Asset: marketcache.NoAsset, OID: 5, Buy: true, Units: 9, LimitPrice: 10,
				ReduceOnly: reduces}}
			g.setLoad(func(_ context.Context, w marketcache.Wallet, _ marketcache.AssetID) (*marketcache.Account,
				error) {
				a, now := testAccount(w), marketcache.Now()
				a.Received, a.Orders = now, &marketcache.OpenOrders{Read: now, Asked: now, Orders: rest}
				g.cache.StoreAccount(a)
				return a, nil
			})
			if r := g.act(g.sign(order(true, "0.01", "67000", false), wire.Mainnet)); reduces {
				g.passed("an increase", r)
			} else {
				g.refused("an increase", r, "not known to this service")
			}
		})
	}
}

// An action that several sign for a sub-account of theirs is judged on that.
func TestGateSeveralSignersOfASubAccount(t *testing.T) {
	g := newGated(t, nil)
	several, sub, other := marketcache.Wallet{0x0d}, marketcache.Wallet{0x0e}, marketcache.Wallet{0x0f}
	g.tells("userToMultiSigSigners", several, fmt.Sprintf(`{"authorizedUsers":["%v"],"threshold":1}`, g.account))
	g.tells("userRole", sub, fmt.Sprintf(`{"role":"subAccount","data":{"master":"%v"}}`, several))
	g.tells("userRole", other, fmt.Sprintf(`{"role":"subAccount","data":{"master":"%v"}}`, g.account))
	strict, _ := policy.DecodeJSON([]byte(`{"halt":true}`))
	g.live.SetTable(policy.NewTable(nil, map[marketcache.Wallet]*policy.Policy{sub: {Rules: strict, Revision: 1}}))
	by := func(vault marketcache.Wallet) string {
		m := &wire.MultiSig{ChainID: 0x66eee}
		m.Payload.User, m.Payload.OuterSigner = wire.Address(several), g.key.Address()
		m.Payload.Action.Form = order(true, "0.01", "67000", false)
		e := wire.Envelope{Nonce: g.nonce.Add(1), HasVault: vault != marketcache.Wallet{}, Vault: wire.Address(vault)}
		e.Action.Form = m
		if err := e.SignInner(g.key, wire.Mainnet); err != nil {
			t.Fatal(err)
		}
		if err := e.Sign(g.key, wire.Mainnet); err != nil {
			t.Fatal(err)
		}
		return string(e.AppendJSON(nil))
	}
	g.passed("their own account", g.act(by(marketcache.Wallet{})))
	g.refused("the sub-account", g.act(by(sub)), "halt")
	g.refused("another's", g.act(by(other)), "neither a sub-account nor a vault of")
}
