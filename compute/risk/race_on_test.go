//go:build race

package risk

// raceEnabled: the race detector allocates on its own account.
const raceEnabled = true
