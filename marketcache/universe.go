package marketcache

import "strings"

// AssetID identifies an asset of the universe. It never changes while the process runs: assets are
// only added or marked as delisted.
type AssetID int32

// NoAsset is the id of an unknown name.
const NoAsset AssetID = -1

// Tier is one tier of an asset's margin table.
type Tier struct {
	LowerBoundUSD float64 // notional from which the tier applies
	MaxLeverage   float64 // highest leverage allowed in the tier
	// MaintenanceRate is the maintenance margin as a fraction of notional, 1/(2*MaxLeverage).
	MaintenanceRate float64
	// DeductionUSD makes the maintenance margin continuous at the bounds: maintenance margin =
	// notional*MaintenanceRate - DeductionUSD.
	DeductionUSD float64
}

// NewTiers returns a margin table with rates and deductions, given lower bounds (USD, ascending) and
// maximum leverages of the same length.
func NewTiers(lowerBoundUSD, maxLeverage []float64) []Tier {
	tiers := make([]Tier, len(lowerBoundUSD))
	for i := range tiers {
		t := Tier{LowerBoundUSD: lowerBoundUSD[i], MaxLeverage: maxLeverage[i], MaintenanceRate: 1 /
			(2 * maxLeverage[i])}
		if i > 0 {
			prev := tiers[i-1]
			t.DeductionUSD = prev.DeductionUSD + t.LowerBoundUSD*(t.MaintenanceRate-prev.MaintenanceRate)
		}
		tiers[i] = t
	}
	return tiers
}

// Asset is one perpetual as listed by the venue. Immutable.
type Asset struct {
	ID          AssetID
	Name        string // the venue's ticker, case-sensitive; "dex:TICKER" on a builder-deployed dex
	Dex         string // "" on the main dex
	SizeDigits  int    // sizes are multiples of 10^-SizeDigits base units
	MaxLeverage float64
	Tiers       []Tier // at least one, ascending; Tiers[0].LowerBoundUSD is 0
	// OnlyIsolated: cross margin is not allowed.
	OnlyIsolated bool
	// Delisted: the venue says so, or its list has had no readable entry for the asset for minutes.
	Delisted bool
	// CapUSD is the published open-interest cap; 0: none published (the main dex).
	CapUSD float64
	// FeeMultiplier is the factor on the wallet's taker rate: 1 on the main dex.
	FeeMultiplier float64
	// CollateralToken is the index of the dex's collateral token; 0 is USDC.
	CollateralToken int
	// Number names the asset in the venue's orders; NoNumber if it is not known.
	Number int64
}

// NoNumber is the Number of an asset that has none.
const NoNumber = -1

// Universe is the table of all assets. Immutable; replaced as a whole.
type Universe struct {
	Assets  []*Asset           // by AssetID
	Bitcoin AssetID            // BTC on the main dex; NoAsset if not listed
	byName  map[string]AssetID // one more than the id, so that an unknown name reads as NoAsset
	numbers map[int64]AssetID  // the same, by Asset.Number
	tickers map[string]bool    // what the main dex lists; see ListsTicker
}

// NewUniverse returns the table. assets[i].ID must be i.
func NewUniverse(assets []*Asset) *Universe {
	u := &Universe{Assets: assets, byName: make(map[string]AssetID, len(assets)), tickers: map[string]bool{},
		numbers: make(map[int64]AssetID, len(assets))}
	for i, a := range assets {
		if a.ID != AssetID(i) || len(a.Tiers) == 0 {
			panic("BUG: universe out of order, or an asset without margin tiers")
		}
		u.byName[a.Name] = a.ID + 1
		if _, twice := u.numbers[a.Number]; twice {
			u.numbers[a.Number] = NoAsset + 1
		} else if a.Number != NoNumber {
			u.numbers[a.Number] = a.ID + 1
		}
		if a.Dex == "" {
			u.tickers[a.Name] = true
			u.tickers[strings.TrimPrefix(a.Name, "k")] = true
		}
	}
	u.Bitcoin = u.LookupString("BTC")
	return u
}

// Lookup and LookupString return the id of a ticker, NoAsset if unknown. They neither keep name nor allocate.
func (u *Universe) Lookup(name []byte) AssetID       { return u.byName[string(name)] - 1 }
func (u *Universe) LookupString(name string) AssetID { return u.byName[name] - 1 }

// ByNumber returns the id of the asset with a number in the venue's orders, NoAsset if none has it, or more than one.
func (u *Universe) ByNumber(number int64) AssetID { return u.numbers[number] - 1 }

// ListsTicker reports whether the main dex lists a ticker, alone or in thousands (with k before it).
func (u *Universe) ListsTicker(ticker string) bool { return u.tickers[ticker] }

// Asset returns the asset with an id, nil if there is none.
func (u *Universe) Asset(id AssetID) *Asset {
	if id < 0 || int(id) >= len(u.Assets) {
		return nil
	}
	return u.Assets[id]
}
