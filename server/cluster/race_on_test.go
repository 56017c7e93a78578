//go:build race

package cluster

// raceEnabled: the race detector allocates on its own account.
const raceEnabled = true
