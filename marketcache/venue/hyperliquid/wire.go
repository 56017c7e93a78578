package hyperliquid

import "github.com/goccy/go-json"

// The structs of this file are the venue's JSON, whole: the simulated venue writes them, and
// others ask with them. The adapter itself parses what it uses and nothing else (parse*.go).
// Field order is the order in which the venue prints the keys.
//
// Numbers. Prices, sizes, rates and amounts are decimal strings ("64641.0"); times,
// digits, leverages, counts and ids are JSON numbers. A field that the venue may give
// as null is a pointer (or a slice, where nil is null). A flag that is absent is
// false. Sizes are base units, amounts USD, rates fractions, times ms since 1970 UTC.
//
// Tuples. An array of two different values is a struct with methods that write and read it.

// Meta is the answer to {"type":"meta"}: the assets of one dex.
type Meta struct {
	Universe        []UniverseAsset    `json:"universe"`
	MarginTables    []NamedMarginTable `json:"marginTables"` // absent in answers of 2023
	CollateralToken int                `json:"collateralToken"`
}

// UniverseAsset is one perpetual as listed. Its place in Meta.Universe is its index,
// which contexts refer to by position alone.
type UniverseAsset struct {
	SzDecimals    int    `json:"szDecimals"` // sizes are multiples of 10^-SzDecimals
	Name          string `json:"name"`
	MaxLeverage   int    `json:"maxLeverage"`
	MarginTableID int    `json:"marginTableId"` // below 50: one tier, max leverage = id, not in MarginTables
	OnlyIsolated  bool   `json:"onlyIsolated,omitempty"`
	IsDelisted    bool   `json:"isDelisted,omitempty"`
	MarginMode    string `json:"marginMode,omitempty"` // "", "strictIsolated" or "noCross"
	GrowthMode    string `json:"growthMode,omitempty"` // "" or "enabled"
	// Builder-deployed dexes only. LastFeeScaleChangeTime is RFC 3339 without a zone, UTC.
	LastFeeScaleChangeTime string `json:"lastFeeScaleChangeTime,omitempty"`
	DeployerFeeScale       string `json:"deployerFeeScale,omitempty"`
}

// MarginTable is a margin table, the answer to {"type":"marginTable"}.
type MarginTable struct {
	Description string       `json:"description"`
	MarginTiers []MarginTier `json:"marginTiers"` // rising
}

// MarginTier is one bracket: from LowerBound USD of notional on, MaxLeverage.
type MarginTier struct {
	LowerBound  string `json:"lowerBound"`
	MaxLeverage int    `json:"maxLeverage"`
}

// NamedMarginTable is the wire's tuple [id, table].
type NamedMarginTable struct {
	ID    int
	Table MarginTable
}

func (t NamedMarginTable) MarshalJSON() ([]byte, error)  { return json.Marshal([]any{t.ID, t.Table}) }
func (t *NamedMarginTable) UnmarshalJSON(b []byte) error { return decodePair(b, &t.ID, &t.Table) }

// AssetContext is the running state of one asset ("context").
type AssetContext struct {
	Funding      string   `json:"funding"`      // rate building up in this hour, fraction per hour
	OpenInterest string   `json:"openInterest"` // base units, one side
	PrevDayPx    string   `json:"prevDayPx"`
	DayNtlVlm    string   `json:"dayNtlVlm"` // USD
	Premium      *string  `json:"premium"`   // fraction; null when delisted or halted
	OraclePx     string   `json:"oraclePx"`
	MarkPx       string   `json:"markPx"`
	MidPx        *string  `json:"midPx"`                // null when a side of the book is empty
	ImpactPxs    []string `json:"impactPxs"`            // [impact bid, impact ask] or null
	DayBaseVlm   string   `json:"dayBaseVlm,omitempty"` // base units; absent in older answers
}

// MetaAndContexts is the answer to {"type":"metaAndAssetCtxs"}: the tuple
// [meta, contexts]; Contexts[i] belongs to Meta.Universe[i].
type MetaAndContexts struct {
	Meta     Meta
	Contexts []AssetContext
}

