package exchange

// Form is an action of one type. The forms of this package are the only ones: those whose members matter to somebody,
// and the plain ones (plain.go).
type Form interface {
	object
	// Type is the member type of the action.
	Type() string
	// Class is what the action can do.
	Class() Class
}

// Action is what a client asks the venue to do.
type Action struct{ Form Form }

// Class is what an action can do to an account.
type Class uint8

const (
	ClassUnknown     Class = iota // a type that is not known here, so anything
	Increase                      // opens or enlarges a position
	NeverEnlarges                 // cancels, reduces, adds margin, or does nothing. A cancel can take a stop away
	Margin                        // changes margin without an order: leverage, mode, margin taken out
	Funds                         // moves collateral
	Signers                       // changes who may sign or charge fees
	AbstractionClass              // changes how the account's collateral is pooled
	Cost                          // only costs money
)

var classNames = [...]string{ClassUnknown: "unknown", Increase: "increase", NeverEnlarges: "never_enlarges",
	Margin: "margin", Funds: "funds", Signers: "signers", AbstractionClass: "abstraction", Cost: "cost"}

func (c Class) String() string { return classNames[c] }

// Type returns the member type.
func (a *Action) Type() string { return a.Form.Type() }

// Class returns what the action can do. That of a multi-sig action is the class of the action in it.
func (a *Action) Class() Class { return a.Form.Class() }

// Inner returns the action that the venue carries out: of a multi-sig action the one in it.
func (a *Action) Inner() *Action {
	if m, ok := a.Form.(*MultiSig); ok {
		return &m.Payload.Action
	}
	return a
}

// UserSigned reports whether only the owner of an account may sign the action, not an agent.
func (a *Action) UserSigned() bool {
	_, is := a.Inner().Form.(userSigned)
	return is
}

// Elements returns the number of orders or cancellations in the action's list, at least 1.
func (a *Action) Elements() (n int) {
	switch f := a.Inner().Form.(type) {
	case *PlaceOrders:
		n = len(f.Orders)
	case *BatchModify:
		n = len(f.Modifies)
	case *Cancel:
		n = len(f.Cancels)
	case *CancelByCloid:
		n = len(f.Cancels)
	}
	return max(n, 1)
}

// AppendOrders appends the orders that the action places, in order, those of modifications included. A TWAP and a
// trailing stop are orders of their whole size without a price.
func (a *Action) AppendOrders(orders []Order) []Order {
	switch f := a.Inner().Form.(type) {
	case *PlaceOrders:
		orders = append(orders, f.Orders...)
	case *Modify:
		orders = append(orders, f.Order)
	case *BatchModify:
		for i := range f.Modifies {
			orders = append(orders, f.Modifies[i].Order)
		}
	case *TWAPOrder:
		t := &f.TWAP
		orders = append(orders, Order{Asset: t.Asset, Buy: t.Buy, Size: t.Size, ReduceOnly: t.ReduceOnly, TIF: IOC})
	case *TrailingStop:
		orders = append(orders, Order{Asset: f.Asset, Buy: f.Buy, Size: f.Size, ReduceOnly: f.ReduceOnly, TIF: IOC})
	}
	return orders
}

// known has a function for each type of action that makes an empty form.
var known = make(map[string]func() Form)

func register[T any, P interface {
	*T
	Form
}]() {
	known[P(new(T)).Type()] = func() Form { return P(new(T)) }
}

func init() {
	register[PlaceOrders]()
	register[Modify]()
	register[BatchModify]()
	register[Cancel]()
	register[CancelByCloid]()
	register[ScheduleCancel]()
	register[TWAPOrder]()
	register[TWAPCancel]()
	register[TrailingStop]()
	register[UpdateLeverage]()
	register[UpdateIsolatedMargin]()
	register[USDClassTransfer]()
	register[VaultTransfer]()
	register[USDSend]()
	register[Withdraw]()
	register[ApproveAgent]()
	register[MultiSig]()
	register[CreateSubAccount]()
	register[Noop]()
	for i := range plainRows {
		known[plainRows[i].typ] = plainRows[i].form
	}
}
