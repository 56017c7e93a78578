//go:build race

package marketcache

// raceEnabled is true because the race detector itself allocates.
const raceEnabled = true
