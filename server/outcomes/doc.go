// Package outcomes tells what became of the positions that answers were about, and whether the answers were right.
//
//	recorded decisions + hourly bars  ->  outcomes after 24 hours and 7 days  ->  sums by key and day  ->  accuracy
//	reported by clients               ->  rows, and sums of their own         ->                          and alarm
//
// An outcome needs nothing but a decision and bars (Case.Close). The Closer does that in the background: the hours of
// decisions one after another, each as soon as its bars are there. Its sums and the mark up to which it came are
// committed together, so that no decision counts twice.
//
// # The window
//
// A horizon of 24 (168) hours is the 24 (168) hourly bars from the first one that opens at or after the decision. No
// bar of the window has a price from before the decision, so the outcome cannot be wrong by what was already over.
// What happened between the decision and the next full hour is left out; the window ends later by the same time.
//
// # The alarm
//
// alarm.go.
package outcomes