func (m MetaAndContexts) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{m.Meta, m.Contexts})
}
func (m *MetaAndContexts) UnmarshalJSON(b []byte) error { return decodePair(b, &m.Meta, &m.Contexts) }

// Book is an l2Book answer or push; a null answer means an unknown coin. Levels[0]
// are the bids, Levels[1] the asks, best first, at most 20 each.
type Book struct {
	Coin   string         `json:"coin"`
	Time   int64          `json:"time"`
	Levels [2][]BookLevel `json:"levels"`
	// Spread is the true spread in USD; aggregated books only.
	Spread string `json:"spread,omitempty"`
	// Fast is true on frames of a subscription with "fast", which have five levels.
	Fast bool `json:"fast,omitempty"`
}

// BookLevel is one price level.
type BookLevel struct {
	Px string `json:"px"`
	Sz string `json:"sz"`
	N  int    `json:"n"` // number of orders
}

// BestBidOffer is the push of the bbo subscription; a missing side is null.
type BestBidOffer struct {
	Coin string        `json:"coin"`
	Time int64         `json:"time"`
	BBO  [2]*BookLevel `json:"bbo"`
}

// WireTrade is one element of a trades push.
type WireTrade struct {
	Coin  string    `json:"coin"`
	Side  string    `json:"side"` // of the aggressor: "B" buy, "A" sell
	Px    string    `json:"px"`
	Sz    string    `json:"sz"`
	Time  int64     `json:"time"`
	Hash  string    `json:"hash"`
	Tid   int64     `json:"tid"`
	Users [2]string `json:"users"` // buyer, seller
}

// Candle is one bar. The newest bar of an answer is still forming.
type Candle struct {
	OpenMs  int64  `json:"t"`
	CloseMs int64  `json:"T"` // last ms of the bar
	Coin    string `json:"s"`
	Period  string `json:"i"` // "1h"
	Open    string `json:"o"`
	Close   string `json:"c"`
	High    string `json:"h"`
	Low     string `json:"l"`
	Volume  string `json:"v"` // base units
	Trades  int    `json:"n"`
}

// WireFundingRow is one paid hourly funding rate, oldest first in an answer.
type WireFundingRow struct {
	Coin        string `json:"coin"`
	FundingRate string `json:"fundingRate"`       // fraction per hour
	Premium     string `json:"premium,omitempty"` // missing on old rows
	Time        int64  `json:"time"`
}

// CoinFundings is one element of the predictedFundings answer, the tuple
// [coin, [[venue, rate or null], …]].
type CoinFundings struct {
	Coin   string
	Venues []VenueFunding
}

func (c CoinFundings) MarshalJSON() ([]byte, error)  { return json.Marshal([]any{c.Coin, c.Venues}) }
func (c *CoinFundings) UnmarshalJSON(b []byte) error { return decodePair(b, &c.Coin, &c.Venues) }

// VenueFunding is the tuple [venue, rate or null]; Venue is "BinPerp", "HlPerp" or
// "BybitPerp".
type VenueFunding struct {
	Venue string
	Rate  *PredictedRate // nil: that venue does not list the coin
}

func (v VenueFunding) MarshalJSON() ([]byte, error)  { return json.Marshal([]any{v.Venue, v.Rate}) }
func (v *VenueFunding) UnmarshalJSON(b []byte) error { return decodePair(b, &v.Venue, &v.Rate) }

// PredictedRate is a venue's next funding. The rate is per interval: divide by
// FundingIntervalHours before comparing.
type PredictedRate struct {
	FundingRate          string `json:"fundingRate"`
	NextFundingTime      int64  `json:"nextFundingTime"`
	FundingIntervalHours int    `json:"fundingIntervalHours,omitempty"`
}

// ClearinghouseState is a wallet's perps account on one dex.
type ClearinghouseState struct {
	MarginSummary              MarginSummary   `json:"marginSummary"`
	CrossMarginSummary         MarginSummary   `json:"crossMarginSummary"`
	CrossMaintenanceMarginUsed string          `json:"crossMaintenanceMarginUsed"`
	Withdrawable               string          `json:"withdrawable"`
	AssetPositions             []AssetPosition `json:"assetPositions"`
	Time                       int64           `json:"time"` // absent in answers of 2023
}

