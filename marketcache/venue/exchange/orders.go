package exchange

import "slices"

// TIF says how long a limit order lives.
type TIF uint8

const (
	GTC            TIF = iota // until it is cancelled
	IOC                       // what does not fill at once is cancelled
	ALO                       // only if it rests: post only
	FrontendMarket            // as IOC, from the venue's web page
)

var tifNames = []string{"Gtc", "Ioc", "Alo", "FrontendMarket"}

func (t TIF) String() string { return tifNames[t] }

// TPSL says on which side of the price a trigger order waits.
type TPSL uint8

const (
	TakeProfit TPSL = iota
	StopLoss
)

var tpslNames = []string{"tp", "sl"}

func (t TPSL) String() string { return tpslNames[t] }

// Order is one order. It has either a TIF or a trigger.
type Order struct {
	Asset      uint32 // the venue's id of the market
	Buy        bool
	Price      Decimal // the limit; of a market trigger the worst price
	Size       Decimal // base units
	ReduceOnly bool
	IsTrigger  bool
	TIF        TIF     // unless IsTrigger
	Trigger    Trigger // if IsTrigger
	HasCloid   bool
	Cloid      Cloid
}

// Trigger is the condition of a trigger order.
type Trigger struct {
	IsMarket bool // becomes a market order, otherwise a limit order
	Price    Decimal
	TPSL     TPSL
}

func (o *Order) fields(v visitor) {
	v.uint32("a", &o.Asset)
	v.bool("b", &o.Buy)
	v.str("p", &o.Price, must)
	v.str("s", &o.Size, must)
	v.bool("r", &o.ReduceOnly)
	v.object("t", (*orderKind)(o), must)
	v.str("c", &o.Cloid, maybe(&o.HasCloid))
}

// Enlarges reports whether the order can open or enlarge a position, or buy a token: reduce-only binds perpetuals only.
func (o *Order) Enlarges() bool { return !o.ReduceOnly || !IsPerp(o.Asset) }

// IsPerp reports whether the asset is a perpetual: of the main dex below 10000, of another from 100000 on. Between
// them are spot pairs, from 100000000 on outcomes.
func IsPerp(asset uint32) bool { return asset < 10_000 || 100_000 <= asset && asset < 100_000_000 }

// orderKind is the member t of an order.
type orderKind Order

func (k *orderKind) fields(v visitor) {
	v.choice(&k.IsTrigger, "limit", (*limitKind)(&k.TIF), "trigger", &k.Trigger)
}

type limitKind TIF

func (k *limitKind) fields(v visitor) { v.word("tif", (*uint8)(k), tifNames) }

func (t *Trigger) fields(v visitor) {
	v.bool("isMarket", &t.IsMarket)
	v.str("triggerPx", &t.Price, must)
	v.word("tpsl", (*uint8)(&t.TPSL), tpslNames)
}

// Grouping says how the orders of an action belong together.
type Grouping uint8

const (
	Ungrouped    Grouping = iota
	NormalTPSL            // the first order is the parent, the others are its children, of the size that it fills
	PositionTPSL          // the children follow the size of the position
	Priority              // ungrouped, with a fee for an earlier place in the block
)

var groupingNames = []string{"na", "normalTpsl", "positionTpsl"}

// PlaceOrders is the action order.
type PlaceOrders struct {
	Orders     []Order
	Grouping   Grouping
	Fee        PriorityFee // if Grouping is Priority
	HasBuilder bool
	Builder    Builder
}

// PriorityFee is a fee for an earlier place in the block.
type PriorityFee struct {
	Rate uint64 // of the notional, 1e-8
}

// Builder is the program that gets a fee of the orders.
type Builder struct {
	Address Address
	Fee     uint64 // tenths of a basis point of the notional
}

func (a *PlaceOrders) Type() string { return "order" }

func (a *PlaceOrders) fields(v visitor) {
	v.list("orders", (*items[Order, *Order])(&a.Orders))
	v.wordOr("grouping", (*uint8)(&a.Grouping), groupingNames, &a.Fee)
	v.object("builder", &a.Builder, maybe(&a.HasBuilder))
}

