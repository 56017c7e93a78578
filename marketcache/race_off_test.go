//go:build !race

package marketcache

const raceEnabled = false
