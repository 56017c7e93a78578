package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"ballast/policy"
	"ballast/server/limits"
)

// differ is the exit status of `ballast policy diff` when the file and what is in force differ.
const differ = 10

// Run makes the policies those of a file.
func (c *policyApplyCmd) Run() error {
	wanted, err := readPolicies(c.File, c.Wallet)
	if err != nil {
		return err
	}
	return c.withLimits(true, func(ctx context.Context, k limits.Keeper) error {
		changes, err := compare(k.State(), wanted, c.Prune)
		if err != nil {
			return err
		}
		if c.Prune && liftsAll(changes) {
			return fmt.Errorf("%s: the file has no rule, and --prune would lift every limit: nothing was applied. "+
				"`ballast policy diff --prune` lists them; to lift them, name each policy in the file, as "+
				"\"*\": {}, and leave --prune out", c.File)
		}
		var edits []limits.Edit
		for _, change := range changes {
			if change.edit != nil {
				edits = append(edits, change.edit)
			}
		}
		state, err := k.Change(ctx, operator(), limits.Together(edits...))
		if refusal := new(limits.Refusal); errors.As(err, &refusal) && refusal.Reason != limits.Invalid {
			return fmt.Errorf("somebody has changed a policy at this moment, nothing was applied: see `ballast policy "+
				"diff` and apply again (%w)", err)
		}
		if err != nil {
			return err
		}
		return c.printChanges(changes, state)
	})
}

// Run prints what apply would change.
func (c *policyDiffCmd) Run() error {
	wanted, err := readPolicies(c.File, c.Wallet)
	if err != nil {
		return err
	}
	differs := false
	err = c.withLimits(false, func(_ context.Context, k limits.Keeper) error {
		changes, err := compare(k.State(), wanted, c.Prune)
		if err != nil {
			return err
		}
		differs = slices.ContainsFunc(changes, func(change policyChange) bool { return change.edit != nil })
		return c.printChanges(changes, k.State())
	})
	if err == nil && differs {
		return exitStatus(differ)
	}
	return err
}

// Run prints policies in the form of a file that apply reads.
func (c *policyShowCmd) Run() error {
	only, ok := limits.Name([]byte(c.Wallet))
	if c.Wallet != "" && !ok {
		return noWallet(c.Wallet)
	}
	return c.withLimits(false, func(_ context.Context, k limits.Keeper) error {
		state := k.State()
		names := slices.Sorted(maps.Keys(state.Policies))
		if ok {
			names = slices.DeleteFunc(names, func(n string) bool { return n != only })
		}
		if c.JSON {
			shown := make([]shownPolicy, len(names))
			for i, name := range names {
				p := state.Policies[name]
				shown[i] = shownPolicy{name, p.Revision, p.At, p.Who, p.Rules}
			}
			return printJSON(os.Stdout, shown)
		}
		if len(names) == 0 {
			fmt.Println("# no policy")
		}
		for _, name := range names {
			p := state.Policies[name]
			rules, bad := policy.DecodeJSON(p.Rules)
			if bad != nil {
				return bad
			}
			fmt.Printf("# revision %d, since %s by %s\n", p.Revision, p.At.Format(time.RFC3339), p.Who)
			printRules(os.Stdout, name, &rules)
		}
		return nil
	})
}

// printRules prints a policy as YAML.
func printRules(w io.Writer, name string, r *policy.Rules) {
	if r.Empty() {
		fmt.Fprintf(w, "%q: {}\n", name)
		return
	}
	fmt.Fprintf(w, "%q:\n", name)
	for rule := range policy.KillSwitch {
		if r.Has(rule) {
			fmt.Fprintf(w, "  %v: %s\n", rule, r.AppendLimit(nil, rule))
		}
	}
}

func noWallet(text string) error {
	return fmt.Errorf("%.64q is no wallet: want 0x and 40 hexadecimal digits, or * for all wallets", text)
}

// policyChange is what a file changes of one policy.
type policyChange struct {
	name     string
	word     string // new, changed, removed, same, or kept: not in the file
	edit     limits.Edit
	old, now policy.Rules
}

// compare returns what a file changes, by the names of the policies. prune removes those that it does not name.
func compare(state *limits.State, wanted map[string]policy.Rules, prune bool) (changes []policyChange, err error) {
	names := maps.Clone(wanted)
	for name := range state.Policies {
		names[name] = wanted[name]
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		held, exists := state.Policies[name]
		now, named := wanted[name]
		change := policyChange{name: name, word: "same", now: now}
		if exists {
			var bad *policy.Problem
			if change.old, bad = policy.DecodeJSON(held.Rules); bad != nil {
				return nil, bad
			}
		}
		revision := held.Revision
		switch {
		case !exists:
			change.word, change.edit = "new", limits.Put(name, &now, nil)
		case !named && prune:
			change.word, change.edit = "removed", limits.Remove(name, &revision)
		case !named:
			change.word, change.now = "kept", change.old
		case string(now.AppendJSON(nil)) != string(change.old.AppendJSON(nil)):
			change.word, change.edit = "changed", limits.Put(name, &now, &revision)
		}
		changes = append(changes, change)
	}
	return changes, nil
}

// liftsAll reports whether there are rules, and none of them, nor another, would be left.
func liftsAll(changes []policyChange) bool {
	limited := func(c policyChange) bool { return !c.old.Empty() }
	left := func(c policyChange) bool { return !c.now.Empty() }
	return slices.ContainsFunc(changes, limited) && !slices.ContainsFunc(changes, left)
}

// shownPolicy and shownChange are what --json prints.
type shownPolicy struct {
	Wallet   string    `json:"wallet"`
	Revision uint64    `json:"revision"`
	Since    time.Time `json:"since"`
	Who      string    `json:"who"`
	Rules    any       `json:"rules"`
}

type shownChange struct {
	Wallet   string        `json:"wallet"`
	Change   string        `json:"change"`
	Revision uint64        `json:"revision"` // now; 0: there is no policy
	Rules    *policy.Rules `json:"rules"`    // of the file; of a policy that is kept its own
}

// printChanges prints what changes, and what then is there.
func (f *policyFileFlags) printChanges(changes []policyChange, state *limits.State) error {
	if f.JSON {
		shown := make([]shownChange, len(changes))
		for i, c := range changes {
			shown[i] = shownChange{c.name, c.word, state.Policies[c.name].Revision, &changes[i].now}
		}
		return printJSON(os.Stdout, shown)
	}
	for i := range changes {
		c := &changes[i]
		switch c.word {
		case "kept":
			fmt.Printf("%s: not in the file, stays as it is (--prune removes it)\n", c.name)
		case "same":
			fmt.Printf("%s: no change\n", c.name)
		default:
			fmt.Printf("%s: %s\n", c.name, c.word)
			c.printRules(os.Stdout)
		}
	}
	return nil
}

// printRules prints the rules that differ.
func (c *policyChange) printRules(w io.Writer) {
	text := func(r *policy.Rules, rule policy.Rule) string {
		if !r.Has(rule) {
			return "no limit"
		}
		return string(r.AppendLimit(nil, rule))
	}
	for rule := range policy.KillSwitch {
		if was, is := text(&c.old, rule), text(&c.now, rule); was != is {
			fmt.Fprintf(w, "  %v: %s -> %s\n", rule, strings.TrimSpace(was), is)
		}
	}
}