// Class is NeverEnlarges if all orders only reduce.
func (a *PlaceOrders) Class() Class {
	return classOf(slices.ContainsFunc(a.Orders, func(o Order) bool { return o.Enlarges() }))
}

func (f *PriorityFee) fields(v visitor) { v.uint64("p", &f.Rate, must) }

func (b *Builder) fields(v visitor) {
	v.str("b", &b.Address, must)
	v.uint64("f", &b.Fee, must)
}

// OrderID names an order by the venue's number or by the client's id.
type OrderID struct {
	ByCloid bool
	Number  uint64
	Cloid   Cloid
}

// Modification replaces an order by another.
type Modification struct {
	OID   OrderID
	Order Order
}

func (m *Modification) fields(v visitor) {
	v.orderID("oid", &m.OID)
	v.object("order", &m.Order, must)
}

// Modify replaces one order.
type Modify struct {
	Modification
	Always bool // place the new order even if the old one is gone
}

func (a *Modify) Type() string { return "modify" }

func (a *Modify) fields(v visitor) {
	a.Modification.fields(v)
	v.flag("a", &a.Always)
}

// Class is NeverEnlarges if the new order only reduces.
func (a *Modify) Class() Class { return classOf(a.Order.Enlarges()) }

func classOf(enlarges bool) Class {
	if enlarges {
		return Increase
	}
	return NeverEnlarges
}

// BatchModify replaces orders.
type BatchModify struct {
	Modifies []Modification
	Always   bool // place the new orders even if the old ones are gone
}

func (a *BatchModify) Type() string { return "batchModify" }

func (a *BatchModify) fields(v visitor) {
	v.list("modifies", (*items[Modification, *Modification])(&a.Modifies))
	v.flag("a", &a.Always)
}

// Class is NeverEnlarges if all new orders only reduce.
func (a *BatchModify) Class() Class {
	return classOf(slices.ContainsFunc(a.Modifies, func(m Modification) bool { return m.Order.Enlarges() }))
}

// Cancel cancels orders by the venue's numbers.
type Cancel struct {
	Cancels []CancelID
	Fast    bool // ahead in the block
}

// CancelID is an order by the venue's number.
type CancelID struct {
	Asset uint32
	OID   uint64
}

func (c *CancelID) fields(v visitor) {
	v.uint32("a", &c.Asset)
	v.uint64("o", &c.OID, must)
}

func (a *Cancel) Type() string { return "cancel" }
func (a *Cancel) Class() Class { return NeverEnlarges }

func (a *Cancel) fields(v visitor) {
	v.list("cancels", (*items[CancelID, *CancelID])(&a.Cancels))
	v.flag("f", &a.Fast)
}

// CancelByCloid cancels orders by the client's ids.
type CancelByCloid struct {
	Cancels []CancelCloid
	Fast    bool // ahead in the block
}

// CancelCloid is an order by the client's id.
type CancelCloid struct {
	Asset uint32
	Cloid Cloid
}

func (c *CancelCloid) fields(v visitor) {
	v.uint32("asset", &c.Asset)
	v.str("cloid", &c.Cloid, must)
}

func (a *CancelByCloid) Type() string { return "cancelByCloid" }
func (a *CancelByCloid) Class() Class { return NeverEnlarges }

func (a *CancelByCloid) fields(v visitor) {
	v.list("cancels", (*items[CancelCloid, *CancelCloid])(&a.Cancels))
	v.flag("f", &a.Fast)
}

// ScheduleCancel cancels all orders at a time, or takes such a time back.
type ScheduleCancel struct {
	HasTime bool
	Time    uint64 // milliseconds
}

func (a *ScheduleCancel) Type() string { return "scheduleCancel" }
func (a *ScheduleCancel) Class() Class { return NeverEnlarges }

func (a *ScheduleCancel) fields(v visitor) { v.uint64("time", &a.Time, maybe(&a.HasTime)) }
