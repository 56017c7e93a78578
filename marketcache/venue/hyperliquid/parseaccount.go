package hyperliquid

import (
	"fmt"
	"math"

	"ballast/marketcache"
)

// Bounds on what an account may hold.
const (
	maxPositions  = 2048
	maxBalances   = 4096
	maxAccountUSD = 1e13
)

// readAccount reads clearinghouseState into a: positions, account value, venue time.
// A key that older answers lack may be missing; a value that is there must make sense,
// and a position without a coin, size or value is an error, never left out: an account
// that is wrong is worse than none. It returns what could not be read, "" when all could.
func readAccount(b []byte, u *marketcache.Universe, a *marketcache.Account) (unreadable string) {
	_, unreadable = readDexAccount(b, u, a)
	return unreadable
}

// readDexAccount is readAccount that also returns the maintenance margin of cross positions,
// crossMaintenanceMarginUsed, 0 where the answer has none.
func readDexAccount(b []byte, u *marketcache.Universe, a *marketcache.Account) (maintenance float64, unreadable string) {
	s := scanner{b: b}
	haveCross, havePositions := false, false
	var total float64
	for more := s.open('{'); more; more = s.next('}') {
		switch string(s.key()) {
		case "crossMarginSummary":
			a.CrossAccountValueUSD, haveCross = readAccountValue(&s)
		case "marginSummary":
			total, _ = readAccountValue(&s)
		case "crossMaintenanceMarginUsed":
			maintenance = s.decimal()
		case "time":
			a.VenueMs = s.integer()
		case "assetPositions":
			havePositions = true
			for more := s.open('['); more; more = s.next(']') {
				p, open := readAssetPosition(&s, u)
				if s.bad || len(a.Positions) == maxPositions {
					return 0, fmt.Sprintf("position %d %s cannot be read", len(a.Positions)+1, printable([]byte(p.Name)))
				}
				if open {
					a.Positions = append(a.Positions, p)
				}
			}
		default:
			s.skip()
		}
	}
	if !s.end() || !havePositions {
		return 0, "not the state of a wallet"
	}
	if !haveCross {
		// Without the cross summary it is the whole less the isolated equities.
		for i := range a.Positions {
			if p := &a.Positions[i]; p.Isolated {
				total -= p.RawUSD + p.Units*p.ValueUSD/math.Abs(p.Units)
			}
		}
		a.CrossAccountValueUSD = total
	}
	for i := range a.Positions {
		for j := range i {
			if a.Positions[i].Name == a.Positions[j].Name {
				return 0, "two positions in " + printable([]byte(a.Positions[i].Name))
			}
		}
	}
	if math.Abs(a.CrossAccountValueUSD) > maxAccountUSD {
		return 0, "absurd value"
	}
	return maintenance, ""
}

func readAccountValue(s *scanner) (usd float64, have bool) {
	for more := s.open('{'); more; more = s.next('}') {
		if string(s.key()) == "accountValue" {
			usd, have = s.decimal(), true
		} else {
			s.skip()
		}
	}
	return usd, have
}

// readAssetPosition reads {"type", "position": {...}}; open is false for a size of 0.
func readAssetPosition(s *scanner, u *marketcache.Universe) (p marketcache.Position, open bool) {
	have := false
	for more := s.open('{'); more; more = s.next('}') {
		if string(s.key()) == "position" {
			p, have = readPosition(s, u), true
		} else {
			s.skip()
		}
	}
	if !have {
		s.fail()
	}
	return p, p.Units != 0
}

func readPosition(s *scanner, u *marketcache.Universe) (p marketcache.Position) {
	p.Asset = marketcache.NoAsset
	need := 0
	for more := s.open('{'); more; more = s.next('}') {
		switch string(s.key()) {
		case "coin":
			p.Name = string(s.text())
			need |= 1
		case "szi":
			p.Units = s.decimal()
			need |= 2
		case "positionValue":
			p.ValueUSD = s.decimal()
			need |= 4
		case "leverage":
			readLeverage(s, &p)
			need |= 8
		case "entryPx":
			p.EntryPrice = s.decimalOrNull()
		case "unrealizedPnl":
			p.UnrealizedPnLUSD = s.decimalOrNull()
		case "marginUsed":
			p.MarginUsedUSD = s.decimalOrNull()
		case "liquidationPx":
			p.LiquidationPrice = s.decimalOrNull()
		case "maxLeverage":
			p.MaxLeverage = s.decimalOrNull()
		default:
			s.skip()
		}
	}
	if s.bad {
		return p
	}
	const all = 15
	wrong := need != all || !printableName(p.Name) || p.ValueUSD < 0 || p.ValueUSD > maxAccountUSD ||
		math.Abs(p.Units) > maxUnits || p.Leverage < 1 || p.Leverage > maxMaxLeverage ||
		p.EntryPrice < 0 || p.LiquidationPrice < 0 || p.MaxLeverage < 0 || p.MaxLeverage > maxMaxLeverage ||
		(p.Units != 0 && p.ValueUSD == 0)
	if wrong {
		s.fail()
		return p
	}
	p.Asset = u.LookupString(p.Name)
	if p.MaxLeverage == 0 { // answers of 2023
		p.MaxLeverage = p.Leverage
		if a := u.Asset(p.Asset); a != nil {
			p.MaxLeverage = a.MaxLeverage
		}
	}
	return p
}

