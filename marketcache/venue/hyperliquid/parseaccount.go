package hyperliquid

import (
	"cmp"
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

// figure is a number of an answer that can do without it: null, a text that is no number and a value of another type
// count as missing. A number that cannot be is told all the same, and refused.
type figure struct {
	value decimal
	ok    bool
}

func (f *figure) UnmarshalJSON(b []byte) error {
	f.ok = f.value.UnmarshalJSON(b) == nil
	return nil
}

// word is a text of an answer that can do without it, "" if it is missing.
type word string

func (w *word) UnmarshalJSON(b []byte) error {
	if b[0] == '"' {
		*w = word(b[1 : len(b)-1])
	}
	return nil
}

// orNaN returns the number, NaN if it is missing.
func (f figure) orNaN() float64 { return f.or(math.NaN()) }

// or returns the number, or another if it is missing.
func (f figure) or(other float64) float64 {
	if !f.ok {
		return other
	}
	return float64(f.value)
}

// summary is a margin summary on the wire.
type summary struct {
	AccountValue figure `json:"accountValue"`
	Notional     figure `json:"totalNtlPos"`
	MarginUsed   figure `json:"totalMarginUsed"`
	Cash         figure `json:"totalRawUsd"`
}

func (s *summary) totals() totals {
	t := totals{value: s.AccountValue.orNaN(), notional: s.Notional.orNaN(), cash: s.Cash.orNaN(),
		used: s.MarginUsed.orNaN()}
	if t.cash == 0 { // of answers that were written by hand
		t.cash = math.NaN()
	}
	return t
}

// parseAccount parses clearinghouseState into a: positions, account value, venue time. A figure may be missing if
// others tell it, or if it can be assumed and the position says so. A position whose coin, size, value, mode or equity
// is not known is an error and is never left out: a wrong account is worse than
// none. It returns the margins and a description of what was unreadable, "" if nothing was, and the pair of
// figures that contradict each other (saidtwice.go), "" if none do.
func parseAccount(b []byte, u *marketcache.Universe, a *marketcache.Account) (
	m margins, unreadable, differs string) {
	var v struct {
		Cross        element[summary] `json:"crossMarginSummary"`
		Whole        element[summary] `json:"marginSummary"`
		Maintenance  figure           `json:"crossMaintenanceMarginUsed"`
		Withdrawable figure           `json:"withdrawable"`
		Time         int64            `json:"time"`
		Positions    *elements[wire]  `json:"assetPositions"`
	}
	if !decode(b, &v) || v.Positions == nil {
		return m, "not the state of a wallet", ""
	}
	held, cross, whole := map[string]bool{}, &v.Cross.value, &v.Whole.value
	s := said{whole: whole.totals(), cross: cross.totals(), maintenance: v.Maintenance.orNaN()}
	mode := missingMode(*v.Positions, s.cross.notional)
	for i, e := range *v.Positions {
		p, ok := e.value.Position.parse(u, mode)
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
	m.initial, m.notional = cross.MarginUsed.or(m.initial), cross.Notional.or(m.notional)
	m.maintenance, m.withdrawable = v.Maintenance.or(s.crossTiers), v.Withdrawable.orNaN()
	// the cross value is also the total less the isolated equities, and the cash with the positions
	a.VenueMs, a.CrossAccountValueUSD = v.Time, cross.AccountValue.or(
		whole.AccountValue.or(whole.Cash.orNaN()+s.sum.signed)-s.isolated)
	if !(math.Abs(a.CrossAccountValueUSD) <= maxAccountUSD) || math.IsNaN(m.maintenance) {
		return m, "no account value or maintenance margin, or an absurd one", ""
	}
	if differs == "" {
		differs = s.differs(saidOfWallet)
	}
	return m, "", differs
}

// wire is an element of assetPositions.
type wire struct {
	Position position `json:"position"`
}

// missingMode returns the mode of the positions that do not tell theirs: the total of the cross positions contains all
// of them, or none. It is "" if neither is so.
func missingMode(list []element[wire], cross float64) string {
	missing := 0.0
	for i := range list {
		p := &list[i].value.Position
		switch value := p.ValueUSD.orNaN(); p.mode() {
		case "cross":
			cross -= value
		case "":
			missing += value
		}
	}
	switch tolerance := 0.001 + 1e-6*(math.Abs(cross)+missing); {
	case missing <= tolerance:
	case math.Abs(cross-missing) <= tolerance:
		return "cross"
	case math.Abs(cross) <= tolerance:
		return "isolated"
	}
	return ""
}

// position is one position on the wire.
type position struct {
	Coin     name   `json:"coin"`
	Units    figure `json:"szi"`
	ValueUSD figure `json:"positionValue"`
	Leverage element[struct {
		Type   word   `json:"type"`
		Value  figure `json:"value"`
		RawUSD figure `json:"rawUsd"`
	}] `json:"leverage"`
	EntryPrice       figure `json:"entryPx"`
	UnrealizedPnL    figure `json:"unrealizedPnl"`
	Return           figure `json:"returnOnEquity"`
	MarginUsed       figure `json:"marginUsed"`
	LiquidationPrice figure `json:"liquidationPx"`
	MaxLeverage      figure `json:"maxLeverage"`
}

// mode returns cross or isolated, "" if the position does not tell. Only an isolated one has cash of its own.
func (w *position) mode() string {
	l := &w.Leverage.value
	switch mode := l.Type; {
	case mode == "cross", mode == "isolated":
		return string(mode)
	case l.RawUSD.ok:
		return "isolated"
	}
	return ""
}

// parse returns the position; ok is false for an impossible one, and if it cannot do without what it lacks. missing is
// the mode of a position that does not tell.
func (w *position) parse(u *marketcache.Universe, missing string) (p marketcache.Position, ok bool) {
	mode := cmp.Or(w.mode(), missing)
	p = marketcache.Position{
		Asset: u.LookupString(string(w.Coin)), Name: string(w.Coin), Units: w.Units.orNaN(),
		Isolated: mode == "isolated", UnrealizedPnLUSD: w.UnrealizedPnL.or(0), EntryPrice: w.EntryPrice.or(0),
		LiquidationPrice: w.LiquidationPrice.or(0), MaxLeverage: w.MaxLeverage.or(0),
	}
	w.addMargin(&p, u.Asset(p.Asset))
	if p.EntryPrice == 0 && w.UnrealizedPnL.ok && p.Units != 0 { // null: follows from the profit
		p.EntryPrice = max(0, (p.ValueUSD-math.Copysign(1, p.Units)*p.UnrealizedPnLUSD)/math.Abs(p.Units))
	}
	return p, mode != "" && printableName(p.Name) &&
		p.ValueUSD >= 0 && p.ValueUSD <= maxAccountUSD && (p.Units == 0 || p.ValueUSD > 0) &&
		math.Abs(p.Units) <= maxUnits && !math.IsNaN(p.RawUSD) && !math.IsNaN(p.MarginUsedUSD) &&
		(p.Leverage >= 1 || p.Isolated && !w.Leverage.value.Value.ok) && p.Leverage <= maxMaxLeverage &&
		p.MaxLeverage > 0 && p.MaxLeverage <= maxMaxLeverage &&
		p.EntryPrice >= 0 && p.LiquidationPrice >= 0
}

// addMargin fills in value, margin and leverage, which follow from each other: the margin used is a share of the
// value, or the equity of an isolated position, whose leverage follows from nothing.
func (w *position) addMargin(p *marketcache.Position, asset *marketcache.Asset) {
	l := &w.Leverage.value
	p.ValueUSD, p.Leverage, p.MarginUsedUSD = w.ValueUSD.orNaN(), l.Value.or(0), w.MarginUsed.orNaN()
	if p.Isolated {
		if p.RawUSD = l.RawUSD.orNaN(); !w.ValueUSD.ok {
			p.ValueUSD = (p.MarginUsedUSD - p.RawUSD) * math.Copysign(1, p.Units)
		}
		p.RawUSD = l.RawUSD.or(p.MarginUsedUSD - signed(p))
		p.MarginUsedUSD = w.MarginUsed.or(p.RawUSD + signed(p))
	} else {
		p.ValueUSD = w.ValueUSD.or(p.MarginUsedUSD * p.Leverage)
		p.Leverage = l.Value.or(math.Round(p.ValueUSD / p.MarginUsedUSD))
		p.MarginUsedUSD = w.MarginUsed.or(p.ValueUSD / p.Leverage)
	}
	if p.MaxLeverage == 0 { // absent in answers of 2023
		if p.MaxLeverage = p.Leverage; asset != nil {
			p.MaxLeverage = asset.MaxLeverage
		}
	}
}

// spotState is what spotClearinghouseState says about the collateral of perpetuals.
type spotState struct {
	read bool // there was an answer
	// total and hold are the balances, and what of them is not free, by token; 0 is USDC. hold lacks what is not told.
	total, hold  map[int64]float64
	available    map[int64]float64 // by token, after maintenance margin; nil: collateral is not pooled
	borrowable   []balance         // balances that count as collateral under portfolio margin
	empty        bool              // no balance at all
	lost, others bool              // a balance could not be read; there is one of another token than USDC
	portfolio    bool              // portfolio margin
	ratio        float64           // portfolio margin ratio, 0 for none
}

// balance is a spot balance on the wire.
type balance struct {
	Coin  string         `json:"coin"`
	Token element[int64] `json:"token"` // absent for an outcome token and in old answers
	Total figure         `json:"total"`
	Hold  figure         `json:"hold"`
	LTV   figure         `json:"ltv"`
}

// index returns the index of the balance's token, -1 for an outcome token and if it is not told.
func (b *balance) index() int64 {
	switch token := b.Token.value; {
	case b.Coin == "USDC" && token <= 0, b.Coin == "" && b.Token.ok && token == 0:
		return 0
	case b.Coin != "" && token > 0:
		return token
	}
	return -1
}

// parseSpot parses spotClearinghouseState; USDC is 0 when the wallet holds none. An unreadable
// balance could be USDC, so it is an error unless USDC is found elsewhere.
func parseSpot(b []byte) (state spotState, ok bool) {
	var v struct {
		Balances  *elements[balance]              `json:"balances"`
		Available *elements[pair[int64, decimal]] `json:"tokenToAvailableAfterMaintenance"`
		Portfolio bool                            `json:"portfolioMarginEnabled"`
		Ratio     figure                          `json:"portfolioMarginRatio"`
	}
	if !decodeLists(b, &v) || v.Balances == nil || len(*v.Balances) > maxBalances {
		return state, false
	}
	state = spotState{
		read: true, empty: true, portfolio: v.Portfolio, ratio: max(0, v.Ratio.or(0)),
		total: map[int64]float64{}, hold: map[int64]float64{},
	}
	found := false
	for _, e := range *v.Balances {
		b := e.value
		token, total, ltv := b.index(), b.Total.or(0), b.LTV.or(0)
		if !e.ok || !b.Total.ok {
			state.lost, state.empty = true, false
			continue
		}
		state.empty, found = state.empty && total == 0, found || token == 0
		state.others = state.others || token > 0 && total != 0
		if token >= 0 {
			if state.total[token] = total; b.Hold.ok {
				state.hold[token] = float64(b.Hold.value)
			}
		}
		if token > 0 && ltv > 0 && ltv <= 1 && total != 0 {
			state.borrowable = append(state.borrowable, b)
		}
	}
	if v.Available != nil {
		state.available = map[int64]float64{}
		for _, t := range *v.Available {
			if t.ok {
				state.available[t.value.a] = float64(t.value.b)
			}
		}
	}
	return state, (found || !state.lost) && math.Abs(state.total[0]) <= maxAccountUSD
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
