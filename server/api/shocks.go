package api

import (
	"cmp"
	"slices"
	"strconv"

	"ballast/compute/risk"
	"ballast/internal/jsonscan"
	"ballast/internal/printable"
	"ballast/marketcache"
)

// MaxShocks is the maximum number of shocks of a request.
const MaxShocks = 64

// everyAsset stands in a request for all assets that are not named.
const everyAsset = "*"

// Shocks is the parsed body of a stress request.
type Shocks struct {
	Wallet  risk.Field[[]byte]
	Trade   BatchTrade       // one element of a batch; Given tells whether there is one
	list    risk.Field[bool] // of the member shocks; without a value
	trade   risk.Field[bool] // of the member trade
	shocks  []shock
	count   int
	unknown [][]byte
}

type shock struct {
	name []byte
	pct  risk.Field[float64]
}

// HasTrade reports whether the request has a trade.
func (b *Shocks) HasTrade() bool { return b.trade.Kind == risk.Given }

// Shocks parses the body of a stress request into b. It returns nil or the first fault that needs no check
// of values.
func (s *Scanner) Shocks(body []byte, b *Shocks) *risk.Reject {
	*b = Shocks{shocks: b.shocks[:0]}
	s.Reset(body)
	s.Object(func(name []byte) { b.read(s, name) })
	if !s.End() {
		return invalidJSON(s)
	}
	b.Trade.Request.Wallet = b.Wallet
	return firstUnknown(b.unknown)
}

// read parses the value of a member.
func (b *Shocks) read(s *Scanner, name []byte) {
	switch object := s.NextKind() == jsonscan.Object; {
	case object && string(name) == "trade":
		b.trade.Kind = risk.Given
		b.Trade = readElement(s)
		return
	case object && string(name) == "shocks":
		b.list.Kind = risk.Given
		s.Members(b.take)
		return
	}
	var v jsonscan.Value
	if !s.Value(&v) {
		return
	}
	switch string(name) {
	case "trade":
		set(&b.trade, &v, jsonscan.Object, false)
	case "shocks":
		set(&b.list, &v, jsonscan.Object, false)
	case "wallet":
		set(&b.Wallet, &v, jsonscan.String, v.Text)
	default:
		b.unknown = keep(b.unknown, name)
	}
}

// take keeps a shock. Those beyond MaxShocks are counted but not kept.
func (b *Shocks) take(name []byte, v *jsonscan.Value) {
	if b.count++; b.count > MaxShocks {
		return
	}
	one := shock{name: name}
	if set(&one.pct, v, jsonscan.Number, v.Number); v.Kind == jsonscan.Null {
		one.pct.Kind, one.pct.Raw = risk.Mistyped, v.Raw
	}
	b.shocks = append(b.shocks, one)
}

// Check applies the rules of a stress request in the order wallet, trade, shocks, and returns the first
// broken rule, or nil. Afterwards Trade.Trade is the trade, if there is one; its Wallet is set in any case.
func (b *Shocks) Check(universe *marketcache.Universe) *risk.Reject {
	return cmp.Or(b.checkWallet(), b.checkTrade(universe), b.checkList(), b.checkEach(universe))
}

func (b *Shocks) checkWallet() *risk.Reject {
	if bad := risk.Required(b.Wallet.Kind, "wallet", "a string"); bad != nil {
		return bad
	}
	var ok bool
	if b.Trade.Trade.Wallet, ok = marketcache.ParseWallet(b.Wallet.Value); !ok {
		return invalid("wallet", "invalid wallet address: "+printable.Text(b.Wallet.Value))
	}
	return nil
}

func (b *Shocks) checkTrade(universe *marketcache.Universe) *risk.Reject {
	switch {
	case b.trade.Kind == risk.Mistyped:
		return risk.Required(b.trade.Kind, "trade", "an object")
	case b.trade.Kind == risk.Absent:
		return nil
	case b.Trade.Bad == nil:
		b.Trade.Bad = b.Trade.Request.Check(universe, &b.Trade.Trade)
	}
	return OfTrade(b.Trade.Bad)
}

// OfTrade returns a fault of the trade in a stress request with its field as a path; nil for nil.
func OfTrade(bad *risk.Reject) *risk.Reject {
	if bad == nil {
		return nil
	}
	of := *bad
	of.Field = inTrade + bad.Field
	return &of
}

const (
	inTrade  = "trade."
	inShocks = "shocks."
)

func (b *Shocks) checkList() *risk.Reject {
	switch {
	case b.list.Kind != risk.Given:
		return risk.Required(b.list.Kind, "shocks", "an object")
	case b.count == 0:
		return invalid("shocks", "shocks is empty")
	case b.count > MaxShocks:
		return invalid("shocks", "max "+strconv.Itoa(MaxShocks)+" shocks")
	}
	return nil
}

func (b *Shocks) checkEach(universe *marketcache.Universe) *risk.Reject {
	for i := range b.shocks {
		if bad := b.shocks[i].check(universe); bad != nil {
			return bad
		}
	}
	return nil
}

func (s *shock) check(universe *marketcache.Universe) *risk.Reject {
	name := printable.Name(s.name)
	switch {
	case !s.listed(universe):
		return invalid(inShocks+name, "invalid asset: "+name)
	case s.pct.Kind == risk.Mistyped:
		return risk.Required(s.pct.Kind, inShocks+name, "a number")
	case !(s.pct.Value > minShockPct && s.pct.Value <= maxShockPct):
		got := printable.Number(s.pct.Value)
		return invalid(inShocks+name, "shock of "+name+" must be above -100 and at most 1000, got "+got)
	}
	return nil
}

const (
	minShockPct = -100.0 // excluded
	maxShockPct = 1000.0
)

// listed reports whether the name is that of a listed asset, or stands for all others.
func (s *shock) listed(universe *marketcache.Universe) bool {
	asset := universe.Asset(universe.Lookup(s.name))
	return string(s.name) == everyAsset || asset != nil && !asset.Delisted
}

func invalid(field, detail string) *risk.Reject {
	return &risk.Reject{Code: CodeValidation, Field: field, Detail: detail}
}

// Moves returns the shocks of the named assets, sorted by name, and that of all others.
func (b *Shocks) Moves() (named []risk.CustomShock, others float64) {
	for i := range b.shocks {
		s := &b.shocks[i]
		if string(s.name) == everyAsset {
			others = s.pct.Value
		} else {
			named = append(named, risk.CustomShock{Asset: string(s.name), Pct: s.pct.Value})
		}
	}
	slices.SortFunc(named, func(a, b risk.CustomShock) int { return cmp.Compare(a.Asset, b.Asset) })
	return named, others
}