func readLeverage(s *scanner, p *marketcache.Position) {
	kind := ""
	raw := false
	for more := s.open('{'); more; more = s.next('}') {
		switch string(s.key()) {
		case "type":
			kind = string(s.text())
		case "value":
			p.Leverage = s.decimal()
		case "rawUsd":
			if raw = !s.null(); raw {
				p.RawUSD = s.decimal()
			}
		default:
			s.skip()
		}
	}
	switch kind {
	case "cross":
		p.RawUSD = 0
	case "isolated":
		p.Isolated = true
		if !raw { // its equity would be unknown
			s.fail()
		}
	default:
		s.fail()
	}
}

// spotState is what spotClearinghouseState says of the collateral of perpetuals.
type spotState struct {
	total     map[int64]float64 // by token; 0 is USDC
	available map[int64]float64 // by token, after maintenance margin; nil: not pooled
	portfolio bool              // portfolio margin
}

// readSpotUSDC reads the total of USDC from spotClearinghouseState.
func readSpotUSDC(b []byte) (usd float64, ok bool) {
	state, ok := readSpot(b)
	return state.total[0], ok
}

// readSpot reads spotClearinghouseState; USDC is 0 when the wallet holds none. A balance that
// cannot be read may be that of USDC: it fails, unless that is found.
func readSpot(b []byte) (state spotState, ok bool) {
	s := scanner{b: b}
	have, found, lost := false, false, false
	state.total = map[int64]float64{}
	for more := s.open('{'); more; more = s.next('}') {
		switch string(s.key()) {
		case "balances":
		case "tokenToAvailableAfterMaintenance":
			if s.null() {
				continue
			}
			state.available = map[int64]float64{}
			for more := s.open('['); more; more = s.next(']') {
				s.tuple()
				token := s.integer()
				s.then()
				state.available[token] = s.decimal()
				s.rest()
			}
			continue
		case "portfolioMarginEnabled":
			state.portfolio = !s.null() && s.boolean()
			continue
		default:
			s.skip()
			continue
		}
		have = true
		n := 0
		for more := s.open('['); more; more = s.next(']') {
			start := s.i
			coin, total, token := "", math.NaN(), int64(-1)
			for more := s.open('{'); more; more = s.next('}') {
				switch string(s.key()) {
				case "coin":
					coin = string(s.text())
				case "token":
					token = s.integer()
				case "total":
					total = s.decimal()
				default:
					s.skip()
				}
			}
			if s.bad {
				s.setAside(start)
				coin, lost = "", true
			}
			if n++; n > maxBalances {
				s.fail()
			}
			if coin == "USDC" && token <= 0 {
				token, found = 0, true
			}
			if coin != "" && token >= 0 && (token > 0 || coin == "USDC") {
				state.total[token] = total
			}
		}
	}
	return state, s.end() && have && (found || !lost) && math.Abs(state.total[0]) <= maxAccountUSD
}

// readMode reads the userAbstraction answer. ok is false for a string that is not
// known, which is read as default.
func readMode(b []byte) (mode marketcache.AccountMode, ok bool) {
	s := scanner{b: b}
	if s.null() { // never set
		return marketcache.ModeDefault, s.end()
	}
	name := string(s.text())
	if !s.end() {
		return marketcache.ModeDefault, false
	}
	switch name {
	case "default":
		return marketcache.ModeDefault, true
	case "disabled":
		return marketcache.ModeDisabled, true
	case "unifiedAccount":
		return marketcache.ModeUnified, true
	case "portfolioMargin":
		return marketcache.ModePortfolioMargin, true
	case "dexAbstraction":
		return marketcache.ModeDexAbstraction, true
	}
	return marketcache.ModeDefault, false
}

// readTakerRate reads userFees: the taker's fraction of notional after the referral
// discount, which is the only one that userCrossRate does not hold yet.
func readTakerRate(b []byte) (rate float64, ok bool) {
	s := scanner{b: b}
	have, discount := false, 0.0
	for more := s.open('{'); more; more = s.next('}') {
		switch string(s.key()) {
		case "userCrossRate":
			rate, have = s.decimal(), true
		case "activeReferralDiscount":
			discount = s.decimalOrNull()
		default:
			s.skip()
		}
	}
	rate *= 1 - discount
	return rate, s.end() && have && rate >= 0 && rate <= 0.01 && discount >= 0 && discount <= 1
}

// readSetting reads activeAssetData: the wallet's own leverage in a coin.
func readSetting(b []byte, coin string) (leverage float64, ok bool) {
	s := scanner{b: b}
	fit := true
	for more := s.open('{'); more; more = s.next('}') {
		switch string(s.key()) {
		case "coin":
			fit = string(s.text()) == coin
		case "leverage":
			for more := s.open('{'); more; more = s.next('}') {
				if string(s.key()) == "value" {
					leverage = s.decimal()
				} else {
					s.skip()
				}
			}
		default:
			s.skip()
		}
	}
	return leverage, s.end() && fit && leverage >= 1 && leverage <= maxMaxLeverage
}
