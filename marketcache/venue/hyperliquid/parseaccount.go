package hyperliquid

import (
	"fmt"
	"math"

	"ballast/marketcache"
)

// Bounds for the numbers of an account.
const (
	maxPositions  = 2048
	maxBalances   = 4096
	maxAccountUSD = 1e13
)

// parseAccount parses clearinghouseState into a: positions, account value, venue time. A key that
// older answers lack may be missing, but a value that is present must be possible. A position
// without a coin, size or value is an error and is never left out: a wrong account is worse than
// none. It returns the maintenance margin of cross positions (crossMaintenanceMarginUsed, USD, 0 if
// absent) and a description of what was unreadable, "" if nothing was.
func parseAccount(b []byte, u *marketcache.Universe, a *marketcache.Account) (maintenance float64, unreadable string) {
	type summary struct {
		AccountValue *decimal `json:"accountValue"`
	}
	var v struct {
		Cross       summary `json:"crossMarginSummary"`
		Whole       summary `json:"marginSummary"`
		Maintenance decimal `json:"crossMaintenanceMarginUsed"`
		Time        int64   `json:"time"`
		Positions   *elements[struct {
			Position position `json:"position"`
		}] `json:"assetPositions"`
	}
	if !decode(b, &v) || v.Positions == nil || v.Cross.AccountValue == nil && v.Whole.AccountValue == nil {
		return 0, "not the state of a wallet"
	}
	held := map[string]bool{}
	for i, e := range *v.Positions {
		p, ok := e.value.Position.parse(u)
		switch {
		case !e.ok || !ok || i == maxPositions:
			return 0, fmt.Sprintf("position %d %s cannot be read", i+1, printable([]byte(e.value.Position.Coin)))
		case p.Units == 0:
			continue
		case held[p.Name]:
			return 0, "two positions in " + printable([]byte(p.Name))
		}
		held[p.Name] = true
		a.Positions = append(a.Positions, p)
	}
	a.VenueMs, a.CrossAccountValueUSD = v.Time, v.Cross.AccountValue.orZero()
	if v.Cross.AccountValue == nil {
		// Without a cross summary, the cross value is the total less the isolated equities.
		a.CrossAccountValueUSD = v.Whole.AccountValue.orZero()
		for i := range a.Positions {
			if p := &a.Positions[i]; p.Isolated {
				a.CrossAccountValueUSD -= p.RawUSD + p.Units*p.ValueUSD/math.Abs(p.Units)
			}
		}
	}
	if math.Abs(a.CrossAccountValueUSD) > maxAccountUSD {
		return 0, "absurd value"
	}
	return float64(v.Maintenance), ""
}

// position is one position on the wire.
type position struct {
	Coin     name     `json:"coin"`
	Units    *decimal `json:"szi"`
	ValueUSD *decimal `json:"positionValue"`
	Leverage struct {
		Type   string   `json:"type"`
		Value  decimal  `json:"value"`
		RawUSD *decimal `json:"rawUsd"`
	} `json:"leverage"`
	EntryPrice       *decimal `json:"entryPx"`
	UnrealizedPnL    *decimal `json:"unrealizedPnl"`
	MarginUsed       *decimal `json:"marginUsed"`
	LiquidationPrice *decimal `json:"liquidationPx"`
	MaxLeverage      *decimal `json:"maxLeverage"`
}

// parse returns the position; ok is false for an impossible one.
func (w *position) parse(u *marketcache.Universe) (p marketcache.Position, ok bool) {
	if w.Units == nil || w.ValueUSD == nil || !printableName(string(w.Coin)) {
		return p, false
	}
	p = marketcache.Position{
		Asset: u.LookupString(string(w.Coin)), Name: string(w.Coin), Units: float64(*w.Units), ValueUSD: float64(*w.ValueUSD),
		Leverage: float64(w.Leverage.Value), Isolated: w.Leverage.Type == "isolated",
		EntryPrice: w.EntryPrice.orZero(), UnrealizedPnLUSD: w.UnrealizedPnL.orZero(), MarginUsedUSD: w.MarginUsed.orZero(),
		LiquidationPrice: w.LiquidationPrice.orZero(), MaxLeverage: w.MaxLeverage.orZero(),
	}
	if p.Isolated {
		p.RawUSD = w.Leverage.RawUSD.orZero()
	}
	if p.MaxLeverage == 0 { // absent in answers of 2023
		p.MaxLeverage = p.Leverage
		if a := u.Asset(p.Asset); a != nil {
			p.MaxLeverage = a.MaxLeverage
		}
	}
	return p, (p.Isolated && w.Leverage.RawUSD != nil || w.Leverage.Type == "cross") && // otherwise the position's equity is unknown
		p.ValueUSD >= 0 && p.ValueUSD <= maxAccountUSD && (p.Units == 0 || p.ValueUSD > 0) && math.Abs(p.Units) <= maxUnits &&
		p.Leverage >= 1 && p.Leverage <= maxMaxLeverage && p.MaxLeverage > 0 && p.MaxLeverage <= maxMaxLeverage &&
		p.EntryPrice >= 0 && p.LiquidationPrice >= 0
}

