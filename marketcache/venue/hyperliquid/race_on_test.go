//go:build race

package hyperliquid

const raceEnabled = true
