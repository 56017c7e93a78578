//go:build race

package marketcache

// raceEnabled: the race detector allocates on its own account.
const raceEnabled = true
