package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"math"
	"time"
)

const timeForm = "2006-01-02T15:04:05.000Z"

func textOf(t time.Time) string { return t.UTC().Format(timeForm) }

// Key is a row of the table keys.
type Key struct {
	ID, Email string
	Operator  bool // may change policies and the kill switch
	SHA256    [32]byte
	Created   time.Time
	LastUsed  time.Time // zero: never
	Revoked   bool
}

// Change is what somebody has done to a key: issued it, or revoked it.
type Change struct {
	Key
	At  time.Time // when it was done
	Who string    // who did it
}

// Event is a row of the audit.
type Event struct {
	Time    time.Time `json:"time"`
	Who     string    `json:"who"`
	Event   string    `json:"event"`
	Subject string    `json:"subject"` // what was changed: the id of a key, a wallet, the kill switch
	Detail  string    `json:"detail"`  // of a key: whom it is for; of a policy: its rules; of the switch: the reason
}

// The events of keys.
const (
	KeyIssued  = "key_issued"
	KeyRevoked = "key_revoked"
)

// Apply adds keys that are missing and revokes those that are revoked, and notes in the audit what that has
// changed. A revocation is final. A key whose id is another's is left out.
func (m *Main) Apply(changes ...Change) error {
	return m.write(func(tx *sql.Tx) error {
		for _, c := range changes {
			if err := apply(tx, c); err != nil {
				return err
			}
		}
		return nil
	})
}

func apply(tx *sql.Tx, c Change) error {
	sum := hex.EncodeToString(c.SHA256[:])
	issued := c.Key
	issued.Revoked = false
	detail := c.Email
	if c.Operator {
		detail += ", operator"
	}
	note := func(event string, result sql.Result) error {
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return err
		}
		return addEvents(tx, Event{c.At, c.Who, event, c.ID, detail})
	}
	made, err := tx.Exec(`INSERT INTO keys (id, email, operator, sha256, created, digest) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO NOTHING`, c.ID, c.Email, c.Operator, sum, textOf(c.Created), issued.digest())
	if err == nil {
		err = note(KeyIssued, made)
	}
	if err != nil || !c.Revoked {
		return err
	}
	held, err := scanKey(tx.QueryRow(
		"SELECT "+keyColumns+" FROM keys WHERE id = ? AND sha256 = ? AND NOT revoked", c.ID, sum).Scan)
	if is, err := found(err); !is {
		return err
	}
	held.Revoked = true
	revoked, err := tx.Exec("UPDATE keys SET revoked = 1, digest = ? WHERE id = ?", held.digest(), c.ID)
	if err != nil {
		return err
	}
	return note(KeyRevoked, revoked)
}

// Keys returns the keys with events after the given one (0: all keys) in the order of issue, and the number of
// the newest event.
func (m *Main) Keys(after int64) (keys []Key, newest int64, err error) {
	tx, err := m.opened.Load().db.BeginTx(context.Background(), &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, 0, err
	}
	defer tx.Rollback()
	if err := tx.QueryRow("SELECT coalesce(max(seq), 0) FROM audit").Scan(&newest); err != nil {
		return nil, 0, m.unsound(err)
	}
	err = eachRow(tx, "SELECT "+keyColumns+` FROM keys
		WHERE ?1 = 0 OR id IN (SELECT subject FROM audit WHERE seq > ?1) ORDER BY created, id`, []any{after},
		func(scan scanner) error {
			k, err := scanKey(scan)
			keys = append(keys, k)
			return err
		})
	if err != nil {
		return nil, 0, m.unsound(err)
	}
	if after > 0 {
		return keys, newest, nil
	}
	return keys, newest, m.unsound(complete(tx, keys))
}

// complete returns an error unless the audit has as many keys, and as many revoked ones.
func complete(tx *sql.Tx, keys []Key) error {
	revoked := 0
	for i := range keys {
		if keys[i].Revoked {
			revoked++
		}
	}
	var issuedEvents, revokedEvents int
	err := tx.QueryRow("SELECT count(*) FILTER (WHERE event = ?), count(*) FILTER (WHERE event = ?) FROM audit",
		KeyIssued, KeyRevoked).Scan(&issuedEvents, &revokedEvents)
	if err == nil && (issuedEvents != len(keys) || revokedEvents != revoked) {
		err = fmt.Errorf("%w: %d keys, %d of them revoked, and the audit has %d and %d",
			errUnsound, len(keys), revoked, issuedEvents, revokedEvents)
	}
	return err
}

