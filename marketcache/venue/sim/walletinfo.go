package sim

import (
	"math"
	"time"

	"github.com/goccy/go-json"

	"ballast/marketcache/venue/hyperliquid"
)

// abstraction answers userAbstraction; nil is null. It says what the wallet has chosen,
// not how it behaves: one that has chosen nothing may be pooled all the same.
func (acc *account) abstraction() *string {
	mode := "default"
	if acc != nil {
		mode = acc.mode
	}
	if mode == "" {
		return nil
	}
	return &mode
}

// userRole answers userRole.
func (acc *account) userRole() string {
	if acc == nil {
		return "missing"
	}
	return acc.role
}

// usdc is the token of USDC.
var usdc = 0

// spotState prints the spot balances. USDC of a pooled wallet is all that backs its perps:
// collateral, unrealised PnL in it, and isolated margin.
func (m *market) spotState(acc *account) hyperliquid.SpotClearinghouseState {
	out := hyperliquid.SpotClearinghouseState{Balances: []hyperliquid.SpotBalance{}}
	if acc == nil {
		return out
	}
	if !acc.pooled {
		if acc.equity > 0 {
			out.Balances = append(out.Balances, hyperliquid.SpotBalance{
				Coin: "USDC", Token: &usdc, Total: usd(acc.equity / 50), Hold: "0.0", EntryNtl: "0.0",
			})
		}
		return out
	}
	on := acc.pools[""]
	collateral, required := acc.collateral(on), on.required()
	total, held := collateral, 0.0
	for _, dex := range on.dexes() {
		held += on.slice(dex, collateral)
	}
	for _, p := range acc.positions {
		if p.isolated {
			total += p.equity()
			held += p.equity()
		}
	}
	cash := hyperliquid.SpotBalance{Coin: "USDC", Token: &usdc, Total: usd(total), Hold: usd(held), EntryNtl: "0.0"}
	out.TokenToAvailable = []hyperliquid.TokenAmount{{Token: 0, Amount: usd(collateral - required)}}
	portfolio := acc.mode == "portfolioMargin"
	if portfolio {
		cash.SpotHold, cash.LTV, cash.Borrowed, cash.Supplied = "0.0", "0.0", "0.0", "0.0"
		out.TokenToBorrowRatio = []hyperliquid.TokenAmount{{Token: 0, Amount: "0.0"}}
	}
	out.Balances = append(out.Balances, cash)
	support := collateral
	for i := range acc.spot {
		h := &acc.spot[i]
		price := h.usd
		if a := m.byName[h.price]; a != nil {
			price = a.markUSD()
		}
		row := hyperliquid.SpotBalance{
			Coin: h.coin, Token: &h.token, Total: decimal(h.total, 8), Hold: "0.0", EntryNtl: usd(h.total * price * 0.9),
		}
		if h.token == 0 { // an outcome
			row.Token = nil
		}
		if portfolio {
			row.SpotHold, row.LTV, row.Borrowed, row.Supplied = "0.0", decimal(h.ltv, 2), "0.0", decimal(h.total, 8)
			out.TokenToAvailable = append(out.TokenToAvailable, hyperliquid.TokenAmount{Token: h.token, Amount: decimal(h.total, 8)})
			out.TokenToSupplyRatio = append(out.TokenToSupplyRatio, hyperliquid.TokenAmount{Token: h.token, Amount: "0.0"})
			support += min(userBorrowCap, h.total*price*(0.5+0.5*h.ltv))
		}
		out.Balances = append(out.Balances, row)
	}
	if portfolio {
		out.PortfolioMarginEnabled = true
		out.PortfolioMarginRatio = decimal((20+required)/support, 10)
	}
	return out
}

// userBorrowCap is how much USDC a wallet can borrow.
const userBorrowCap = 50e6

