//go:build race

package mc

// raceEnabled: the race detector allocates on its own account.
const raceEnabled = true
