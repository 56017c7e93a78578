package risk

import (
	"cmp"
	"math"
	"slices"

	"ballast/internal/printable"
	mc "ballast/marketcache"
)

// Action is what the requester wants to do.
type Action uint8

const (
	ActionLong Action = iota
	ActionShort
	ActionClose
)

// String returns long, short or close.
func (a Action) String() string { return [...]string{"long", "short", "close"}[a] }

// Mode is a margin mode.
type Mode uint8

const (
	Cross Mode = iota
	Isolated
)

// String returns cross or isolated.
func (m Mode) String() string { return [...]string{"cross", "isolated"}[m] }

// Trade is a request that has passed every rule of Check.
type Trade struct {
	Wallet  mc.Wallet
	Asset   mc.AssetID
	Action  Action
	SizeUSD float64 // > 0, at most MaxSizeUSD; with SizeCoin set by the snapshot
	// SizeCoin is the size in base units, 0 when the request gave it in USD.
	SizeCoin float64
	// Leverage is the requested leverage, 0 when the request gave none.
	Leverage float64
	Mode     Mode
	// ModeGiven: the request named the mode.
	ModeGiven  bool
	Order      Order
	MonteCarlo bool
}

// Kind is the type of a decoded request field.
type Kind uint8

const (
	Absent Kind = iota // missing, or null where null equals missing
	Given
	Mistyped // a value of another JSON type
)

// Field is a decoded request field. Bytes are valid only as long as the request body.
type Field[T []byte | float64 | bool] struct {
	Kind  Kind
	Value T
	// Raw is the JSON text of a value of another type; nil otherwise.
	Raw []byte
}

// Request is a decoded validation request, not yet checked.
type Request struct {
	Wallet, Asset, Action, Mode Field[[]byte]
	Size, SizeCoin, Leverage    Field[float64]
	Order                       OrderRequest
	MonteCarlo                  Field[bool]
	Unknown                     [][]byte // names of members that are no field
}

// MaxSizeUSD is the largest size in a request.
const MaxSizeUSD = 100_000_000

// Reject describes a broken rule. Code is stable, Detail is a sentence with the offending value. Field
// is the name of the field in the request, "" when the whole body is meant.
type Reject struct {
	Code   string
	Field  string
	Detail string
	// Bound is what the number must stay below, or above; 0: no such bound.
	Bound float64
	Above bool
}

// CodeValidation is the code of every Reject of Check.
const CodeValidation = "validation_error"

// Check applies every rule of a validation request, in the order wallet, size, action,
// asset, leverage, mode, order, and fills t. It returns the first broken rule, or nil.
func (r *Request) Check(universe *mc.Universe, t *Trade) *Reject {
	*t = Trade{}
	broken := r.broken(universe, t)
	return cmp.Or(broken[:]...)
}

// Problems returns every unknown field, then every broken rule in the order of Check.
func (r *Request) Problems(universe *mc.Universe) (all []*Reject) {
	var t Trade
	for _, name := range r.Unknown {
		all = append(all, UnknownField(name))
	}
	broken := r.broken(universe, &t)
	return slices.DeleteFunc(append(all, broken[:]...), func(r *Reject) bool { return r == nil })
}

// broken applies every rule, fills t, and has nil for each rule that holds. With an unknown asset it leaves out
// what depends on the asset.
func (r *Request) broken(universe *mc.Universe, t *Trade) (all [8]*Reject) {
	all[0], all[1], all[2] = r.checkWallet(t), r.checkSize(t), r.checkAction(t)
	asset, bad := r.checkAsset(universe, t)
	all[6] = r.checkOrder(t) // a reduce-only order may have any mode
	all[3], all[4], all[5] = bad, r.checkLeverage(asset, t), r.checkMode(asset, t)
	if t.MonteCarlo = r.MonteCarlo.Value; r.MonteCarlo.Kind == Mistyped {
		all[7] = mistyped("monte_carlo", "a boolean")
	}
	return all
}

func (r *Request) checkWallet(t *Trade) *Reject {
	if bad := Required(r.Wallet.Kind, "wallet", "a string"); bad != nil {
		return bad
	}
	var ok bool
	if t.Wallet, ok = mc.ParseWallet(r.Wallet.Value); !ok {
		return reject("wallet", "invalid wallet address: "+printable.Text(r.Wallet.Value))
	}
	return nil
}

func (r *Request) checkSize(t *Trade) *Reject {
	switch {
	case r.SizeCoin.Kind == Absent:
	case r.Size.Kind != Absent:
		return reject("size_coin", "size and size_coin are both given, want one of them")
	case r.SizeCoin.Kind == Mistyped:
		return mistyped("size_coin", "a number")
	default:
		if t.SizeCoin = r.SizeCoin.Value; !(t.SizeCoin > 0) {
			return reject("size_coin", "size_coin must be positive, got "+printable.Number(t.SizeCoin))
		}
		return nil
	}
	if bad := Required(r.Size.Kind, "size", "a number"); bad != nil {
		return bad
	}
	if t.SizeUSD = r.Size.Value; !(t.SizeUSD > 0) {
		return reject("size", "size must be positive, got "+printable.Number(t.SizeUSD))
	}
	return t.TooLarge()
}