// MarginSummary is a wallet's totals in USD: AccountValue = TotalRawUsd + sum of
// szi*mark.
type MarginSummary struct {
	AccountValue    string `json:"accountValue"`
	TotalNtlPos     string `json:"totalNtlPos"`
	TotalRawUsd     string `json:"totalRawUsd"`
	TotalMarginUsed string `json:"totalMarginUsed"`
}

// AssetPosition wraps a position; Type is always "oneWay".
type AssetPosition struct {
	Type     string       `json:"type"`
	Position WirePosition `json:"position"`
}

// WirePosition is one open position as printed.
type WirePosition struct {
	Coin           string     `json:"coin"`
	Szi            string     `json:"szi"` // base units, signed: long positive
	Leverage       Leverage   `json:"leverage"`
	EntryPx        string     `json:"entryPx"`
	PositionValue  string     `json:"positionValue"` // |szi| * mark
	UnrealizedPnl  string     `json:"unrealizedPnl"`
	ReturnOnEquity string     `json:"returnOnEquity"`
	LiquidationPx  *string    `json:"liquidationPx"` // null: no positive root, not "missing"
	MarginUsed     string     `json:"marginUsed"`
	MaxLeverage    int        `json:"maxLeverage"` // may differ from the asset's
	CumFunding     CumFunding `json:"cumFunding"`
}

// Leverage is a wallet's setting in an asset. RawUsd (isolated only) is the
// position's cash: equity = rawUsd + szi*mark.
type Leverage struct {
	Type   string `json:"type"` // "cross" or "isolated"
	Value  int    `json:"value"`
	RawUsd string `json:"rawUsd,omitempty"`
}

// CumFunding is funding in USD; positive means that the position paid.
type CumFunding struct {
	AllTime     string `json:"allTime"`
	SinceOpen   string `json:"sinceOpen"`
	SinceChange string `json:"sinceChange"`
}

// SpotClearinghouseState is a wallet's spot balances. TokenToAvailable is there for
// wallets whose perps share one collateral over all dexes (unified account, portfolio
// margin) and only for them; the fields before and after it belong to portfolio margin.
type SpotClearinghouseState struct {
	Balances               []SpotBalance `json:"balances"`
	PortfolioMarginEnabled bool          `json:"portfolioMarginEnabled,omitempty"`
	PortfolioMarginRatio   string        `json:"portfolioMarginRatio,omitempty"`
	TokenToAvailable       []TokenAmount `json:"tokenToAvailableAfterMaintenance,omitempty"`
	TokenToBorrowRatio     []TokenAmount `json:"tokenToPortfolioBorrowRatio,omitempty"`
	TokenToSupplyRatio     []TokenAmount `json:"tokenToPortfolioSupplyRatio,omitempty"`
}

// SpotBalance is one token's balance. Where perps are backed by it, Total holds their
// unrealised PnL and Hold is the sum of accountValue over the dexes.
type SpotBalance struct {
	Coin     string `json:"coin"`
	Token    *int   `json:"token,omitempty"` // 0 is USDC; absent for outcomes ("+14880")
	Total    string `json:"total"`           // negative: borrowed
	Hold     string `json:"hold"`
	EntryNtl string `json:"entryNtl"`
	// Portfolio margin only.
	SpotHold string `json:"spotHold,omitempty"`
	LTV      string `json:"ltv,omitempty"`
	Borrowed string `json:"borrowed,omitempty"`
	Supplied string `json:"supplied,omitempty"`
}

// TokenAmount is the tuple [token, "amount"].
type TokenAmount struct {
	Token  int
	Amount string
}

func (t TokenAmount) MarshalJSON() ([]byte, error)  { return json.Marshal([]any{t.Token, t.Amount}) }
func (t *TokenAmount) UnmarshalJSON(b []byte) error { return decodePair(b, &t.Token, &t.Amount) }

