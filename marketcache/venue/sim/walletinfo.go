package sim

import (
	"math"
	"time"

	"github.com/goccy/go-json"
)

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
func (m *market) spotState(acc *account) object {
	if !acc.pooled {
		balances := []object{}
		if acc.equity > 0 {
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
			balance["spotHold"], balance["ltv"], balance["borrowed"], balance["supplied"] = "0.0", decimal(ltv, 2), "0.0", supplied
		}
	}
	asCollateral(balances[0], 0, "0.0")
	for i := range acc.spot {
		h := &acc.spot[i]
		price := h.usd
		if a := m.byName[h.price]; a != nil {
			price = a.markUSD()
		}
		amount := decimal(h.total, 8)
		row := object{"coin": h.coin, "total": amount, "hold": "0.0", "entryNtl": usd(h.total * price * 0.9)}
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
		price := h.usd
		if a := acc.assets[h.price]; a != nil {
			price = a.markUSD()
		}
		sum += min(userBorrowCap, h.total*price*(0.5+0.5*h.ltv))
	}
	return roundUSD(sum)
}

// feeTier is a volume tier: the taker and maker rates of perpetuals and spot from a 14-day volume (USD)
// on.
type feeTier struct {
	NtlCutoff string `json:"ntlCutoff"`
	Cross     string `json:"cross"`
	Add       string `json:"add"`
	SpotCross string `json:"spotCross"`
	SpotAdd   string `json:"spotAdd"`
}

// feeTiers are the venue's fee tiers. The first is the base tier, which the venue's answer lists apart.
var feeTiers = []feeTier{
	{"0.0", "0.00045", "0.00015", "0.0007", "0.0004"},
	{"5000000.0", "0.0004", "0.00012", "0.0006", "0.0003"},
	{"25000000.0", "0.00035", "0.00008", "0.0005", "0.0002"},
	{"100000000.0", "0.0003", "0.00004", "0.0004", "0.0001"},
	{"500000000.0", "0.00028", "0.0", "0.00035", "0.0"},
	{"2000000000.0", "0.00026", "0.0", "0.0003", "0.0"},
	{"7000000000.0", "0.00024", "0.0", "0.00025", "0.0"},
}

// The venue's maker rebates and staking discounts.
const (
	makerRebates = `[{"makerFractionCutoff":"0.005","add":"-0.00001"},{"makerFractionCutoff":"0.015","add":"-0.00002"},
		{"makerFractionCutoff":"0.03","add":"-0.00003"}]`
	noStaking        = `{"bpsOfMaxSupply":"0.0","discount":"0.0"}`
	stakingDiscounts = `[` + noStaking + `,{"bpsOfMaxSupply":"0.0001","discount":"0.05"},
		{"bpsOfMaxSupply":"0.001","discount":"0.1"},{"bpsOfMaxSupply":"0.01","discount":"0.15"},
		{"bpsOfMaxSupply":"0.1","discount":"0.2"},{"bpsOfMaxSupply":"1.0","discount":"0.3"},
		{"bpsOfMaxSupply":"5.0","discount":"0.4"}]`
)

// fees returns a wallet's fee rates, which include its volume tier but not a referral discount.
func (acc *account) fees(ms int64) object {
	base, own := feeTiers[0], feeTiers[acc.vip]
	cutoff := parse(own.NtlCutoff)
	var days []object
	for day := 14; day >= 0; day-- {
		days = append(days, object{
			"date":      time.UnixMilli(ms).UTC().AddDate(0, 0, -day).Format(time.DateOnly),
			"userCross": usd(cutoff / 12), "userAdd": usd(cutoff / 40), "exchange": "6000000000.0",
		})
	}
	return object{
		"dailyUserVlm": days,
		"feeSchedule": object{
			"cross": base.Cross, "add": base.Add, "spotCross": base.SpotCross, "spotAdd": base.SpotAdd,
			"tiers":                object{"vip": feeTiers[1:], "mm": json.RawMessage(makerRebates)},
			"referralDiscount":     "0.04",
			"stakingDiscountTiers": json.RawMessage(stakingDiscounts),
		},
		"userCrossRate": own.Cross, "userAddRate": own.Add, "userSpotCrossRate": own.SpotCross, "userSpotAddRate": own.SpotAdd,
		"activeReferralDiscount": decimal(acc.referral, 4), "activeStakingDiscount": json.RawMessage(noStaking),
		"trial": nil, "feeTrialEscrow": "0.0", "nextTrialAvailableTimestamp": nil, "stakingLink": nil,
	}
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

// assetData answers activeAssetData: the wallet's setting in an asset and how much it could trade. On the
// side that reduces a position, the amount includes closing the position.
func (acc *account) assetData(m *market, user string, a *asset) object {
	held := acc.setting(a) // the position that would be opened, or the held one
	on, resting := acc.pool(a.dex, m.dex(a.dex).token), acc.held(a.dex)
	if acc.pooled {
		resting = acc.held(everyDex)
	}
	free := max(acc.collateral(on)+acc.lent()-on.initial(everyDex)-resting, 0)
	buy, sell := free, free
	for _, p := range acc.positions {
		if p.asset != a {
			continue
		}
		held = p
		back := 2 * p.value() / float64(p.leverage)
		if p.size > 0 {
			sell += back
		} else {
			buy += back
		}
	}
	mark := a.markUSD()
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
