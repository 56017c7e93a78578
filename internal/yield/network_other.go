//go:build !linux

package yield

// network is not available on this system.
type network struct{}

func (*network) open()      {}
func (*network) wait() bool { return false }
func (*network) close()     {}
