//go:build !linux

package yield

// network is not offered here.
type network struct{}

func (*network) open()      {}
func (*network) wait() bool { return false }
func (*network) close()     {}