// eachRow calls each for every row of a query.
func (m *Main) eachRow(query string, args []any, each func(scan scanner) error) error {
	return m.unsound(eachRow(m.opened.Load().db, query, args, each))
}

// unsound makes a *DamagedError of an error that means that.
func (m *Main) unsound(err error) error {
	if err != nil && damaged(err) {
		return &DamagedError{m.path, err}
	}
	return err
}

const keyColumns = "id, email, operator, sha256, created, coalesce(last_used, ''), revoked, digest"

// scanKey reads a row of keyColumns. A row that is not as it was written is errUnsound.
func scanKey(scan scanner) (k Key, err error) {
	var sum, created, used, digest string
	if err := scan(&k.ID, &k.Email, &k.Operator, &sum, &created, &used, &k.Revoked, &digest); err != nil {
		return Key{}, err
	}
	if n, err := hex.Decode(k.SHA256[:], []byte(sum)); len(sum) == 64 && n == 32 && err == nil {
		k.Created, err = time.Parse(time.RFC3339, created)
		if err == nil && used != "" {
			k.LastUsed, err = time.Parse(time.RFC3339, used)
		}
		if err == nil && k.digest() == digest {
			return k, nil
		}
	}
	return Key{}, fmt.Errorf("%w: the row of key %.64q is not as it was written", errUnsound, k.ID)
}

// digest returns the digest of what must not change unnoticed. That of an agent's key is as in version 1, which had
// no roles.
func (k *Key) digest() string {
	text := fmt.Appendf(nil, "%q %q %x %s %t", k.ID, k.Email, k.SHA256, textOf(k.Created), k.Revoked)
	if k.Operator {
		text = append(text, " operator"...)
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// NoteUses records when keys were last used, by id. An earlier time than the one recorded changes nothing.
func (m *Main) NoteUses(uses map[string]time.Time) error {
	return m.write(func(tx *sql.Tx) error {
		for id, at := range uses {
			_, err := tx.Exec("UPDATE keys SET last_used = ?1 WHERE id = ?2 AND coalesce(last_used, '') < ?1",
				textOf(at), id)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// addEvents adds events to the audit.
func addEvents(tx *sql.Tx, events ...Event) error {
	for _, e := range events {
		_, err := tx.Exec("INSERT INTO audit (time, who, event, subject, detail) VALUES (?, ?, ?, ?, ?)",
			textOf(e.Time), e.Who, e.Event, e.Subject, e.Detail)
		if err != nil {
			return err
		}
	}
	return nil
}

// Audit calls f for each event, oldest first.
func (m *Main) Audit(f func(Event) error) error {
	return m.eachEvent("1 ORDER BY seq", nil, func(_ int64, e Event) error { return f(e) })
}

// AuditPage returns the newest events of the times from (included) to to (not included, zero: no end) that were noted
// before an event, by its number (0: all). next is the number to go on from, 0 when there are no more.
func (m *Main) AuditPage(before int64, from, to time.Time, limit int) (page []Event, next int64, err error) {
	if before <= 0 {
		before = math.MaxInt64
	}
	last := "~" // after every time
	if !to.IsZero() && to.UTC().Year() < 9999 {
		last = textOf(upToMs(to))
	}
	numbers := []int64{}
	err = m.eachEvent("seq < ? AND time >= ? AND time < ? ORDER BY seq DESC LIMIT ?",
		[]any{before, textOf(upToMs(from)), last, limit + 1}, func(seq int64, e Event) error {
			page, numbers = append(page, e), append(numbers, seq)
			return nil
		})
	if err == nil && len(page) > limit {
		page, next = page[:limit], numbers[limit-1]
	}
	return page, next, err
}

// upToMs rounds up to milliseconds, as which times are stored.
func upToMs(t time.Time) time.Time { return t.Add(time.Millisecond - 1).Truncate(time.Millisecond) }

// eachEvent calls f for the events that a condition selects, with their numbers.
func (m *Main) eachEvent(where string, args []any, f func(seq int64, e Event) error) error {
	return m.eachRow("SELECT seq, time, who, event, subject, detail FROM audit WHERE "+where, args,
		func(scan scanner) error {
			var e Event
			var seq int64
			var at string
			err := scan(&seq, &at, &e.Who, &e.Event, &e.Subject, &e.Detail)
			if err == nil {
				e.Time, err = time.Parse(time.RFC3339, at)
			}
			if err != nil {
				return err
			}
			return f(seq, e)
		})
}
