package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// controlName is the socket's name in the data directory.
const controlName = "control.sock"

// maxSocketPath is the longest path of a Unix socket that works on every system.
const maxSocketPath = 100

// listenControl listens on the control socket of a data directory. The caller holds the
// directory's lock, so an existing socket belongs to a process that has ended. The socket is
// created under a private name and gets its final name after its permissions are set.
func listenControl(dataDir string) (net.Listener, error) {
	// Remove what an interrupted start left.
	left, _ := filepath.Glob(filepath.Join(dataDir, ".control-*"))
	for _, dir := range left {
		os.RemoveAll(dir)
	}
	private, err := os.MkdirTemp(dataDir, ".control-") // mode 0700
	if err != nil {
		return nil, fmt.Errorf("control socket: %w", err)
	}
	defer os.RemoveAll(private)
	var ln *net.UnixListener
	err = withShortPath(private, controlName, func(path string) (err error) {
		ln, err = net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("control socket in %s: %w", dataDir, err)
	}
	ln.SetUnlinkOnClose(false) // it is renamed below
	made := filepath.Join(private, controlName)
	if err = os.Chmod(made, 0o600); err == nil {
		err = os.Rename(made, filepath.Join(dataDir, controlName))
	}
	if err != nil {
		ln.Close()
		return nil, fmt.Errorf("control socket: %w", err)
	}
	return ln, nil
}

// dialControl connects to the service that holds a data directory.
func dialControl(ctx context.Context, dataDir string) (conn net.Conn, err error) {
	err = withShortPath(dataDir, controlName, func(path string) (err error) {
		var d net.Dialer
		conn, err = d.DialContext(ctx, "unix", path)
		return err
	})
	if err != nil {
		if conn, otherwise := dialDiskless(ctx, dataDir); otherwise == nil {
			return conn, nil
		}
		return nil, fmt.Errorf("control socket in %s: %w", dataDir, err)
	}
	return conn, nil
}

// withShortPath calls f with a path of dir/name that is short enough for a socket: the path
// itself, or, on Linux, a path through an open directory.
func withShortPath(dir, name string, f func(path string) error) error {
	path := filepath.Join(dir, name)
	if len(path) <= maxSocketPath {
		return f(path)
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	short := fmt.Sprintf("/proc/self/fd/%d", d.Fd())
	if _, err := os.Stat(short); err != nil {
		return fmt.Errorf("the path is longer than the %d bytes that a socket may have here: use a shorter --data-dir", maxSocketPath)
	}
	return f(filepath.Join(short, name))
}
