//go:build !race

// Package race tells tests that the race detector is on, which is slow and allocates memory itself.
package race

// Enabled is whether the race detector is on.
const Enabled = false
