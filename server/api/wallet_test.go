package api

import (
	"slices"
	"testing"

	"ballast/marketcache"
)

func TestNumbersInTexts(t *testing.T) {
	for _, row := range []struct {
		text  string
		words []string
		want  float64 // 0: none
	}{
		{"50000", nil, 50000}, {" 50000.5 ", nil, 50000.5}, {"5e4", nil, 50000}, {"50,000", nil, 50000},
		{"1,234,567.5", nil, 1234567.5}, {"50 000", nil, 50000}, {"50_000", nil, 50000},
		{"50k", nil, 50000}, {"1.5K", nil, 1500}, {"$50,000", usdWords, 50000}, {"50000 USD", usdWords, 50000},
		{"usdc 50k", usdWords, 50000}, {"-5", nil, -5},
		{"10x", leverageWords, 10}, {"10 X", leverageWords, 10}, {"x10", leverageWords, 10},
		{"1,5", nil, 0}, {"50,00", nil, 0}, {"5,0000", nil, 0}, {"15 BTC", usdWords, 0}, {"10x", usdWords, 0},
		{"1m", nil, 0}, {"", nil, 0}, {"k", nil, 0}, {"$", usdWords, 0},
		{"NaN", nil, 0}, {"Inf", nil, 0}, {"1e999", nil, 0}, {"0x10", leverageWords, 0}, {"1e308k", nil, 0},
		{"10:1", leverageWords, 10}, {"1:10", leverageWords, 10}, {"1:1", leverageWords, 1},
		{"0.5 BTC", []string{"BTC"}, 0.5}, {"5", []string{""}, 5},
	} {
		if x, ok := numberIn(row.text, row.words); ok != (row.want != 0) || ok && x != row.want {
			t.Errorf("%q: %v %v, want %v", row.text, x, ok, row.want)
		}
	}
}

func TestSuggestedAssets(t *testing.T) {
	var assets []*marketcache.Asset
	for i, name := range []string{"BTC", "FARTCOIN", "TON", "LTC", "TIA", "ADA", "POL", "kPEPE", "xyz:TSLA", "xyz:NVDA",
		"flx:TSLA", "xyz:COIN"} {
		assets = append(assets, &marketcache.Asset{ID: marketcache.AssetID(i), Name: name,
			Tiers: marketcache.NewTiers([]float64{0}, []float64{10})})
	}
	universe := marketcache.NewUniverse(assets)
	const all = "all are listed by GET /v1/assets"
	for name, want := range map[string]string{
		"btc": "BTC", "BTC-PERP": "BTC", "Bitcoin": "BTC", "XBT": "BTC", "xyz:BTC": "BTC", "NVDA": "xyz:NVDA",
		"nvda": "xyz:NVDA", "NVDA-USD": "xyz:NVDA",
		"TSLA": "xyz:TSLA or flx:TSLA", "MATIC": "POL", "GOLD": all, "PEPE": "nearest names: kPEPE; " + all,
		" BTC ": "BTC", "BTC perpetual": "BTC", "TONN": "nearest names: TON; " + all, "": all,
	} {
		if got := suggestAsset(name, universe); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// Actions, modes and targets are found in the words of other services, where they mean one alone.
func TestWordsOfOthers(t *testing.T) {
	for text, want := range map[string]string{
		"buy": "long", "SELL": "short", "open_long": "long", "close_long": "close", "Sell to close": "close",
		"reduce": "close", "B": "long", "open": "", "long/short": "", "buy-sell": "", "alongside": "", "": "",
	} {
		if got := actionNamed(text); got != want {
			t.Errorf("action %q: %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{"Isolated": "isolated", "isolated_margin": "isolated", "CROSSED": "cross",
		"iso or cross": "", "both": ""} {
		if got := modeNamed(text); got != want {
			t.Errorf("mode %q: %q, want %q", text, got, want)
		}
	}
	for name, want := range map[string]string{"score": "max_score", "maxScore": "max_score", "p": "",
		"max_probability": "max_probability_24h", "max_loss_pct": "max_loss_99_pct_of_account"} {
		if got := targetNamed(name); got != want {
			t.Errorf("target %q: %q, want %q", name, got, want)
		}
	}
}

// No suggestion for a field changes the unit of its value.
func TestSuggestedFieldsKeepTheUnit(t *testing.T) {
	const inCoins = "size_coin for a number of coins; size for USD (coins times mark price)"
	for _, word := range append(slices.Clone(coinWords), "SZ", "Qty") {
		if m := mendUnknown(word, tradeFields); m.Suggestion == nil || m.Suggestion == "size" {
			t.Errorf("%s: %v", word, m.Suggestion)
		}
	}
	for word, want := range map[string]any{
		"price": "put it into order, an object, as price, beside type limit", "client_id": nil,
		"order_type": "put it into order, an object, as type",
		"stop_loss":  "put it into order, an object, as stop_loss_price",
		"usd":        "size", "side": "action", "sizes": "size",
		"leverag": "leverage", "size_coins": "size_coin", "walletAddress": "wallet", "trading_symbol": "asset",
		"sizeUsd": "size", "usd_size": "size", "position_size": inCoins, "order_qty": inCoins, "coinSize": inCoins,
		"trade_side": "action", "market_price": nil, "asset_wallet": nil,
		"tif": "put it into order, an object, as tif, " +
			"beside type limit and a price; or leave it out",
	} {
		if m := mendUnknown(word, tradeFields); m.Suggestion != want {
			t.Errorf("%s: %v, want %v", word, m.Suggestion, want)
		}
	}
}
