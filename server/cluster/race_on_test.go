//go:build race

package cluster

// raceEnabled is true because the race detector itself allocates.
const raceEnabled = true
