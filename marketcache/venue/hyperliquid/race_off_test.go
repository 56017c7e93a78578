//go:build !race

package hyperliquid

const raceEnabled = false
