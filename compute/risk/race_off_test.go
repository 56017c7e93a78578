//go:build !race

package risk

const raceEnabled = false