// spotState is what spotClearinghouseState says about the collateral of perpetuals.
type spotState struct {
	total     map[int64]float64 // by token; 0 is USDC
	available map[int64]float64 // by token, after maintenance margin; nil: collateral is not pooled
	portfolio bool              // portfolio margin
	ratio     float64           // portfolio margin ratio, 0 for none
}

// parseSpot parses spotClearinghouseState; USDC is 0 when the wallet holds none. An unreadable
// balance could be USDC, so it is an error unless USDC is found elsewhere.
func parseSpot(b []byte) (state spotState, ok bool) {
	var v struct {
		Balances *elements[struct {
			Coin  string   `json:"coin"`
			Token *int64   `json:"token"` // absent for an outcome token and in old answers
			Total *decimal `json:"total"`
		}] `json:"balances"`
		Available *[]pair[int64, decimal] `json:"tokenToAvailableAfterMaintenance"`
		Portfolio bool                    `json:"portfolioMarginEnabled"`
		Ratio     *decimal                `json:"portfolioMarginRatio"`
	}
	if !decodeLists(b, &v) || v.Balances == nil || len(*v.Balances) > maxBalances {
		return state, false
	}
	state = spotState{total: map[int64]float64{}, portfolio: v.Portfolio, ratio: max(0, v.Ratio.orZero())}
	found, lost := false, false
	for _, e := range *v.Balances {
		switch balance := e.value; {
		case !e.ok || balance.Total == nil:
			lost = true
		case balance.Coin == "USDC" && (balance.Token == nil || *balance.Token <= 0):
			state.total[0], found = float64(*balance.Total), true
		case balance.Coin != "" && balance.Token != nil && *balance.Token > 0:
			state.total[*balance.Token] = float64(*balance.Total)
		}
	}
	if v.Available != nil {
		state.available = map[int64]float64{}
		for _, t := range *v.Available {
			state.available[t.a] = float64(t.b)
		}
	}
	return state, (found || !lost) && math.Abs(state.total[0]) <= maxAccountUSD
}

// accountModes are the account modes by their wire names.
var accountModes = map[string]marketcache.AccountMode{
	"default": marketcache.ModeDefault, "disabled": marketcache.ModeDisabled, "unifiedAccount": marketcache.ModeUnified,
	"portfolioMargin": marketcache.ModePortfolioMargin, "dexAbstraction": marketcache.ModeDexAbstraction,
}

// parseMode parses the userAbstraction answer. null means that no mode was ever set. For an unknown
// string the mode is the default and ok is false.
func parseMode(b []byte) (mode marketcache.AccountMode, ok bool) {
	var name *string
	if !decode(b, &name) {
		return marketcache.ModeDefault, false
	}
	if name == nil {
		return marketcache.ModeDefault, true
	}
	mode, ok = accountModes[*name]
	return mode, ok
}

// parseTakerRate parses userFees: the taker fee as a fraction of notional, after the referral
// discount, the only discount not yet included in userCrossRate.
func parseTakerRate(b []byte) (rate float64, ok bool) {
	var v struct {
		Rate     *decimal `json:"userCrossRate"`
		Discount *decimal `json:"activeReferralDiscount"`
	}
	if !decode(b, &v) || v.Rate == nil {
		return 0, false
	}
	discount := v.Discount.orZero()
	rate = float64(*v.Rate) * (1 - discount)
	return rate, rate >= 0 && rate <= 0.01 && discount >= 0 && discount <= 1
}

// parseSetting parses activeAssetData: the wallet's leverage setting in a coin.
func parseSetting(b []byte, coin string) (leverage float64, ok bool) {
	var v struct {
		Coin     string `json:"coin"`
		Leverage struct {
			Value decimal `json:"value"`
		} `json:"leverage"`
	}
	ok = decode(b, &v) && v.Coin == coin
	leverage = float64(v.Leverage.Value)
	return leverage, ok && leverage >= 1 && leverage <= maxMaxLeverage
}
