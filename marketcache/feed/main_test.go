package feed

import "time"

// toTheFuture advances the virtual clock of a synctest bubble, which starts in 2000, past the start
// of the process: Instants count from that start, and 0 means never.
func toTheFuture() { time.Sleep(time.Until(time.Date(2040, 1, 1, 0, 30, 0, 0, time.UTC))) }
