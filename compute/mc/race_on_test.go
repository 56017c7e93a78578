//go:build race

package mc

// raceEnabled is true because the race detector itself allocates.
const raceEnabled = true
