package sim

import "math"

// abstraction answers userAbstraction; nil is null. It is the wallet's choice, not its behaviour: a wallet
// that has chosen nothing may still be pooled.
func (acc *account) abstraction() any {
	if acc.mode == "" {
		return nil
	}
	return acc.mode
}

func usdc(total, hold float64) object {
	return object{"coin": "USDC", "token": 0, "total": usd(total), "hold": usd(hold), "entryNtl": "0.0"}
}

// spotState returns the spot balances. The USDC of a pooled wallet is all that backs its perpetuals:
// collateral with unrealised PnL, and isolated margin; hold is the sum of accountValue over the dexes.
// Only pooled wallets have tokenToAvailableAfterMaintenance, and only those with portfolio margin have
// the other lists of [token, amount] pairs.
func (acc *account) spotState() object {
	if !acc.pooled {
		balances := []object{}
		switch {
		case acc.trading != nil:
			balances = append(balances, usdc(acc.spotUSDC, 0))
		case acc.equity > 0:
			balances = append(balances, usdc(acc.equity/50, 0))
		}
		return object{"balances": balances}
	}
	on := acc.pools[""]
	collateral, required := acc.collateral(on), on.required()
	total, held := collateral, acc.held(everyDex)
	for _, dex := range on.dexes() {
		held += on.slice(dex, collateral)
	}
	for _, p := range acc.positions {
		if p.isolated {
			total += p.equity()
			held += p.equity()
		}
	}
	support := collateral + acc.lent()
	balances, available, supplied := []object{usdc(total, held)}, [][2]any{{0, usd(support - required)}}, [][2]any{}
	portfolio := acc.mode == "portfolioMargin"
	asCollateral := func(balance object, ltv float64, supplied string) {
		if portfolio {
			balance["spotHold"], balance["ltv"] = "0.0", decimal(ltv, 2)
			balance["borrowed"], balance["supplied"] = "0.0", supplied
		}
	}
	asCollateral(balances[0], 0, "0.0")
	for i := range acc.spot {
		h := &acc.spot[i]
		amount := decimal(h.total, 8)
		row := object{"coin": h.coin, "total": amount, "hold": "0.0", "entryNtl": usd(acc.worth(h) * 0.9)}
		if h.token != 0 { // otherwise an outcome token
			row["token"] = h.token
		}
		asCollateral(row, h.ltv, amount)
		if portfolio {
			available, supplied = append(available, [2]any{h.token, amount}), append(supplied, [2]any{h.token, "0.0"})
		}
		balances = append(balances, row)
	}
	out := object{"balances": balances, "tokenToAvailableAfterMaintenance": available}
	if portfolio {
		out["portfolioMarginEnabled"], out["portfolioMarginRatio"] = true, decimal((20+required)/support, 10)
		out["tokenToPortfolioBorrowRatio"], out["tokenToPortfolioSupplyRatio"] = [][2]any{{0, "0.0"}}, supplied
	}
	return out
}

// userBorrowCap is the maximum USDC that a wallet can borrow.
const userBorrowCap = 50e6

// lent returns what the balances other than USDC add to the collateral under portfolio margin.
func (acc *account) lent() (sum float64) {
	if acc.mode != "portfolioMargin" {
		return 0
	}
	for i := range acc.spot {
		h := &acc.spot[i]
		sum += min(userBorrowCap, acc.worth(h)*(0.5+0.5*h.ltv))
	}
	return roundUSD(sum)
}

// worth returns the value of a token balance, USD.
func (acc *account) worth(h *spotHolding) float64 {
	if a := acc.assets[h.price]; a != nil {
		return h.total * a.markUSD()
	}
	return h.total * h.usd
}

// feeTiers are the taker and maker rates by volume tier; 0 is the base.
var feeTiers = [][2]float64{{0.00045, 0.00015}, {0.0004, 0.00012}, {0.00035, 0.00008}, {0.0003, 0.00004}}

// fees returns a wallet's fee rates, which include its volume tier but not a referral discount.
func (acc *account) fees() object {
	own := feeTiers[acc.vip]
	return object{"userCrossRate": decimal(own[0], 5), "userAddRate": decimal(own[1], 5),
		"activeReferralDiscount": decimal(acc.referral, 4)}
}

// defaultLeverage is the venue's setting before the wallet chooses: 20, or the maximum if lower.
const defaultLeverage = 20

// setting returns the position that the account would open in an asset.
func (acc *account) setting(a *asset) *position {
	p := &position{leverage: min(defaultLeverage, a.maxLeverage), isolated: a.marginMode != ""}
	if v := acc.settings[a.name]; v != 0 {
		p.leverage, p.isolated = max(v, -v), p.isolated || v < 0
	}
	return p
}

// heldIn returns the account's position in an asset, or the one that it would open.
func (acc *account) heldIn(a *asset) *position {
	if p := acc.position(a); p != nil {
		return p
	}
	return acc.setting(a)
}

// assetData answers activeAssetData: the wallet's setting in an asset and how much it could trade. On the
// side that reduces a position, the amount includes closing the position.
func (acc *account) assetData(m *market, user string, a *asset) object {
	held := acc.heldIn(a)
	on, resting := acc.pool(a.dex, m.dex(a.dex).token), acc.held(a.dex)
	if acc.pooled {
		resting = acc.held(everyDex)
	}
	free := max(acc.collateral(on)+acc.lent()-on.initial(everyDex)-resting, 0)
	mark, buy, sell := a.markUSD(), free, free
	switch back := math.Abs(2 * a.baseUnits(held.size) * mark / float64(held.leverage)); {
	case held.size > 0:
		sell += back
	case held.size < 0:
		buy += back
	}
	sizes := func(available float64) string {
		units := math.Floor(available * float64(held.leverage) / mark * float64(pow10[a.szDecimals]))
		return a.sz(int64(units))
	}
	return object{ // pairs are [buy, sell]
		"user": user, "coin": a.name, "leverage": held.setting(), "markPx": a.px(a.state.mark),
		"maxTradeSzs":      [2]string{sizes(buy), sizes(sell)},
		"availableToTrade": [2]string{usd(buy), usd(sell)},
	}
}
