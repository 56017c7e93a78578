package sim

import (
	"maps"

	"ballast/marketcache/venue/exchange"
)

// Stats are the exchange's counters. Not part of the venue's protocol.
type Stats struct {
	Requests        int64            `json:"requests"`        // HTTP requests of any kind
	Info            map[string]int64 `json:"info"`            // info requests by type
	Actions         map[string]int64 `json:"actions"`         // signed actions by type
	Orders          int64            `json:"orders"`          // in these actions, taken or refused
	Weight          int64            `json:"weight"`          // spent since the start
	WeightMinute    int              `json:"weightMinute"`    // of the last 60 s
	TooManyRequests int64            `json:"tooManyRequests"` // answers with 429, also by faults
	Refused         map[string]int64 `json:"refused"`         // by limit, and "badSubscription"
	Peak            map[string]int   `json:"peak"`            // highest usage of one address, by limit
	Sockets         int              `json:"sockets"`
	Subscriptions   int              `json:"subscriptions"`
	Panics          int64            `json:"panics"`
	Fault           string           `json:"fault"`
}

// count adds more to one of e.counts.
func (e *Exchange) count(n *int64, more int) {
	e.statsMu.Lock()
	defer e.statsMu.Unlock()
	*n += int64(more)
}

// countInfo counts an info request; "" stands for an unreadable one.
func (e *Exchange) countInfo(kind string) {
	if _, known := infoTypes[kind]; !known {
		kind = "unreadable"
	}
	e.statsMu.Lock()
	defer e.statsMu.Unlock()
	e.counts.Info[kind]++
}

// countAction counts an action and its orders; nil stands for an unreadable one.
func (e *Exchange) countAction(a *exchange.Action) {
	e.statsMu.Lock()
	defer e.statsMu.Unlock()
	if a == nil {
		e.counts.Actions["unreadable"]++
		return
	}
	kind := a.Type()
	if a.Class() == exchange.ClassUnknown {
		kind = "unknown"
	}
	e.counts.Actions[kind]++
	e.counts.Orders += int64(len(a.AppendOrders(nil)))
}

// Stats returns the counters since the start.
func (e *Exchange) Stats() Stats {
	e.statsMu.Lock()
	s := e.counts
	s.Info, s.Actions = maps.Clone(s.Info), maps.Clone(s.Actions)
	e.statsMu.Unlock()
	s.Sockets, s.Fault = len(e.open()), e.Faults()
	e.ledger.report(&s, e.nowMs())
	return s
}
