package marketcache

// AssetID numbers an asset of the universe. It never changes while the process
// lives: assets are only ever added, or marked delisted.
type AssetID int32

// NoAsset is the id of a name that the universe does not hold.
const NoAsset AssetID = -1

// Tier is one bracket of an asset's margin table.
type Tier struct {
	LowerBoundUSD float64 // notional from which the tier applies
	MaxLeverage   float64 // highest leverage allowed in the tier
	// MaintenanceRate is the maintenance margin as a fraction of notional,
	// 1/(2*MaxLeverage).
	MaintenanceRate float64
	// DeductionUSD makes the maintenance margin continuous at the bounds:
	// maintenance = notional*MaintenanceRate - DeductionUSD.
	DeductionUSD float64
}

// NewTiers fills rates and deductions of a margin table given as lower bounds (USD)
// and maximum leverages, both of the same length and in rising order of bound.
func NewTiers(lowerBoundUSD, maxLeverage []float64) []Tier {
	tiers := make([]Tier, len(lowerBoundUSD))
	for i := range tiers {
		t := Tier{LowerBoundUSD: lowerBoundUSD[i], MaxLeverage: maxLeverage[i], MaintenanceRate: 1 / (2 * maxLeverage[i])}
		if i > 0 {
			prev := tiers[i-1]
			t.DeductionUSD = prev.DeductionUSD + t.LowerBoundUSD*(t.MaintenanceRate-prev.MaintenanceRate)
		}
		tiers[i] = t
	}
	return tiers
}

// Asset is one perpetual as the venue lists it. Immutable.
type Asset struct {
	ID          AssetID
	Name        string // the venue's ticker, case-sensitive; "dex:TICKER" on a builder-deployed dex
	Dex         string // "" on the main dex
	SizeDigits  int    // sizes are multiples of 10^-SizeDigits base units
	MaxLeverage float64
	Tiers       []Tier // at least one, rising; Tiers[0].LowerBoundUSD is 0
	// OnlyIsolated assets refuse cross margin.
	OnlyIsolated bool
	// Delisted: the venue says so, or has not listed it, or not readably, for minutes.
	Delisted bool
	// CapUSD is the published open-interest cap, 0 where the venue publishes none
	// (the main dex).
	CapUSD float64
	// FeeMultiplier scales the wallet's taker rate: 1 on the main dex.
	FeeMultiplier float64
	// CollateralToken is the index of the token that backs the dex's positions; 0 is USDC.
	CollateralToken int
}

// Universe is the table of all assets. Immutable; replaced whole.
type Universe struct {
	Assets  []*Asset // indexed by AssetID
	Bitcoin AssetID  // BTC on the main dex, NoAsset when that is not listed
	byName  map[string]AssetID
}

// NewUniverse builds the table. assets[i].ID must be i.
func NewUniverse(assets []*Asset) *Universe {
	u := &Universe{Assets: assets, byName: make(map[string]AssetID, len(assets))}
	for i, a := range assets {
		if a.ID != AssetID(i) || len(a.Tiers) == 0 {
			panic("BUG: universe out of order, or an asset without margin tiers")
		}
		u.byName[a.Name] = a.ID
	}
	u.Bitcoin = u.LookupString("BTC")
	return u
}

// Lookup returns the id of a ticker, NoAsset when there is none. It does not keep
// name and does not allocate.
func (u *Universe) Lookup(name []byte) AssetID {
	if id, ok := u.byName[string(name)]; ok {
		return id
	}
	return NoAsset
}

// LookupString is Lookup for a string.
func (u *Universe) LookupString(name string) AssetID {
	if id, ok := u.byName[name]; ok {
		return id
	}
	return NoAsset
}

// Asset returns the asset of an id, nil when the id is outside the table.
func (u *Universe) Asset(id AssetID) *Asset {
	if id < 0 || int(id) >= len(u.Assets) {
		return nil
	}
	return u.Assets[id]
}