// UserFees is a wallet's fee rates as fractions. UserCrossRate (taker) and
// UserAddRate (maker) hold the volume tier and the staking discount already, the
// referral discount not.
type UserFees struct {
	DailyUserVlm           []DailyVolume   `json:"dailyUserVlm"`
	FeeSchedule            FeeSchedule     `json:"feeSchedule"`
	UserCrossRate          string          `json:"userCrossRate"`
	UserAddRate            string          `json:"userAddRate"`
	UserSpotCrossRate      string          `json:"userSpotCrossRate"`
	UserSpotAddRate        string          `json:"userSpotAddRate"`
	ActiveReferralDiscount string          `json:"activeReferralDiscount"`
	Trial                  json.RawMessage `json:"trial"` // null without one
	FeeTrialEscrow         string          `json:"feeTrialEscrow"`
	NextTrialAvailable     *int64          `json:"nextTrialAvailableTimestamp"`
	StakingLink            json.RawMessage `json:"stakingLink"` // null without one
	ActiveStakingDiscount  StakingDiscount `json:"activeStakingDiscount"`
}

// DailyVolume is one day's traded notional in USD.
type DailyVolume struct {
	Date      string `json:"date"` // 2026-11-21
	UserCross string `json:"userCross"`
	UserAdd   string `json:"userAdd"`
	Exchange  string `json:"exchange"`
}

// FeeSchedule is the venue's schedule; Cross and Add are the base perps rates.
type FeeSchedule struct {
	Cross                string            `json:"cross"`
	Add                  string            `json:"add"`
	SpotCross            string            `json:"spotCross"`
	SpotAdd              string            `json:"spotAdd"`
	Tiers                FeeTiers          `json:"tiers"`
	ReferralDiscount     string            `json:"referralDiscount"`
	StakingDiscountTiers []StakingDiscount `json:"stakingDiscountTiers"`
}

// FeeTiers holds the volume tiers and the maker rebates.
type FeeTiers struct {
	VIP []VIPTier `json:"vip"`
	MM  []MMTier  `json:"mm"`
}

// VIPTier applies from NtlCutoff USD of 14-day volume on.
type VIPTier struct {
	NtlCutoff string `json:"ntlCutoff"`
	Cross     string `json:"cross"`
	Add       string `json:"add"`
	SpotCross string `json:"spotCross"`
	SpotAdd   string `json:"spotAdd"`
}

// MMTier is a maker rebate from a share of the venue's maker volume on.
type MMTier struct {
	MakerFractionCutoff string `json:"makerFractionCutoff"`
	Add                 string `json:"add"`
}

// StakingDiscount is a fee discount (fraction) from a staked share of supply on.
type StakingDiscount struct {
	BpsOfMaxSupply string `json:"bpsOfMaxSupply"`
	Discount       string `json:"discount"`
}

// ActiveAssetData is a wallet's setting and room in one asset; pairs are [buy, sell].
type ActiveAssetData struct {
	User             string    `json:"user"`
	Coin             string    `json:"coin"`
	Leverage         Leverage  `json:"leverage"`
	MaxTradeSzs      [2]string `json:"maxTradeSzs"`      // base units
	AvailableToTrade [2]string `json:"availableToTrade"` // USD
	MarkPx           string    `json:"markPx"`
}

// PerpDex is one builder-deployed dex; element 0 of the perpDexs answer is null and
// stands for the main dex.
type PerpDex struct {
	Name                       string         `json:"name"`
	FullName                   string         `json:"fullName"`
	Deployer                   string         `json:"deployer"`
	OracleUpdater              *string        `json:"oracleUpdater"`
	FeeRecipient               *string        `json:"feeRecipient"`
	AssetToStreamingOiCap      [][2]string    `json:"assetToStreamingOiCap"` // [coin, USD]
	SubDeployers               []SubDeployers `json:"subDeployers"`
	AssetToFundingMultiplier   [][2]string    `json:"assetToFundingMultiplier"`   // 1 for others
	AssetToFundingInterestRate [][2]string    `json:"assetToFundingInterestRate"` // of 8 h; 0.0001 for others
	AssetToFundingClamp        [][2]string    `json:"assetToFundingClamp"`        // 0.0003 for others
}

