//go:build race

package risk

// raceEnabled makes tests of allocation skip, because the race detector itself allocates.
const raceEnabled = true
