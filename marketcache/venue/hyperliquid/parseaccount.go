package hyperliquid

import (
	"fmt"
	"math"
	"slices"

	"ballast/marketcache"
)

// Bounds for the numbers of an account.
const (
	maxPositions  = 1024 // on all dexes together
	maxBalances   = 4096
	maxAccountUSD = 1e13
)

// margins are the amounts of a dex's state beside the account itself, USD. All are of the cross positions.
type margins struct {
	maintenance       float64
	initial, notional float64
	// withdrawable is NaN if the answer lacks it.
	withdrawable float64
}

// summary is a margin summary on the wire.
type summary struct {
	AccountValue *decimal `json:"accountValue"`
	Notional     *decimal `json:"totalNtlPos"`
	MarginUsed   *decimal `json:"totalMarginUsed"`
	Cash         *decimal `json:"totalRawUsd"`
}

func (s *summary) totals() totals {
	t := totals{value: s.AccountValue.orNaN(), notional: s.Notional.orNaN(), cash: s.Cash.orNaN(),
		used: s.MarginUsed.orNaN()}
	if t.cash == 0 { // of answers that were written by hand
		t.cash = math.NaN()
	}
	return t
}

// parseAccount parses clearinghouseState into a: positions, account value, venue time. A key that
// older answers lack may be missing, but a value that is present must be possible. A position
// without a coin, size or value is an error and is never left out: a wrong account is worse than
// none. It returns the margins and a description of what was unreadable, "" if nothing was, and the pair of
// figures that contradict each other (saidtwice.go), "" if none do.
func parseAccount(b []byte, u *marketcache.Universe, a *marketcache.Account) (
	m margins, unreadable, differs string) {
	var v struct {
		Cross        summary  `json:"crossMarginSummary"`
		Whole        summary  `json:"marginSummary"`
		Maintenance  *decimal `json:"crossMaintenanceMarginUsed"`
		Withdrawable *decimal `json:"withdrawable"`
		Time         int64    `json:"time"`
		Positions    *elements[struct {
			Position position `json:"position"`
		}] `json:"assetPositions"`
	}
	if !decode(b, &v) || v.Positions == nil || v.Cross.AccountValue == nil && v.Whole.AccountValue == nil {
		return m, "not the state of a wallet", ""
	}
	m = margins{maintenance: v.Maintenance.orZero(), withdrawable: v.Withdrawable.orNaN()}
	held := map[string]bool{}
	s := said{whole: v.Whole.totals(), cross: v.Cross.totals(), maintenance: v.Maintenance.orNaN()}
	for i, e := range *v.Positions {
		p, ok := e.value.Position.parse(u)
		switch {
		case !e.ok || !ok || i == maxPositions:
			return m, fmt.Sprintf("position %d %s cannot be read", i+1, printable([]byte(e.value.Position.Coin))), ""
		case p.Units == 0:
			continue
		case held[p.Name]:
			return m, "two positions in " + printable([]byte(p.Name)), ""
		case !p.Isolated:
			m.initial, m.notional = m.initial+p.MarginUsedUSD, m.notional+p.ValueUSD
		}
		if pair := s.see(&p, &e.value.Position, u); pair != "" && differs == "" {
			differs = pair + " of " + printable([]byte(p.Name))
		}
		held[p.Name] = true
		a.Positions = append(a.Positions, p)
	}
	if v.Cross.MarginUsed != nil && v.Cross.Notional != nil {
		m.initial, m.notional = float64(*v.Cross.MarginUsed), float64(*v.Cross.Notional)
	}
	a.VenueMs, a.CrossAccountValueUSD = v.Time, v.Cross.AccountValue.orZero()
	if v.Cross.AccountValue == nil { // the cross value is the total less the isolated equities
		a.CrossAccountValueUSD = v.Whole.AccountValue.orZero() - s.isolated
	}
	if math.Abs(a.CrossAccountValueUSD) > maxAccountUSD {
		return m, "absurd value", ""
	}
	if differs == "" {
		differs = s.differs(saidOfWallet)
	}
	return m, "", differs
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
	Return           *decimal `json:"returnOnEquity"`
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
		Asset: u.LookupString(string(w.Coin)), Name: string(w.Coin), Units: float64(*w.Units),
		ValueUSD: float64(*w.ValueUSD),
		Leverage: float64(w.Leverage.Value), Isolated: w.Leverage.Type == "isolated",
		EntryPrice: w.EntryPrice.orZero(), UnrealizedPnLUSD: w.UnrealizedPnL.orZero(),
		MarginUsedUSD:    w.MarginUsed.orZero(),
		LiquidationPrice: w.LiquidationPrice.orZero(), MaxLeverage: w.MaxLeverage.orZero(),
	}
	if p.Isolated {
		p.RawUSD = w.Leverage.RawUSD.orZero()
	}
	if p.EntryPrice == 0 && w.UnrealizedPnL != nil && p.Units != 0 { // null: follows from the profit
		p.EntryPrice = max(0, (p.ValueUSD-math.Copysign(1, p.Units)*p.UnrealizedPnLUSD)/math.Abs(p.Units))
	}
	if p.MaxLeverage == 0 { // absent in answers of 2023
		p.MaxLeverage = p.Leverage
		if a := u.Asset(p.Asset); a != nil {
			p.MaxLeverage = a.MaxLeverage
		}
	}
	// otherwise the position's equity is unknown
	return p, (p.Isolated && w.Leverage.RawUSD != nil || w.Leverage.Type == "cross") &&
		p.ValueUSD >= 0 && p.ValueUSD <= maxAccountUSD && (p.Units == 0 || p.ValueUSD > 0) &&
		math.Abs(p.Units) <= maxUnits &&
		p.Leverage >= 1 && p.Leverage <= maxMaxLeverage && p.MaxLeverage > 0 && p.MaxLeverage <= maxMaxLeverage &&
		p.EntryPrice >= 0 && p.LiquidationPrice >= 0
}

