package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Where the control socket cannot be made on the disk, there is an abstract socket instead, which needs no
// disk. It has no permissions: every user may connect to it, or take its name first. So both sides check
// which user runs the other.

// diskless returns the address of a data directory's abstract socket, and the id of the directory's owner.
func diskless(dataDir string) (address string, owner int, err error) {
	var s syscall.Stat_t
	if err := syscall.Stat(dataDir, &s); err != nil {
		return "", 0, err
	}
	return fmt.Sprintf("@ballast-control-%x-%x", s.Dev, s.Ino), int(s.Uid), nil
}

// listenDiskless listens on the abstract socket of a data directory.
func listenDiskless(dataDir string) (net.Listener, error) {
	address, _, err := diskless(dataDir)
	if err != nil {
		return nil, err
	}
	ln, err := net.Listen("unix", address)
	if err != nil {
		return nil, err
	}
	return userListener{ln}, nil
}

// userListener accepts connections of this process's user and of root.
type userListener struct{ net.Listener }

// Accept implements net.Listener.
func (l userListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if user, err := peerUser(conn); err == nil && (user == os.Geteuid() || user == 0) {
			return conn, nil
		}
		conn.Close()
	}
}

// dialDiskless connects to the abstract socket of a data directory, if this process's user, the
// directory's owner or root listens there.
func dialDiskless(ctx context.Context, dataDir string) (net.Conn, error) {
	address, owner, err := diskless(dataDir)
	if err != nil {
		return nil, err
	}
	conn, err := new(net.Dialer).DialContext(ctx, "unix", address)
	if err != nil {
		return nil, err
	}
	user, err := peerUser(conn)
	if err == nil && user != os.Geteuid() && user != owner && user != 0 {
		err = errors.New("another user's program has taken the name of the control socket")
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// peerUser returns the user id of the process at the other end of a Unix socket.
func peerUser(conn net.Conn) (int, error) {
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return 0, err
	}
	var peer *unix.Ucred
	var failed error
	err = raw.Control(func(fd uintptr) { peer, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) })
	if err = errors.Join(err, failed); err != nil {
		return 0, err
	}
	return int(peer.Uid), nil
}
