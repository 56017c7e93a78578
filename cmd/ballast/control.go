package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ballast/internal/supervise"
	"ballast/server/auth"
	"ballast/server/cluster"
	"ballast/server/mailer"
)

// The control socket lets `ballast keys` work while the service runs. Each connection carries one
// request and one answer, both JSON objects. The client confirms a new key with one byte; without that
// byte the service revokes the key. Only the user of the service may open the socket (mode 0600).
const (
	controlConns   = 16              // simultaneous connections; more must wait
	controlRead    = 5 * time.Second // timeout for reading a request
	controlWrite   = 10 * time.Second
	controlWork    = 20 * time.Second // timeout for handling a request, without mail
	controlMail    = 2 * time.Minute  // additional time a client allows for sending mail
	controlRequest = 4 << 10          // bytes of a request
	controlAnswer  = 64 << 20         // bytes of an answer
)

// controlCall is a request on the control socket.
type controlCall struct {
	Op    string `json:"op"` // issue, list, revoke or rebuild
	Email string `json:"email,omitempty"`
	ID    string `json:"id,omitempty"`
	// Mail allows the service to mail the key, if it has a mailer, instead of returning it.
	Mail bool `json:"mail,omitempty"`
}

// controlReply is an answer. At most one field is set; none after a successful revoke.
type controlReply struct {
	Error   string           `json:"error,omitempty"`
	Issued  *issued          `json:"issued,omitempty"`
	Keys    []auth.Key       `json:"keys,omitempty"`
	Rebuilt *cluster.PutBack `json:"rebuilt,omitempty"`
}

// control serves the socket.
type control struct {
	dir  string
	keys *cluster.Keys
	mail *mailer.Mailer // nil: keys are not mailed
	log  *slog.Logger
	wg   sync.WaitGroup
	stop context.CancelFunc
}

// controlRetry is the pause between checks that the socket is there, and between attempts to make it.
const controlRetry = time.Second

// startControl opens the control socket of a data directory and serves it until close. If the socket cannot
// be made on the disk, it serves an abstract one (Linux), and tries again every controlRetry. If somebody
// deletes the socket, it makes another.
func startControl(dataDir string, keys *cluster.Keys, mail *mailer.Mailer, log *slog.Logger) *control {
	c := &control{dir: dataDir, keys: keys, mail: mail, log: log}
	ctx, stop := context.WithCancel(context.Background())
	c.stop = stop
	ln, err := listenControl(dataDir)
	if err != nil {
		c.serveDiskless(ctx, err)
	} else {
		c.wg.Go(func() { c.accept(ctx, ln) })
	}
	c.wg.Go(func() { c.keepOnDisk(ctx, ln) })
	return c
}

// serveDiskless serves the abstract socket, because there is none on the disk.
func (c *control) serveDiskless(ctx context.Context, because error) {
	c.log.Error("no control socket for `ballast keys` on the disk; trying on", "error", because)
	ln, err := listenDiskless(c.dir)
	if err != nil {
		c.log.Error("`ballast keys` cannot reach this service", "error", err)
		return
	}
	c.wg.Go(func() { c.accept(ctx, ln) })
}

// keepOnDisk checks every controlRetry that the socket's file exists, and makes the socket again if not. ln
// listens on the present socket; nil if none could be made yet.
func (c *control) keepOnDisk(ctx context.Context, ln net.Listener) {
	diskless := ln == nil
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(controlRetry):
		}
		if ln != nil {
			if _, err := os.Lstat(filepath.Join(c.dir, controlName)); !errors.Is(err, fs.ErrNotExist) {
				continue
			}
			c.log.Warn("the control socket for `ballast keys` was deleted; making another", "directory", c.dir)
			ln.Close()
			ln = nil
		}
		made, err := listenControl(c.dir)
		if err == nil {
			ln = made
			c.wg.Go(func() { c.accept(ctx, made) })
		} else if !diskless {
			diskless = true
			c.serveDiskless(ctx, err)
		}
	}
}

// close closes the socket; requests in progress are abandoned.
func (c *control) close() {
	c.stop()
	c.wg.Wait()
	os.Remove(filepath.Join(c.dir, controlName))
}

// accept serves the connections of a listener until it is closed, or ctx ends, which closes it.
func (c *control) accept(ctx context.Context, ln net.Listener) {
	defer ln.Close()
	unblock := context.AfterFunc(ctx, func() { ln.Close() })
	defer unblock()
	slots := make(chan struct{}, controlConns)
	for {
		conn, err := ln.Accept()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil { // for example too many open files; temporary
			select {
			case <-ctx.Done():
				return
			case <-time.After(100 * time.Millisecond):
			}
			continue
		}
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			conn.Close()
			return
		}
		c.wg.Go(func() {
			defer func() { <-slots }()
			defer conn.Close()
			defer supervise.New(c.log).Recover("control socket")
			c.answer(ctx, conn)
		})
	}
}

