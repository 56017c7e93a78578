package server

import "time"

// deadline is one that a connection is given before every read or write, three times a
// request. Most of them never come into force, because what they bound has happened
// already, or move one that is in force by microseconds; telling the poller of each costs
// a tenth of a microsecond. So it is told before a read or write that needs it, and only
// when what it knows is too late, or too early by more than the connection's slack.
type deadline struct {
	wanted time.Time
	known  time.Time // to the poller
}

// due reports whether the poller must be told of the wanted deadline, which it then knows.
func (d *deadline) due(slack time.Duration) bool {
	if early := d.wanted.Sub(d.known); early >= 0 && early <= slack {
		return false
	}
	d.known = d.wanted
	return true
}

// deadlineSlack is by how much a connection may be given up early: a small part of the
// shortest time it is given for anything.
func (c *Config) deadlineSlack() time.Duration {
	return min(c.ReadTimeout, c.WriteTimeout, c.IdleTimeout) / 32
}

// SetReadDeadline bounds the reads from now on.
func (c *conn) SetReadDeadline(t time.Time) error {
	if !c.plain || t.IsZero() {
		c.read = deadline{wanted: t, known: t}
		return c.Conn.SetReadDeadline(t)
	}
	c.read.wanted = t
	return nil
}

// SetWriteDeadline bounds the writes from now on.
func (c *conn) SetWriteDeadline(t time.Time) error {
	if !c.plain || t.IsZero() {
		c.write = deadline{wanted: t, known: t}
		return c.Conn.SetWriteDeadline(t)
	}
	c.write.wanted = t
	return nil
}

// SetDeadline bounds both.
func (c *conn) SetDeadline(t time.Time) error {
	if err := c.SetReadDeadline(t); err != nil {
		return err
	}
	return c.SetWriteDeadline(t)
}

// Read reads within the read deadline.
func (c *conn) Read(b []byte) (int, error) {
	if c.read.due(c.slack) {
		if err := c.Conn.SetReadDeadline(c.read.wanted); err != nil {
			return 0, err
		}
	}
	n, err := c.stream.Read(b)
	if n > 0 && c.stream.waited() {
		c.readBlocked = true
	}
	return n, err
}

// Write writes within the write deadline, or only holds back what it is given.
func (c *conn) Write(b []byte) (int, error) {
	if c.heldBack != nil {
		c.heldBack = append(c.heldBack, b...)
		return len(b), nil
	}
	if c.write.due(c.slack) {
		if err := c.Conn.SetWriteDeadline(c.write.wanted); err != nil {
			return 0, err
		}
	}
	return c.stream.Write(b)
}