// SubDeployers is the tuple [function, [address, …]].
type SubDeployers struct {
	Function  string
	Executors []string
}

func (s SubDeployers) MarshalJSON() ([]byte, error) {
	return json.Marshal([]any{s.Function, s.Executors})
}
func (s *SubDeployers) UnmarshalJSON(b []byte) error { return decodePair(b, &s.Function, &s.Executors) }

// PerpDexLimits are the open-interest caps of a builder-deployed dex, USD and units.
type PerpDexLimits struct {
	TotalOiCap     string      `json:"totalOiCap"`
	OiSzCapPerPerp string      `json:"oiSzCapPerPerp"`
	MaxTransferNtl string      `json:"maxTransferNtl"`
	CoinToOiCap    [][2]string `json:"coinToOiCap"`
}

// ExchangeStatus is the venue's clock and notices.
type ExchangeStatus struct {
	Time            int64   `json:"time"`
	SpecialStatuses *string `json:"specialStatuses"`
}

// UserRateLimit is a wallet's budget of actions (not of info requests).
type UserRateLimit struct {
	CumVlm        string `json:"cumVlm"`
	NRequestsUsed int64  `json:"nRequestsUsed"`
	NRequestsCap  int64  `json:"nRequestsCap"`
	// NRequestsSurplus is in newer answers only.
	NRequestsSurplus int64 `json:"nRequestsSurplus"`
}

// UserRole is {"role":"user"|"agent"|"vault"|"subAccount"|"missing"}.
type UserRole struct {
	Role string `json:"role"`
}

// InfoRequest is the body of POST /info: the union of the fields of all its types.
type InfoRequest struct {
	Type      string         `json:"type"`
	Dex       string         `json:"dex,omitempty"`
	Coin      string         `json:"coin,omitempty"`
	User      string         `json:"user,omitempty"`
	NSigFigs  *int           `json:"nSigFigs,omitempty"` // 2..5; nil is full precision
	Mantissa  *int           `json:"mantissa,omitempty"` // 2 or 5, with NSigFigs 5 only
	Req       *CandleRequest `json:"req,omitempty"`
	ID        *int           `json:"id,omitempty"`
	StartTime *int64         `json:"startTime,omitempty"`
	EndTime   *int64         `json:"endTime,omitempty"`
}

// CandleRequest is the req of a candleSnapshot.
type CandleRequest struct {
	Coin      string `json:"coin"`
	Interval  string `json:"interval"`
	StartTime int64  `json:"startTime"`
	EndTime   *int64 `json:"endTime,omitempty"`
}

// The channel names of frames that are not subscriptions.
const (
	ChannelSubscribed = "subscriptionResponse"
	ChannelError      = "error"
	ChannelPong       = "pong"
	ChannelPost       = "post"
	// Greeting is the first text frame of a connection; it is not JSON.
	Greeting = "Websocket connection established."
)

// ClientFrame is what a client sends over the socket; Method is "subscribe",
// "unsubscribe", "ping" or "post".
type ClientFrame struct {
	Method       string          `json:"method"`
	Subscription json.RawMessage `json:"subscription,omitempty"`
	ID           *int64          `json:"id,omitempty"`
	Request      *PostRequest    `json:"request,omitempty"`
}

// PostRequest is an info request sent over the socket; Type is "info".
type PostRequest struct {
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload"`
}

// Subscription names a stream; the union of the fields of all types.
type Subscription struct {
	Type            string `json:"type"`
	Coin            string `json:"coin,omitempty"`
	User            string `json:"user,omitempty"`
	Dex             string `json:"dex,omitempty"`
	Interval        string `json:"interval,omitempty"`
	NSigFigs        *int   `json:"nSigFigs,omitempty"`
	Mantissa        *int   `json:"mantissa,omitempty"`
	Fast            bool   `json:"fast,omitempty"`
	AggregateByTime *bool  `json:"aggregateByTime,omitempty"`
}

