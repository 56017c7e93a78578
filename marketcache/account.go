package marketcache

import (
	"encoding/hex"
	"hash/maphash"
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// Wallet is an Ethereum address.
type Wallet [20]byte

// String returns the address as 0x and 40 lower-case hexadecimal digits.
func (w Wallet) String() string { return string(w.Append(make([]byte, 0, 42))) }

// Append appends the address as 0x and 40 lower-case hexadecimal digits.
func (w Wallet) Append(dst []byte) []byte {
	return hex.AppendEncode(append(dst, "0x"...), w[:])
}

// ParseWallet parses 0x and exactly 40 hexadecimal digits of either case.
func ParseWallet(s []byte) (w Wallet, ok bool) {
	if len(s) != 42 || s[0] != '0' || s[1] != 'x' {
		return Wallet{}, false
	}
	if _, err := hex.Decode(w[:], s[2:]); err != nil {
		return Wallet{}, false
	}
	return w, true
}

// AccountMode is how the venue pools a wallet's collateral.
type AccountMode uint8

const (
	// ModeDefault is the venue's "default", and any mode that this service does not know (the
	// account then has ModeUncertain).
	ModeDefault AccountMode = iota
	// ModeDisabled is the standard account: the perps account value is the pool.
	ModeDisabled
	// ModeUnified pools spot USDC with the perps account.
	ModeUnified
	// ModePortfolioMargin nets spot and perpetuals in ways that are not fully public.
	ModePortfolioMargin
	// ModeDexAbstraction is being removed by the venue and is treated as default.
	ModeDexAbstraction
)

// Pooled reports whether one balance of each collateral token backs the positions on all dexes.
func (m AccountMode) Pooled() bool { return m == ModeUnified || m == ModePortfolioMargin }

// Pool is collateral shared by cross positions. Its token counts as 1 USD.
type Pool struct {
	// Dex is the pool's dex; Everywhere if the pool backs every dex whose collateral is Token.
	Dex       string
	Token     int // index of the token; 0 is USDC
	EquityUSD float64
	// HeldUSD is the margin that the venue keeps for resting orders. It is known as an interval up to
	// HeldMostUSD (+Inf: no bound), exact when the two are equal (HeldStandard, HeldPooled). Both are of
	// the moment of the read.
	HeldUSD, HeldMostUSD float64
	// CashUSD is, under portfolio margin, the token's total balance less the isolated margin used: what
	// the pool has without the venue's lending.
	CashUSD float64
	// Unreadable: a portfolio-margin pool whose equity the venue did not tell.
	Unreadable bool
}

// Collateral is a balance other than the pool's token that counts as collateral under portfolio margin:
// a long position that moves the pool's equity, without maintenance margin or funding.
type Collateral struct {
	Asset AssetID // the perpetual of that name, NoAsset if there is none
	Name  string
	Units float64 // coins that count: balance*(1+ltv)/2, scaled to the venue's own figures
	Mark  float64 // USD, at the time of the read
	Pool  int     // index of the pool
}

// Everywhere is the Dex of a pool that is not limited to one dex.
const Everywhere = "*"

// Position is one open position as the venue reported it.
type Position struct {
	Asset      AssetID // NoAsset if the universe lacks the name
	Name       string
	Units      float64 // base units, signed: long positive; never 0
	EntryPrice float64 // USD; 0 if the venue gives neither it nor the unrealised profit
	// ValueUSD is |Units| times the mark, both as of the venue's answer.
	ValueUSD         float64
	UnrealizedPnLUSD float64
	MarginUsedUSD    float64
	Leverage         float64 // 0: the venue did not tell that of an isolated position
	Isolated         bool
	// RawUSD is an isolated position's cash: equity = RawUSD + Units*mark. A cross position gets the
	// RawUSD with which this equity is its share of the pool (see Share); 0 if there are no Pools.
	RawUSD float64
	// LiquidationPrice is as reported by the venue, USD; 0 if the venue reports none (null).
	LiquidationPrice float64
	// MaxLeverage is the position's maximum leverage, which may differ from the asset's.
	MaxLeverage float64
	Pool        int // index of the pool that backs a cross position
}

// LeverageSetting is the wallet's setting for an asset in which it has no position, as the venue answered.
// An account without one for an asset: it was not asked for, or not read.
type LeverageSetting struct {
	Asset    AssetID
	Leverage float64 // 0: the venue answered that the wallet has none
	// Isolated is the margin mode; ModeKnown is false when the answer has no mode, or one unknown to us.
	Isolated, ModeKnown bool
	// AvailableUSD is the margin available to buy and to sell at Read; HasAvailable is false when it was
	// not given.
	AvailableUSD [2]float64
	HasAvailable bool
	Read         Instant
}

// Account is one wallet's state as the venue reported it. Immutable once stored.
type Account struct {
	Wallet Wallet
	Mode   AccountMode
	// ModeUncertain: the mode is unknown to this service or could not be read.
	ModeUncertain bool
	// Misquoted: a liquidation price of the venue does not follow from its other figures, although the wallet
	// was read twice, or margin is held for resting orders and there are none, or the other way round, or the
	// wallet's streams say something else than two reads in a row.
	Misquoted bool
	// FeesDoubted: the rates are not those of the venue's own schedule, or could not be read.
	FeesDoubted bool
	// CrossAccountValueUSD is crossMarginSummary.accountValue of the main dex.
	CrossAccountValueUSD float64
	// Pools are the collateral of cross positions, the main dex's first. If empty, the venue's answers did
	// not fit together, or the wallet is not known: there is one pool, and nothing is known to be held; its
	// equity is CrossAccountValueUSD, SpotUSDC or inferred from a liquidation price, depending on Mode.
	Pools []Pool
	// NotFollowed is the number of positions on dexes that are not followed, or in assets that are not listed.
	NotFollowed int
	// Dexes are the dexes other than the main one that the wallet used at the time DexesRead.
	Dexes     []string
	DexesRead Instant
	// Unread are the dexes that the venue did not answer for: positions there, if any, are not in the account.
	Unread []string
	// LeftOffUSD is by how much the venue's figure of what is left after maintenance margin is below our own, in a
	// pooled account: 0 but for moments that differ, and for positions that were not read.
	LeftOffUSD float64
	// SpotUSDC is the total spot balance of USDC; 0 unless the mode needs it.
	SpotUSDC float64
	// PortfolioMarginRatio is the venue's ratio under portfolio margin; 0: none given. The venue
	// liquidates the account above 0.95.
	PortfolioMarginRatio float64
	// TakerRate is the taker fee as a fraction of notional, after the referral discount.
	TakerRate float64
	// MakerRate is the same for orders that rest; negative: a rebate.
	MakerRate float64
	Positions []Position // the main dex's first, in the venue's order
	Settings  []LeverageSetting
	// Collateral is empty except under portfolio margin.
	Collateral []Collateral
	// Orders are the wallet's resting orders; nil when they are not asked for (--open-orders).
	Orders *OpenOrders
	// OrdersIgnored: nothing is asked or derived about resting orders (--open-orders off).
	OrdersIgnored bool
	// Role is the venue's word for the address of a wallet that holds nothing: "user", RoleAgent, "vault",
	// "subAccount", RoleMissing, or one that is new; RoleUnknown if it could not be read, and is then asked
	// for at the next read; "" if it was not asked for.
	Role     string
	RoleRead Instant // 0: never
	// Owner is the account that an API wallet (RoleAgent) acts for; the zero wallet: not known.
	Owner Wallet

	Received Instant // when the account state was received (see Snapshot.Received)
	VenueMs  int64   // venue time of the account state
	// FeesRead and ModeRead are when fees and mode, which change seldom, were read.
	FeesRead, ModeRead Instant
}

// What Account.Role says, beside the venue's other words.
const (
	RoleAgent   = "agent"   // an API wallet: a key, which holds nothing
	RoleMissing = "missing" // the venue does not know the address
	RoleUnknown = "unknown" // could not be read
)

// OpenOrders are a wallet's resting orders as the venue listed them. Immutable.
type OpenOrders struct {
	Read  Instant // when the list was read: the oldest answer of all dexes; 0: never
	Asked Instant // when the venue was last asked, with or without success
	// Reason tells why there is no list: OrdersBudget and the like; "" if it is complete. A list that could
	// not be read again stays, with its Read, for OrdersMaxAge.
	Reason string
	Orders []OpenOrder
	Spot   bool // there are orders of spot pairs, which Orders leaves out
	// Left are the orders that can enlarge a position and of which the list before had more, with the difference: it
	// has filled, which positions read before Read may not show, or was cancelled.
	Left []OpenOrder `json:",omitempty"`
}

// Values of OpenOrders.Reason.
const (
	OrdersBudget  = "budget"
	OrdersError   = "error"
	OrdersTimeout = "timeout"
	OrdersTooMany = "too_many"
)

const (
	// OrdersEvery is the age from which resting orders are due to be read again.
	OrdersEvery = 10 * time.Second
	// OrdersMaxAge is the age from which resting orders count as not read.
	OrdersMaxAge = time.Minute
	// SettingMaxAge is how long a leverage setting counts as read.
	SettingMaxAge = time.Minute
)

// OpenOrder is one resting order of a perpetual. False and 0 are left out of messages among replicas, which
// 5,000 orders must fit.
type OpenOrder struct {
	Asset      AssetID // NoAsset if the universe lacks the name
	OID        uint64  `json:",omitempty"` // the venue's number
	Cloid      string  `json:",omitempty"` // the client's id: 0x and 32 hexadecimal digits
	Buy        bool    `json:",omitempty"`
	Units      float64 `json:",omitempty"` // base units left; 0 with Whole
	LimitPrice float64 // USD
	// Trigger: the order waits for TriggerPrice. Stop: it is there to limit a loss (else a trigger order
	// takes profit). StopLimit: a stop that becomes a limit order, which may not be filled.
	Trigger      bool    `json:",omitempty"`
	Stop         bool    `json:",omitempty"`
	StopLimit    bool    `json:",omitempty"`
	TriggerPrice float64 `json:",omitempty"` // USD
	ReduceOnly   bool    `json:",omitempty"`
	Whole        bool    `json:",omitempty"` // it closes the whole position
	Child        bool    `json:",omitempty"` // it rests once its parent, listed before it, is filled
}

// Enlarges reports whether the order can enlarge a position.
func (o *OpenOrder) Enlarges() bool { return !o.ReduceOnly && !o.Whole }

// Setting returns the wallet's leverage setting for an asset, if it is known.
func (a *Account) Setting(id AssetID) (LeverageSetting, bool) {
	for _, s := range a.Settings {
		if s.Asset == id {
			return s, true
		}
	}
	return LeverageSetting{}, false
}

// NoPool is the index for a position that no pool backs.
const NoPool = -1

// PoolOf returns the index of the pool behind cross positions in an asset; the main dex's for a nil asset.
func (a *Account) PoolOf(asset *Asset) int {
	if len(a.Pools) == 0 || asset == nil {
		return 0
	}
	for i := range a.Pools {
		if p := &a.Pools[i]; p.Dex == asset.Dex || p.Dex == Everywhere && p.Token == asset.CollateralToken {
			return i
		}
	}
	return NoPool
}

// Share divides the equity of every pool among its cross positions in proportion to maintenance margin,
// notional/(2*MaxLeverage). Each position is then as close to liquidation as its pool.
func (a *Account) Share() {
	weight := func(p *Position) float64 { return p.ValueUSD / max(p.MaxLeverage, 1) }
	for k := range a.Pools {
		total := 0.0
		for i := range a.Positions {
			if p := &a.Positions[i]; !p.Isolated && p.Pool == k {
				total += weight(p)
			}
		}
		for i := range a.Positions {
			if p := &a.Positions[i]; !p.Isolated && p.Pool == k && total > 0 {
				p.RawUSD = a.Pools[k].EquityUSD*weight(p)/total - math.Copysign(p.ValueUSD, p.Units)
			}
		}
	}
}

// PositionIn returns the index of the wallet's position in the asset, or -1.
func (a *Account) PositionIn(id AssetID) int {
	for i := range a.Positions {
		if a.Positions[i].Asset == id {
			return i
		}
	}
	return -1
}

// accountWays is the associativity of the wallet table.
const accountWays = 8

// accounts is a set-associative table of wallets. A wallet hashes to one set of accountWays atomic
// pointers, so a lookup is at most that many loads, without a lock. A full set evicts the account
// received longest ago.
type accounts struct {
	mu    sync.Mutex // serialises writers
	seed  maphash.Seed
	sets  [][accountWays]atomic.Pointer[Account]
	count atomic.Int64
}

func newAccounts(n int) *accounts {
	sets := 1
	for sets*accountWays < n {
		sets *= 2
	}
	return &accounts{seed: maphash.MakeSeed(), sets: make([][accountWays]atomic.Pointer[Account], sets)}
}

// set returns the wallet's set. The seed keeps clients from choosing addresses that fall into one set.
func (t *accounts) set(w *Wallet) *[accountWays]atomic.Pointer[Account] {
	return &t.sets[maphash.Bytes(t.seed, w[:])&uint64(len(t.sets)-1)]
}

func (t *accounts) load(w *Wallet) *Account {
	set := t.set(w)
	for i := range set {
		if a := set[i].Load(); a != nil && a.Wallet == *w {
			return a
		}
	}
	return nil
}

func (t *accounts) store(a *Account) {
	t.mu.Lock()
	defer t.mu.Unlock()
	set := t.set(&a.Wallet)
	victim := &set[0] // an empty slot, else the account received longest ago
	for i := range set {
		switch old, worst := set[i].Load(), victim.Load(); {
		case old != nil && old.Wallet == a.Wallet:
			set[i].Store(a)
			return
		case worst != nil && (old == nil || old.Received < worst.Received):
			victim = &set[i]
		}
	}
	if victim.Load() == nil {
		t.count.Add(1)
	}
	victim.Store(a)
}

// Account returns a wallet's state and its age at now. ok is false when the wallet is not in the cache
// (age is then negative) or its state is older than maxAge.
func (c *Cache) Account(w *Wallet, now Instant, maxAge time.Duration) (a *Account, age time.Duration, ok bool) {
	a = c.accounts.load(w)
	if a == nil {
		return nil, -1, false
	}
	age = max(0, now.Sub(a.Received))
	if age > maxAge {
		return nil, age, false
	}
	return a, age, true
}

// StoreAccount publishes a wallet's state. The caller must not change anything reachable from a
// afterwards. Safe for concurrent use; the loader never reads a wallet twice at once, so each wallet has
// one writer. The assets of its positions count as held as of a.Received (HeldWithin).
func (c *Cache) StoreAccount(a *Account) {
	c.accounts.store(a)
	c.markHeld(a)
}

// Accounts returns the number of wallets in the cache.
func (c *Cache) Accounts() int { return int(c.accounts.count.Load()) }

// Flow is a deposit to what backs a wallet's positions, or, with a negative amount, a withdrawal.
type Flow struct {
	AtMs int64 // ms since 1970
	USD  float64
}
