// Package gate stands between traders and the venue: what they sign passes through it or is refused.
//
// It holds no key. An action is decoded once and strictly (package exchange); what is judged and what is handed on are
// both made of that parse. The service judges what can increase a position; what only reduces is handed on at once.
//
// # Reservations
//
// From the moment an order is handed on until the venue's answer shows in the account's state, it counts as resting:
// two orders at the same moment cannot both use the same margin. A Ledger has the reservations of one account. Orders
// of one account are judged one after another, under the lock of its ledger.
//
// # Units
//
// Sizes are base units, positive to buy and negative to sell. Times are instants of the service, or ms since 1970 where
// they are signed.
package gate