// SubscriptionAck is the data of a subscriptionResponse frame. Subscription is the
// one asked for with the server's defaults filled in.
type SubscriptionAck struct {
	Method       string          `json:"method"`
	Subscription json.RawMessage `json:"subscription"`
}

// PostAnswer is the data of a post frame; Response.Type is "info" or "error", and an
// error's payload is a JSON string.
type PostAnswer struct {
	ID       int64 `json:"id"`
	Response struct {
		Type    string          `json:"type"`
		Payload json.RawMessage `json:"payload"`
	} `json:"response"`
}

// AllMids is the data of an allMids frame (REST answers the map alone). Keys of other
// kinds ("@107", "PURR/USDC", "#14880") share the map on the main dex.
type AllMids struct {
	Mids map[string]string `json:"mids"`
	Dex  string            `json:"dex,omitempty"`
}

// CoinContext is the data of an activeAssetCtx frame.
type CoinContext struct {
	Coin string       `json:"coin"`
	Ctx  AssetContext `json:"ctx"`
}

// AllDexsContexts is the data of an allDexsAssetCtxs frame.
type AllDexsContexts struct {
	Ctxs []DexContexts `json:"ctxs"`
}

// DexContexts is the tuple [dex, contexts], contexts in the order of that dex's
// universe; "" is the main dex.
type DexContexts struct {
	Dex      string
	Contexts []AssetContext
}

func (d DexContexts) MarshalJSON() ([]byte, error)  { return json.Marshal([]any{d.Dex, d.Contexts}) }
func (d *DexContexts) UnmarshalJSON(b []byte) error { return decodePair(b, &d.Dex, &d.Contexts) }

// FastContext is a coin's part of a fastAssetCtxs frame, whose data is a JSON string:
// base64 of raw DEFLATE of {"coin":{…}}. The first frame has all coins of all dexes, the
// later ones those that have changed, with the fields that have; a midPx of null says
// that a side of the book is empty.
type FastContext struct {
	MarkPx string          `json:"markPx,omitempty"`
	MidPx  json.RawMessage `json:"midPx,omitempty"` // a string or null; absent: unchanged
}

// ClearinghouseFrame is the data of a clearinghouseState frame.
type ClearinghouseFrame struct {
	Dex                string             `json:"dex"`
	User               string             `json:"user"`
	ClearinghouseState ClearinghouseState `json:"clearinghouseState"`
}

// AllDexsClearinghouseFrame is the data of an allDexsClearinghouseState frame.
type AllDexsClearinghouseFrame struct {
	User   string     `json:"user"`
	States []DexState `json:"clearinghouseStates"`
}

// DexState is the tuple [dex, state].
type DexState struct {
	Dex   string
	State ClearinghouseState
}

func (d DexState) MarshalJSON() ([]byte, error)  { return json.Marshal([]any{d.Dex, d.State}) }
func (d *DexState) UnmarshalJSON(b []byte) error { return decodePair(b, &d.Dex, &d.State) }

// SpotFrame is the data of a spotState frame.
type SpotFrame struct {
	User      string                 `json:"user"`
	SpotState SpotClearinghouseState `json:"spotState"`
}

// WebData3 is the data of a webData3 frame, as far as it is of use here.
type WebData3 struct {
	UserState     WebData3User   `json:"userState"`
	PerpDexStates []PerpDexState `json:"perpDexStates"` // by dex index
}

// WebData3User is the wallet's part of WebData3.
type WebData3User struct {
	AgentAddress    *string `json:"agentAddress"`
	AgentValidUntil *int64  `json:"agentValidUntil"`
	CumLedger       string  `json:"cumLedger"`
	ServerTime      int64   `json:"serverTime"`
	IsVault         bool    `json:"isVault"`
	User            string  `json:"user"`
	Abstraction     string  `json:"abstraction,omitempty"`
}

// PerpDexState is one dex's part of WebData3.
type PerpDexState struct {
	TotalVaultEquity       string   `json:"totalVaultEquity"`
	PerpsAtOpenInterestCap []string `json:"perpsAtOpenInterestCap,omitempty"`
	LeadingVaults          []string `json:"leadingVaults"`
}