// TooLarge returns the Reject for a size above MaxSizeUSD, nil otherwise. A size in coins is known in USD
// only after the snapshot.
func (t *Trade) TooLarge() *Reject {
	if t.SizeUSD <= MaxSizeUSD {
		return nil
	}
	field, coins := "size", ""
	if t.SizeCoin > 0 {
		field, coins = "size_coin", "size_coin "+printable.Number(t.SizeCoin)+": "
	}
	return reject(field,
		coins+"size "+printable.Number(t.SizeUSD)+" exceeds maximum allowed "+printable.Number(MaxSizeUSD))
}

func (r *Request) checkAction(t *Trade) *Reject {
	if bad := Required(r.Action.Kind, "action", "a string"); bad != nil {
		return bad
	}
	switch string(r.Action.Value) {
	case "long":
		t.Action = ActionLong
	case "short":
		t.Action = ActionShort
	case "close":
		t.Action = ActionClose
	default:
		return reject("action", "invalid action: "+printable.Text(r.Action.Value)+" (want long, short or close)")
	}
	return nil
}

func (r *Request) checkAsset(universe *mc.Universe, t *Trade) (*mc.Asset, *Reject) {
	if bad := Required(r.Asset.Kind, "asset", "a string"); bad != nil {
		return nil, bad
	}
	t.Asset = universe.Lookup(r.Asset.Value)
	asset := universe.Asset(t.Asset)
	if asset == nil {
		return nil, reject("asset", "invalid asset: "+printable.Text(r.Asset.Value))
	}
	if asset.Delisted {
		return nil, reject("asset", "asset "+asset.Name+" is delisted and cannot be traded")
	}
	return asset, nil
}

// checkLeverage leaves out the asset's maximum when the asset is not known (nil).
func (r *Request) checkLeverage(asset *mc.Asset, t *Trade) *Reject {
	switch r.Leverage.Kind {
	case Absent:
		return nil
	case Mistyped:
		return mistyped("leverage", "a number")
	}
	t.Leverage = r.Leverage.Value
	switch {
	case !(t.Leverage >= 1):
		return reject("leverage", "leverage must be at least 1, got "+printable.Number(t.Leverage))
	case asset != nil && t.Leverage > asset.MaxLeverage:
		return reject("leverage",
			"leverage "+printable.Number(t.Leverage)+" exceeds maximum "+printable.Number(asset.MaxLeverage))
	}
	return nil
}

// checkMode checks the margin mode and enters it into t. Whether the asset allows that mode is checked only
// when the asset is known (not nil).
func (r *Request) checkMode(asset *mc.Asset, t *Trade) *Reject {
	switch r.Mode.Kind {
	case Mistyped:
		return mistyped("mode", "a string")
	case Given:
		t.ModeGiven = true
		switch string(r.Mode.Value) {
		case "cross":
		case "isolated":
			t.Mode = Isolated
		default:
			return reject("mode", "invalid mode: "+printable.Text(r.Mode.Value)+" (want cross or isolated)")
		}
	}
	// An exit keeps its position's mode: exits are never blocked.
	if asset != nil && asset.OnlyIsolated && t.Mode == Cross && !t.Exits() {
		return reject("mode", "asset "+asset.Name+" only supports isolated margin mode")
	}
	return nil
}

// Required returns the Reject for a required field that is missing or of another type than typ ("a string"),
// nil otherwise.
func Required(k Kind, field, typ string) *Reject {
	switch k {
	case Absent:
		return reject(field, "missing field: "+field)
	case Mistyped:
		return mistyped(field, typ)
	}
	return nil
}

func mistyped(field, typ string) *Reject { return reject(field, "field "+field+" must be "+typ) }

func reject(field, detail string) *Reject {
	return &Reject{Code: CodeValidation, Field: field, Detail: detail}
}

// UnknownField is the Reject for a key that requests do not have.
func UnknownField(name []byte) *Reject {
	field := printable.Name(name)
	return reject(field, "unknown field: "+field)
}

// mayIncrease reports whether the trade may increase a position of the account, at a mark and the asset's
// smallest step in coins: a trade against the position of less than a lot more closes it.
func (t *Trade) mayIncrease(account *mc.Account, mark, lot float64) bool {
	i := account.PositionIn(t.Asset)
	if t.Exits() || i < 0 {
		return !t.Exits()
	}
	units := account.Positions[i].Units
	return (t.Action == ActionLong) == (units > 0) || !withinLot(math.Abs(units), t.SizeUSD/mark, lot)
}
