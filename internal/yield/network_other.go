//go:build !linux

package yield

// Network reports whether Yield polls the network: on this system it does not.
const Network = false

// network is not available on this system.
type network struct{}

func (*network) open()      {}
func (*network) wait() bool { return false }
func (*network) close()     {}
