//go:build race

package cluster

// raceEnabled reports whether the race detector is on; some tests cannot run under it.
const raceEnabled = true
