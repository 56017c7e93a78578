package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"time"
)

// Limits are what operators have set: the policies and the kill switch.
type Limits struct {
	// ID is made with the first change and stays: limits with another ID have another history, with revisions of
	// their own. "": there has been no change.
	ID string `json:"id"`
	// Revision is that of the newest change. Each change has the next number, so none occurs twice in a history.
	Revision uint64            `json:"revision"`
	Switch   Switch            `json:"switch"`
	Policies map[string]Policy `json:"policies"` // by wallet; "*": of all wallets
}

// Policy is the policy of a wallet.
type Policy struct {
	Rules    json.RawMessage `json:"rules"`
	Revision uint64          `json:"revision"` // of the change that made it so
	At       time.Time       `json:"at"`
	Who      string          `json:"who"`
}

// Switch is the state of the kill switch.
type Switch struct {
	On       bool      `json:"on"`
	Reason   string    `json:"reason"`
	At       time.Time `json:"at"` // of the change that made it so; zero: never changed
	Who      string    `json:"who"`
	Revision uint64    `json:"revision"`
}

// The events of limits. Their subject is the wallet, or the word SwitchSubject.
const (
	PolicySet     = "policy_set"
	PolicyRemoved = "policy_removed"
	SwitchedOn    = "kill_switch_on"
	SwitchedOff   = "kill_switch_off"

	SwitchSubject = "kill switch"
)

// limitsName is the name in the table meta of what must fit the policies and the kill switch.
const limitsName = "limits"

// limitsSeal is the value of limitsName.
type limitsSeal struct {
	ID       string `json:"id"`
	Revision uint64 `json:"revision"`
	Digest   string `json:"digest"` // of the whole Limits
}

