package feed

import "time"

// toTheFuture moves a bubble's clock, which starts in 2000, past the start of the process:
// Instants count from there, and 0 means never.
func toTheFuture() { time.Sleep(time.Until(time.Date(2040, 1, 1, 0, 30, 0, 0, time.UTC))) }
