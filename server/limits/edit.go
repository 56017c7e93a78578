package limits

import (
	"bytes"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ballast/internal/store"
	"ballast/marketcache"
	"ballast/policy"
)

// All is the name of the policy of all wallets.
const All = "*"

const (
	// MaxPolicies is the number of policies at most, MaxBytes that of the bytes of their rules together: in a cluster
	// all of them are one message.
	MaxPolicies = 1000
	MaxBytes    = 512 << 10
	// maxReason is the longest reason of the kill switch, characters.
	maxReason = 280
)

// Author says who changes something, and when.
type Author struct {
	Who string
	At  time.Time
}

// Edit changes limits, which are those in force with the revision of the next change. It returns the events for the
// audit, none if nothing changes, or a *Refusal. It may be called more than once.
type Edit func(now *store.Limits, by Author) ([]store.Event, error)

// Reason says why an edit was refused.
type Reason uint8

const (
	Mismatch Reason = iota // the policy has another revision than the one that was named
	Required               // the policy exists, and no revision was named
	Missing                // there is no policy to remove
	Invalid                // a field breaks a rule
)

// Refusal says why an edit was refused. Then nothing has changed.
type Refusal struct {
	Reason   Reason
	Field    string // for Invalid
	Revision uint64 // of the policy, 0: there is none
	Detail   string
}

func (r *Refusal) Error() string { return r.Detail }

// Name returns the name of a policy in its one form: "*", or a wallet in lower case. Everything else is refused, so
// that no second spelling of a wallet can have a policy of its own.
func Name(text []byte) (name string, ok bool) {
	if string(text) == All {
		return All, true
	}
	wallet, ok := marketcache.ParseWallet(text)
	if !ok {
		return "", false
	}
	return wallet.String(), true
}

// Put sets the policy of a name. match is the revision of the policy that it replaces; nil: there must be none.
func Put(name string, rules *policy.Rules, match *uint64) Edit {
	return func(now *store.Limits, by Author) ([]store.Event, error) {
		held, exists := now.Policies[name]
		if bad := check(name, held.Revision, match); bad != nil {
			return nil, bad
		}
		text := rules.AppendJSON(nil)
		if exists && bytes.Equal(held.Rules, text) {
			return nil, nil
		}
		now.Policies[name] = store.Policy{Rules: text, Revision: now.Revision, At: by.At, Who: by.Who}
		if bad := checkSize(now); bad != nil {
			return nil, bad
		}
		return []store.Event{{
			Time: by.At, Who: by.Who, Event: store.PolicySet, Subject: name,
			Detail: fmt.Sprintf("revision %d: %s", now.Revision, text),
		}}, nil
	}
}

// Remove removes the policy of a name, which has the revision match.
func Remove(name string, match *uint64) Edit {
	return func(now *store.Limits, by Author) ([]store.Event, error) {
		held, exists := now.Policies[name]
		if !exists && match == nil {
			return nil, &Refusal{Reason: Missing, Detail: of(name) + " has no policy"}
		}
		if bad := check(name, held.Revision, match); bad != nil {
			return nil, bad
		}
		delete(now.Policies, name)
		return []store.Event{{
			Time: by.At, Who: by.Who, Event: store.PolicyRemoved, Subject: name,
			Detail: fmt.Sprintf("revision %d; it was %s", now.Revision, held.Rules),
		}}, nil
	}
}

// Turn turns the kill switch on or off. To turn it on needs a reason. While it is on, another reason replaces the
// one that it has; it then is on since it was turned on. match is the revision that the switch must have; nil: any.
func Turn(on bool, reason string, match *uint64) Edit {
	return func(now *store.Limits, by Author) ([]store.Event, error) {
		reason := strings.TrimSpace(reason)
		if bad := checkReason(on, reason); bad != nil {
			return nil, bad
		}
		held := now.Switch
		if match != nil && *match != held.Revision {
			return nil, &Refusal{Reason: Mismatch, Revision: held.Revision, Detail: fmt.Sprintf(
				"the kill switch has revision %d, and If-Match names %d: somebody has turned it; read it again first",
				held.Revision, *match)}
		}
		if held.On == on && (!on || held.Reason == reason) {
			return nil, nil
		}
		now.Switch = store.Switch{On: on, Reason: reason, At: by.At, Who: by.Who, Revision: now.Revision}
		if held.On && on {
			now.Switch.At = held.At
		}
		event := store.SwitchedOff
		if on {
			event = store.SwitchedOn
		}
		return []store.Event{{
			Time: by.At, Who: by.Who, Event: event, Subject: store.SwitchSubject, Detail: reason,
		}}, nil
	}
}

// Together makes several edits one change: all are made, or none.
func Together(edits ...Edit) Edit {
	return func(now *store.Limits, by Author) (events []store.Event, err error) {
		for _, edit := range edits {
			more, err := edit(now, by)
			if err != nil {
				return nil, err
			}
			events = append(events, more...)
		}
		return events, nil
	}
}

// check compares the revision of a policy, 0 if there is none, with the one that was named.
func check(name string, held uint64, match *uint64) *Refusal {
	switch {
	case match == nil && held != 0:
		return &Refusal{Reason: Required, Revision: held, Detail: fmt.Sprintf(
			"%s has a policy of revision %d: to change it, name that revision in If-Match", of(name), held)}
	case match == nil || *match == held && held != 0:
		return nil
	case held == 0:
		return &Refusal{Reason: Mismatch, Detail: fmt.Sprintf(
			"%s has no policy, and If-Match names revision %d: it was removed, or never was there", of(name), *match)}
	}
	return &Refusal{Reason: Mismatch, Revision: held, Detail: fmt.Sprintf(
		"the policy of %s has revision %d, and If-Match names %d: somebody has changed it; read it again first",
		of(name), held, *match)}
}

func of(name string) string {
	if name == All {
		return "* (all wallets)"
	}
	return name
}

func checkSize(now *store.Limits) *Refusal {
	size := 0
	for name, p := range now.Policies {
		size += len(name) + len(p.Rules)
	}
	switch {
	case len(now.Policies) > MaxPolicies:
		return &Refusal{Reason: Invalid, Field: "wallet", Detail: fmt.Sprintf(
			"there are %d policies, and no more can be kept: remove one first", MaxPolicies)}
	case size > MaxBytes:
		return &Refusal{Reason: Invalid, Field: "rules", Detail: fmt.Sprintf(
			"all policies together would take %d bytes, and %d can be kept: shorten lists of assets", size, MaxBytes)}
	}
	return nil
}

func checkReason(on bool, reason string) *Refusal {
	bad := ""
	switch {
	case on && reason == "":
		bad = "reason is missing: say why, for those who find their orders refused"
	case utf8.RuneCountInString(reason) > maxReason:
		bad = fmt.Sprintf("reason has more than %d characters", maxReason)
	case !utf8.ValidString(reason), strings.ContainsFunc(reason, func(r rune) bool { return !unicode.IsPrint(r) }):
		bad = "reason has a line break or a character that cannot be seen: write one line of plain text"
	}
	if bad == "" {
		return nil
	}
	return &Refusal{Reason: Invalid, Field: "reason", Detail: bad}
}
