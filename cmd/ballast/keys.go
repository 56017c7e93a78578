package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"text/tabwriter"

	"ballast/server/auth"
	"ballast/server/replicas"
)

// Validate rejects settings that do not fit together.
func (c *keysIssueCmd) Validate() error {
	return errors.Join(c.keysFlags.Validate(), c.checkMail())
}

// Run issues a key and prints or mails it. The key is shown nowhere else.
func (c *keysIssueCmd) Run() error {
	mail, err := c.mailer()
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGPIPE) // a key that cannot be printed is revoked
	var role auth.Role
	if err := role.UnmarshalText([]byte(c.Role)); err != nil {
		return err
	}
	// On an interrupt the command still finishes: a key whose mail is abandoned is revoked.
	return c.withKeyring(true, true, func(ctx context.Context, ring keyring) error {
		key, k, err := ring.Issue(ctx, c.Email, role)
		if err != nil {
			return err
		}
		made := &issued{ID: k.ID, Key: key, Email: k.Email, Role: k.Role, Created: k.Created}
		if mail != nil {
			if err := made.send(ctx, mail, ring); err != nil {
				return err
			}
		}
		return c.hand(ctx, made, ring)
	})
}

// hand prints the key, or that it was mailed. A key that cannot be printed is revoked.
func (c *keysIssueCmd) hand(ctx context.Context, made *issued, ring keyring) error {
	err := made.print(os.Stdout, c.JSON)
	switch {
	case err == nil:
		return nil
	case made.Mailed:
		return fmt.Errorf("the key with id %s was mailed to %s, but this could not be printed: %w",
			made.ID, made.Email, err)
	}
	return made.takeBack(ctx, "printed", fmt.Errorf("%w: issue another where its output can be read", err), ring)
}

// print writes the key, or that it was mailed, all at once.
func (i *issued) print(w io.Writer, asJSON bool) (err error) {
	switch {
	case asJSON:
		return printJSON(w, i)
	case i.Mailed:
		_, err = fmt.Fprintf(w, "mailed to %s, id %s\n", i.Email, i.ID)
	default:
		_, err = fmt.Fprintf(w, "%s\n\nid %s, for %s, %v. The key is shown this once; only its hash is kept.\n", i.Key,
			i.ID, i.Email, i.Role)
	}
	return err
}

// Run lists the keys.
func (c *keysListCmd) Run() error {
	var keys []auth.Key
	err := c.withKeyring(false, false, func(ctx context.Context, ring keyring) (err error) {
		keys, err = ring.List(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if c.JSON {
		if keys == nil {
			keys = []auth.Key{}
		}
		return printJSON(os.Stdout, keys)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tEMAIL\tROLE\tCREATED\tLAST USED\tREVOKED")
	const minute = "2006-01-02 15:04"
	for _, k := range keys {
		used, revoked := "never", "no"
		if k.LastUsed != nil {
			used = k.LastUsed.UTC().Format(minute)
		}
		if k.Revoked {
			revoked = "yes"
		}
		fmt.Fprintf(w, "%s\t%s\t%v\t%s\t%s\t%s\n", k.ID, k.Email, k.Role, k.Created.UTC().Format(minute), used, revoked)
	}
	return w.Flush()
}

// Run revokes a key.
func (c *keysRevokeCmd) Run() error {
	if err := c.withKeyring(true, false, func(ctx context.Context, ring keyring) error {
		return explainID(ring.Revoke(ctx, c.ID), c.ID)
	}); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(os.Stdout, struct {
			ID      string `json:"id"`
			Revoked bool   `json:"revoked"`
		}{c.ID, true})
	}
	fmt.Printf("revoked %s\n", c.ID)
	return nil
}

// Validate rejects settings that do not fit together.
func (c *keysRebuildCmd) Validate() error {
	var noCluster error
	if c.NATSURL == "" {
		noCluster = errors.New(
			"--nats-url is missing: want the cluster to which the keys of the data directory are added")
	}
	return errors.Join(c.dataFlag.Validate(), noCluster)
}

// Run adds to a cluster the keys that only the data directory has.
func (c *keysRebuildCmd) Run() error {
	ctx, stop := untilInterrupted()
	defer stop()
	db, err := openExisting(c.DataDir)
	if err != nil {
		return err
	}
	defer db.Close()
	held := auth.NewStore()
	if _, _, _, err := held.Read(db, 0); err != nil {
		return err
	}
	var put replicas.PutBack
	err = c.withCluster(ctx, func(keys *replicas.Keys) (err error) {
		put, err = keys.Rebuild(ctx, held)
		return err
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(os.Stdout, put)
	}
	fmt.Printf("put back %d keys and %d revocations, left %d conflicting ids alone\n",
		put.Keys, put.Revocations, put.Conflicts)
	return nil
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
