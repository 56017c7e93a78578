//go:build race

package risk

// raceEnabled is true because the race detector itself allocates.
const raceEnabled = true
