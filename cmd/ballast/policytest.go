package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"ballast/policy"
	"ballast/server/api"
	"ballast/server/journal"
	"ballast/server/limits"
)

type policyTestCmd struct {
	Decisions bool   `required:"" env:"-" help:"Try the file on the recorded decisions of the data directory."`
	From      moment `placeholder:"TIME" help:"The first moment of the decisions, RFC 3339, UTC; a day before --to."`
	To        moment `placeholder:"TIME" help:"The end of the time, not included; now."`
	policyFileFlags
}

// span returns the time of the decisions.
func (c *policyTestCmd) span() (from, to time.Time) {
	to = cmp.Or(c.To.time(), time.Now()).UTC()
	return cmp.Or(c.From.time().UTC(), to.AddDate(0, 0, -1)), to
}

// Run prints what recorded decisions would have been under the policies of a file.
func (c *policyTestCmd) Run() error {
	from, to := c.span()
	if !from.Before(to) {
		return errors.New("--from: want a time before --to")
	}
	wanted, err := readPolicies(c.File, c.Wallet)
	if err != nil {
		return err
	}
	var table *policy.Table
	if err := c.withLimits(false, func(_ context.Context, k limits.Keeper) (err error) {
		table, err = k.State().Tried(wanted, c.Prune)
		return err
	}); err != nil {
		return err
	}
	db, err := openExisting(c.DataDir)
	if err != nil {
		return err
	}
	defer db.Close()
	names := slices.Sorted(maps.Keys(wanted))
	wallets := names
	if slices.Contains(names, limits.All) || c.Prune {
		wallets = nil
	}
	ctx, stop := untilInterrupted()
	defer stop()
	decisions := journal.Reader{Store: db}
	trial, ended, err := decisions.Try(from, to, table, wallets, func() bool { return ctx.Err() == nil })
	switch {
	case err != nil:
		return err
	case !ended:
		return ctx.Err()
	case c.JSON:
		_, err = fmt.Printf("%s\n", trial.AppendJSON(nil, strings.Join(names, ",")))
	default:
		err = printTrial(os.Stdout, trial)
	}
	if err == nil && trial.Changed > 0 {
		return exitStatus(differ)
	}
	return err
}

// printTrial prints a trial as a table of counts, and a line for each decision that changes.
func printTrial(out io.Writer, t *journal.Trial) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%d decisions from %s to %s\n", t.Decisions, t.From.Format(time.RFC3339), t.To.Format(time.RFC3339))
	if t.NotAssessed > 0 {
		fmt.Fprintf(w, "%d more have no figures: actions that the gate passed on or refused unseen\n", t.NotAssessed)
	}
	if t.Unreadable > 0 {
		fmt.Fprintf(w, "%d blocks of decisions are damaged and left out\n", t.Unreadable)
	}
	fmt.Fprintln(w, "VERDICT\tAS IT WAS\tWITH THE FILE")
	for o := range policy.Unknown + 1 {
		fmt.Fprintf(w, "%v\t%d\t%d\n", o, t.Before[o], t.After[o])
	}
	if t.Changed > 0 {
		fmt.Fprintf(w, "\n%d would change", t.Changed)
		if n := len(t.Changes); n < t.Changed {
			fmt.Fprintf(w, ", the first %d", n)
		}
		fmt.Fprintln(w, ":\nTIME\tREQUEST\tWALLET\tTRADE\tVERDICT\tRULES")
	}
	for i := range t.Changes {
		c := &t.Changes[i]
		d := c.Decision
		fmt.Fprintf(w, "%s\t%s\t%s\t%s %s USD of %s\t%v -> %v\t%s\n", d.At.Format(time.RFC3339), d.RequestID, d.Wallet,
			d.Action, usd(d.SizeUSD), d.Asset, c.Before, c.After, api.PolicyWords(c.Violations))
	}
	return w.Flush()
}