// spotState is what spotClearinghouseState says about the collateral of perpetuals.
type spotState struct {
	read bool // there was an answer
	// total and hold are the balances, and what of them is not free, by token; 0 is USDC.
	total, hold map[int64]float64
	available   map[int64]float64 // by token, after maintenance margin; nil: collateral is not pooled
	borrowable  []balance         // balances that count as collateral under portfolio margin
	empty       bool              // no balance at all
	portfolio   bool              // portfolio margin
	ratio       float64           // portfolio margin ratio, 0 for none
}

// balance is a spot balance on the wire.
type balance struct {
	Coin  string   `json:"coin"`
	Token *int64   `json:"token"` // absent for an outcome token and in old answers
	Total *decimal `json:"total"`
	Hold  decimal  `json:"hold"`
	LTV   decimal  `json:"ltv"`
}

// parseSpot parses spotClearinghouseState; USDC is 0 when the wallet holds none. An unreadable
// balance could be USDC, so it is an error unless USDC is found elsewhere.
func parseSpot(b []byte) (state spotState, ok bool) {
	var v struct {
		Balances  *elements[balance]      `json:"balances"`
		Available *[]pair[int64, decimal] `json:"tokenToAvailableAfterMaintenance"`
		Portfolio bool                    `json:"portfolioMarginEnabled"`
		Ratio     *decimal                `json:"portfolioMarginRatio"`
	}
	if !decodeLists(b, &v) || v.Balances == nil || len(*v.Balances) > maxBalances {
		return state, false
	}
	state = spotState{
		read: true, empty: true, portfolio: v.Portfolio, ratio: max(0, v.Ratio.orZero()),
		total: map[int64]float64{}, hold: map[int64]float64{},
	}
	found, lost := false, false
	for _, e := range *v.Balances {
		b, token := e.value, int64(-1)
		switch {
		case !e.ok || b.Total == nil:
			lost, state.empty = true, false
			continue
		case b.Coin == "USDC" && (b.Token == nil || *b.Token <= 0):
			token, found = 0, true
		case b.Coin != "" && b.Token != nil && *b.Token > 0:
			token = *b.Token
		}
		state.empty = state.empty && *b.Total == 0
		if token >= 0 {
			state.total[token], state.hold[token] = float64(*b.Total), float64(b.Hold)
		}
		if token > 0 && b.LTV > 0 && b.LTV <= 1 && *b.Total != 0 {
			state.borrowable = append(state.borrowable, b)
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
	"default": marketcache.ModeDefault, "disabled": marketcache.ModeDisabled,
	"unifiedAccount":  marketcache.ModeUnified,
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

// tier is a row of the venue's fee schedule.
type tier struct {
	Cross decimal `json:"cross"`
}

// parseFees parses userFees: the fees as fractions of notional, the taker's after the referral discount,
// the only discount not yet included in userCrossRate. The maker's may be negative, a rebate; it is 0 where
// the venue does not say it. doubted: the taker's is no rate of the schedule in the same answer.
func parseFees(b []byte) (taker, maker float64, doubted, ok bool) {
	var v struct {
		Taker    *decimal `json:"userCrossRate"`
		Maker    *decimal `json:"userAddRate"`
		Discount *decimal `json:"activeReferralDiscount"`
		Staking  element[struct {
			Discount decimal `json:"discount"`
		}] `json:"activeStakingDiscount"`
		Schedule element[struct {
			tier
			Tiers struct {
				VIP []tier `json:"vip"`
			} `json:"tiers"`
		}] `json:"feeSchedule"`
	}
	if !decode(b, &v) || v.Taker == nil {
		return 0, 0, false, false
	}
	if s := v.Schedule; s.ok && len(s.value.Tiers.VIP) > 0 {
		doubted = !slices.ContainsFunc(append(s.value.Tiers.VIP, s.value.tier), func(t tier) bool {
			rate := float64(t.Cross) * (1 - float64(v.Staking.value.Discount))
			return math.Abs(rate-float64(*v.Taker)) <= feeRounding
		})
	}
	discount := v.Discount.orZero()
	taker, maker = float64(*v.Taker)*(1-discount), v.Maker.orZero()
	ok = taker >= 0 && taker <= maxFeeRate && maker >= -maxFeeRate && maker <= maxFeeRate && discount >= 0 &&
		discount <= 1
	return taker, maker, doubted, ok
}

// feeRounding is how far a rate may be from its schedule's: a ten-thousandth of a basis point.
const feeRounding = 1e-8

// maxFeeRate is above every fee of the venue.
const maxFeeRate = 0.01

// assetData is activeAssetData on the wire.
type assetData struct {
	Coin     string `json:"coin"`
	Leverage struct {
		Type   string  `json:"type"`
		Value  decimal `json:"value"`
		RawUSD decimal `json:"rawUsd"` // other than 0: an isolated position is open
	} `json:"leverage"`
	Available element[pair[decimal, decimal]] `json:"availableToTrade"`
	Largest   element[pair[decimal, decimal]] `json:"maxTradeSzs"`
	Mark      *decimal                        `json:"markPx"`
}

// parseSetting parses activeAssetData: the wallet's leverage setting in an asset, and what is available there. One
// whose figures contradict each other is not ok.
func parseSetting(b []byte, asset *marketcache.Asset) (s marketcache.LeverageSetting, ok bool) {
	var v assetData
	ok = decode(b, &v) && v.Coin == asset.Name && !v.contradicts(asset)
	s.Leverage = float64(v.Leverage.Value)
	s.Isolated = v.Leverage.Type == "isolated"
	s.ModeKnown = s.Isolated || v.Leverage.Type == "cross"
	if a := v.Available; a.ok && max(math.Abs(float64(a.value.a)), math.Abs(float64(a.value.b))) <= maxAccountUSD {
		s.AvailableUSD, s.HasAvailable = [2]float64{float64(a.value.a), float64(a.value.b)}, true
	}
	return s, ok && s.Leverage >= 1 && s.Leverage <= maxMaxLeverage
}

// parseRole parses userRole: the venue's word for an address, and the account that an API wallet acts for.
func parseRole(b []byte) (role string, owner marketcache.Wallet, ok bool) {
	var v struct {
		Role name `json:"role"`
		Data element[struct {
			User string `json:"user"`
		}] `json:"data"`
	}
	if !decode(b, &v) || !printableName(string(v.Role)) {
		return "", owner, false
	}
	if role = string(v.Role); role == marketcache.RoleAgent && v.Data.ok {
		owner, _ = marketcache.ParseWallet([]byte(v.Data.value.User))
	}
	return role, owner, true
}
