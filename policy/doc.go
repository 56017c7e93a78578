// Package policy holds an operator to its own limits: the rules of a wallet, the kill switch, and their verdict on
// a trade. It is made of pure functions of the rules, the assessment and the record of the wallet's day: no clock,
// no network, no storage.
//
// What only reduces a position always passes, whatever the rules say. A figure that is not known makes the verdict
// unknown, never pass.
package policy
