//go:build race

package marketcache

// raceEnabled tells tests that the race detector is on: the detector is slow and allocates memory.
const raceEnabled = true