// Limits returns the policies and the kill switch. Rows that are not as they were written, or are missing, are a
// *DamagedError: less than was set must not pass for all.
func (m *Main) Limits() (*Limits, error) {
	tx, err := m.opened.Load().db.BeginTx(context.Background(), &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer tx.Rollback()
	l, err := readLimits(tx)
	return l, m.unsound(err)
}

// ChangeLimits changes the policies and the kill switch in a transaction: change gets them as they are, with a
// Revision that no change has had, and returns the events for the audit. If it returns an error, or no event,
// nothing is changed. When ChangeLimits returns the limits, they are on disk.
func (m *Main) ChangeLimits(change func(*Limits) ([]Event, error)) (now *Limits, err error) {
	var refused error
	err = m.write(func(tx *sql.Tx) error {
		old, err := readLimits(tx)
		if err != nil {
			return err
		}
		var events []Event
		now = old.Next()
		if events, refused = change(now); refused != nil || len(events) == 0 {
			now = old
			return nil
		}
		return writeLimits(tx, old, now, events)
	})
	if err = cmp.Or(refused, m.unsound(err)); err != nil {
		return nil, err
	}
	return now, nil
}

// CopyLimits replaces the limits by those of replicas, and adds the events of the changes to the audit.
func (m *Main) CopyLimits(l *Limits, events []Event) error {
	return m.write(func(tx *sql.Tx) error {
		old, err := readLimits(tx)
		if err != nil {
			return err
		}
		return writeLimits(tx, old, l, events)
	})
}

// Next returns a copy with the revision of the next change.
func (l *Limits) Next() *Limits {
	next := *l
	next.Revision++
	if next.Policies = maps.Clone(l.Policies); next.Policies == nil {
		next.Policies = map[string]Policy{}
	}
	if next.ID == "" {
		next.ID = rand.Text()
	}
	return &next
}

// digest returns the digest of everything.
func (l *Limits) digest() string {
	text, err := json.Marshal(l)
	if err != nil {
		panic("BUG: limits that are no JSON: " + err.Error())
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func readLimits(tx *sql.Tx) (*Limits, error) {
	l := &Limits{Policies: map[string]Policy{}}
	var seal limitsSeal
	var text string
	sealed, err := found(tx.QueryRow("SELECT value FROM meta WHERE name = ?", limitsName).Scan(&text))
	switch {
	case err != nil:
		return nil, err
	case sealed && json.Unmarshal([]byte(text), &seal) != nil:
		return nil, fmt.Errorf("%w: the seal of the policies is no JSON", errUnsound)
	}
	l.ID, l.Revision = seal.ID, seal.Revision
	if err := errors.Join(readPolicies(tx, l.Policies), readSwitch(tx, &l.Switch)); err != nil {
		return nil, err
	}
	if sealed && l.digest() != seal.Digest || !sealed && (len(l.Policies) > 0 || l.Switch != Switch{}) {
		return nil, fmt.Errorf("%w: the policies or the kill switch are not as they were written", errUnsound)
	}
	if sealed {
		return l, nil
	}
	var changes int
	err = tx.QueryRow("SELECT count(*) FROM audit WHERE event IN (?, ?, ?, ?)", PolicySet, PolicyRemoved, SwitchedOn,
		SwitchedOff).Scan(&changes)
	if err == nil && changes > 0 {
		err = fmt.Errorf("%w: the audit has %d changes of policies and the kill switch, which are gone", errUnsound,
			changes)
	}
	return l, err
}

func readPolicies(tx *sql.Tx, into map[string]Policy) error {
	return eachRow(tx, "SELECT wallet, revision, rules, at, who FROM policies", nil, func(scan scanner) error {
		var wallet, rules, at string
		var p Policy
		err := scan(&wallet, &p.Revision, &rules, &at, &p.Who)
		if err != nil {
			return err
		}
		p.Rules = json.RawMessage(rules)
		if p.At, err = time.Parse(timeForm, at); err != nil || !json.Valid(p.Rules) {
			return fmt.Errorf("%w: the policy of %.64q is not as it was written", errUnsound, wallet)
		}
		into[wallet] = p
		return nil
	})
}

func readSwitch(tx *sql.Tx, s *Switch) error {
	var at string
	is, err := found(tx.QueryRow("SELECT is_on, reason, at, who, revision FROM kill_switch").
		Scan(&s.On, &s.Reason, &at, &s.Who, &s.Revision))
	if !is {
		return err
	}
	if s.At, err = time.Parse(timeForm, at); err != nil {
		return fmt.Errorf("%w: the kill switch is not as it was written", errUnsound)
	}
	return nil
}

// writeLimits writes what differs from the old limits.
func writeLimits(tx *sql.Tx, old, now *Limits, events []Event) error {
	for wallet := range old.Policies {
		if _, stays := now.Policies[wallet]; !stays {
			if _, err := tx.Exec("DELETE FROM policies WHERE wallet = ?", wallet); err != nil {
				return err
			}
		}
	}
	for wallet, p := range now.Policies {
		if held, ok := old.Policies[wallet]; ok && held.Revision == p.Revision && old.ID == now.ID {
			continue
		}
		_, err := tx.Exec("INSERT OR REPLACE INTO policies (wallet, revision, rules, at, who) VALUES (?, ?, ?, ?, ?)",
			wallet, p.Revision, string(p.Rules), textOf(p.At), p.Who)
		if err != nil {
			return err
		}
	}
	if s := &now.Switch; *s != (Switch{}) {
		_, err := tx.Exec(`INSERT OR REPLACE INTO kill_switch (row, is_on, reason, at, who, revision)
			VALUES (1, ?, ?, ?, ?, ?)`, s.On, s.Reason, textOf(s.At), s.Who, s.Revision)
		if err != nil {
			return err
		}
	} else if _, err := tx.Exec("DELETE FROM kill_switch"); err != nil {
		return err
	}
	seal, err := json.Marshal(limitsSeal{now.ID, now.Revision, now.digest()})
	if err != nil {
		return err
	}
	if _, err := tx.Exec("INSERT OR REPLACE INTO meta VALUES (?, ?)", limitsName, string(seal)); err != nil {
		return err
	}
	return addEvents(tx, events...)
}