// feeSchedule is the venue's, with its volume tiers, maker rebates and staking discounts.
// Tier 0, the base, is the schedule's own rates.
var feeSchedule = func() (s hyperliquid.FeeSchedule) {
	err := json.Unmarshal([]byte(`{"cross":"0.00045","add":"0.00015","spotCross":"0.0007","spotAdd":"0.0004","referralDiscount":"0.04","tiers":{"vip":[
		{"ntlCutoff":"5000000.0","cross":"0.0004","add":"0.00012","spotCross":"0.0006","spotAdd":"0.0003"},
		{"ntlCutoff":"25000000.0","cross":"0.00035","add":"0.00008","spotCross":"0.0005","spotAdd":"0.0002"},
		{"ntlCutoff":"100000000.0","cross":"0.0003","add":"0.00004","spotCross":"0.0004","spotAdd":"0.0001"},
		{"ntlCutoff":"500000000.0","cross":"0.00028","add":"0.0","spotCross":"0.00035","spotAdd":"0.0"},
		{"ntlCutoff":"2000000000.0","cross":"0.00026","add":"0.0","spotCross":"0.0003","spotAdd":"0.0"},
		{"ntlCutoff":"7000000000.0","cross":"0.00024","add":"0.0","spotCross":"0.00025","spotAdd":"0.0"}],
		"mm":[{"makerFractionCutoff":"0.005","add":"-0.00001"},{"makerFractionCutoff":"0.015","add":"-0.00002"},{"makerFractionCutoff":"0.03","add":"-0.00003"}]},
		"stakingDiscountTiers":[{"bpsOfMaxSupply":"0.0","discount":"0.0"},{"bpsOfMaxSupply":"0.0001","discount":"0.05"},
		{"bpsOfMaxSupply":"0.001","discount":"0.1"},{"bpsOfMaxSupply":"0.01","discount":"0.15"},{"bpsOfMaxSupply":"0.1","discount":"0.2"},
		{"bpsOfMaxSupply":"1.0","discount":"0.3"},{"bpsOfMaxSupply":"5.0","discount":"0.4"}]}`), &s)
	if err != nil {
		panic("BUG: fee schedule: " + err.Error())
	}
	return s
}()

// fees prints a wallet's fee rates.
func (acc *account) fees(ms int64) hyperliquid.UserFees {
	s := &feeSchedule
	own := hyperliquid.VIPTier{NtlCutoff: "0.0", Cross: s.Cross, Add: s.Add, SpotCross: s.SpotCross, SpotAdd: s.SpotAdd}
	referral := 0.0
	if acc != nil {
		if referral = acc.referral; acc.vip > 0 {
			own = s.Tiers.VIP[acc.vip-1]
		}
	}
	out := hyperliquid.UserFees{
		FeeSchedule: *s, UserCrossRate: own.Cross, UserAddRate: own.Add, UserSpotCrossRate: own.SpotCross, UserSpotAddRate: own.SpotAdd,
		ActiveReferralDiscount: decimal(referral, 4), FeeTrialEscrow: "0.0",
		Trial: json.RawMessage("null"), StakingLink: json.RawMessage("null"),
		ActiveStakingDiscount: s.StakingDiscountTiers[0],
	}
	cutoff := parse(own.NtlCutoff)
	for day := 14; day >= 0; day-- {
		date := time.UnixMilli(ms).UTC().AddDate(0, 0, -day).Format(time.DateOnly)
		out.DailyUserVlm = append(out.DailyUserVlm, hyperliquid.DailyVolume{
			Date: date, UserCross: usd(cutoff / 12), UserAdd: usd(cutoff / 40), Exchange: "6000000000.0",
		})
	}
	return out
}

// defaultLeverage is the venue's setting until the wallet chooses: 20 or the maximum.
const defaultLeverage = 20

// assetData answers activeAssetData: the wallet's setting in an asset and what it
// could trade at it. Room on the side that reduces a position includes closing it.
func (acc *account) assetData(m *market, user string, a *asset) hyperliquid.ActiveAssetData {
	lever := hyperliquid.Leverage{Type: "cross", Value: min(defaultLeverage, a.maxLeverage)}
	if a.marginMode != "" {
		lever.Type, lever.RawUsd = "isolated", "0.0"
	}
	free, buy, sell := 0.0, 0.0, 0.0
	if acc != nil {
		on := acc.pool(a.dex, m.dex(a.dex).token)
		free = acc.collateral(on) - on.initial(everyDex)
		if v := acc.settings[a.name]; v > 0 {
			lever.Value = v
		}
		for _, p := range acc.positions {
			if p.asset != a {
				continue
			}
			lever.Value = p.leverage
			if p.isolated {
				lever.Type, lever.RawUsd = "isolated", usd(p.raw)
			}
			back := 2 * p.value() / float64(p.leverage)
			if p.size > 0 {
				sell = back
			} else {
				buy = back
			}
		}
	}
	free = max(free, 0)
	mark := a.markUSD()
	sizes := func(available float64) string {
		units := math.Floor(available * float64(lever.Value) / mark * float64(pow10[a.szDecimals]))
		return a.sz(int64(units))
	}
	return hyperliquid.ActiveAssetData{
		User: user, Coin: a.name, Leverage: lever, MarkPx: a.px(a.state.mark),
		MaxTradeSzs:      [2]string{sizes(free + buy), sizes(free + sell)},
		AvailableToTrade: [2]string{usd(free + buy), usd(free + sell)},
	}
}