// answer serves one connection.
func (c *control) answer(ctx context.Context, conn net.Conn) {
	unblock := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Now()) })
	defer unblock()
	conn.SetReadDeadline(time.Now().Add(controlRead))
	call, err := readCall(conn)
	if errors.Is(err, io.EOF) || ctx.Err() != nil {
		return // the client only checked that the service is running
	}
	limit := controlWork
	if c.mail != nil {
		limit += c.mail.Timeout()
	}
	work, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	var reply controlReply
	if err == nil {
		reply, err = c.do(work, call)
	}
	if err != nil {
		reply = controlReply{Error: err.Error()}
	}
	conn.SetDeadline(time.Now().Add(controlWrite))
	err = json.NewEncoder(conn).Encode(reply)
	if reply.Issued == nil || reply.Issued.Mailed {
		return
	}
	if err == nil {
		err = awaitReceipt(conn)
	}
	if err != nil { // the client did not confirm the key
		if err := c.keys.Revoke(context.WithoutCancel(work), reply.Issued.ID); err != nil {
			c.log.Error("a key that nobody received is not revoked", "id", reply.Issued.ID, "error", err)
		}
	}
}

// receipt is the byte by which a client confirms that it has received a key.
const receipt = 'k'

func awaitReceipt(conn net.Conn) error {
	for b := []byte{0}; b[0] != receipt; { // skips the line end of the request
		if _, err := conn.Read(b); err != nil {
			return err
		}
	}
	return nil
}

func readCall(r io.Reader) (controlCall, error) {
	var call controlCall
	d := json.NewDecoder(io.LimitReader(r, controlRequest))
	d.DisallowUnknownFields()
	if err := d.Decode(&call); err != nil {
		if errors.Is(err, io.EOF) {
			return call, err
		}
		return call, errors.New("not a request of this version's `ballast keys`")
	}
	return call, nil
}

func (c *control) do(ctx context.Context, call controlCall) (reply controlReply, err error) {
	switch call.Op {
	case "issue":
		reply.Issued, err = c.issue(ctx, call)
	case "list":
		reply.Keys, err = c.keys.List(ctx)
	case "revoke":
		if err = c.keys.Revoke(ctx, call.ID); err == nil {
			c.log.Info("key revoked", "id", call.ID)
		}
		err = explainID(err, call.ID)
	case "rebuild":
		var put cluster.PutBack
		put, err = c.keys.Rebuild(ctx)
		reply.Rebuilt = &put
	default:
		err = fmt.Errorf("this service knows no %q of keys", call.Op[:min(len(call.Op), 64)])
	}
	return reply, err
}

func (c *control) issue(ctx context.Context, call controlCall) (*issued, error) {
	key, k, err := c.keys.Issue(ctx, call.Email)
	if err != nil {
		return nil, err
	}
	c.log.Info("key issued", "id", k.ID)
	i := &issued{ID: k.ID, Key: key, Email: k.Email, Created: k.Created}
	if !call.Mail || c.mail == nil {
		return i, nil
	}
	if err := i.send(ctx, c.mail, c.keys.Revoke); err != nil {
		c.log.Error("key not mailed", "id", k.ID, "error", err)
		return nil, err
	}
	return i, nil
}

// controlClient manages the keys of a service that runs on this machine.
type controlClient struct{ dataDir string }

// call sends one request and returns the answer.
func (c controlClient) call(ctx context.Context, call controlCall) (controlReply, error) {
	conn, err := dialControl(ctx, c.dataDir)
	if err != nil {
		return controlReply{}, err
	}
	defer conn.Close()
	unblock := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Now()) })
	defer unblock()
	limit := controlRead + controlWork + controlWrite
	if call.Mail {
		limit += controlMail
	}
	conn.SetDeadline(time.Now().Add(limit))
	if err := json.NewEncoder(conn).Encode(call); err != nil {
		return controlReply{}, fmt.Errorf("the running service: %w", err)
	}
	var reply controlReply
	if err := json.NewDecoder(io.LimitReader(conn, controlAnswer)).Decode(&reply); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return controlReply{}, fmt.Errorf("the running service did not answer: %w", err)
	}
	if reply.Error != "" {
		return controlReply{}, errors.New(reply.Error)
	}
	if i := reply.Issued; i != nil && !i.Mailed {
		if _, err := conn.Write([]byte{receipt}); err != nil {
			return controlReply{}, fmt.Errorf("the running service went away: %w", err)
		}
	}
	return reply, nil
}

func (c controlClient) issue(ctx context.Context, email string, mayMail bool) (*issued, error) {
	reply, err := c.call(ctx, controlCall{Op: "issue", Email: email, Mail: mayMail})
	if err == nil && reply.Issued == nil {
		err = errors.New("the running service answered without a key")
	}
	return reply.Issued, err
}

func (c controlClient) list(ctx context.Context) ([]auth.Key, error) {
	reply, err := c.call(ctx, controlCall{Op: "list"})
	return reply.Keys, err
}

func (c controlClient) revoke(ctx context.Context, id string) error {
	_, err := c.call(ctx, controlCall{Op: "revoke", ID: id})
	return err
}

func (c controlClient) rebuild(ctx context.Context) (cluster.PutBack, error) {
	reply, err := c.call(ctx, controlCall{Op: "rebuild"})
	if err == nil && reply.Rebuilt == nil {
		err = errors.New("the running service answered without a result")
	}
	if err != nil {
		return cluster.PutBack{}, err
	}
	return *reply.Rebuilt, nil
}

func (c controlClient) close() {}
