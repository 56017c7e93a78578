package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"text/tabwriter"

	"ballast/server/auth"
	"ballast/server/cluster"
)

// Validate rejects an empty name of the folder.
func (f *keysFlags) Validate() error {
	if f.DataDir == "" && f.NATSURL == "" {
		return errNoDataDir
	}
	return nil
}

// Validate rejects settings that do not fit together.
func (c *keysIssueCmd) Validate() error {
	return errors.Join(checkEmail(c.Email), c.keysFlags.Validate(), c.checkMail())
}

// within runs do with the keyring of an existing store or cluster. It creates no store.
func (f *keysFlags) within(do func(ctx context.Context, ring keyring) error) error {
	if f.NATSURL == "" {
		if err := checkKeys(f.DataDir); err != nil {
			return err
		}
	}
	ctx, stop := untilInterrupted()
	defer stop()
	return f.withKeyring(ctx, "", func(ring keyring) error { return do(ctx, ring) })
}

// storeDir is the folder of a data directory in which package cluster keeps the store.
const storeDir = "nats"

// checkKeys reports an error for a data directory that does not exist, or that has neither a key
// store nor a running service: its name may be misspelt.
func checkKeys(dataDir string) error {
	if _, err := os.Stat(dataDir); err != nil {
		return fmt.Errorf("--data-dir: %w: want the data directory of the service", err)
	}
	for _, name := range []string{storeDir, cluster.AuditFile} {
		if _, err := os.Stat(filepath.Join(dataDir, name)); !errors.Is(err, fs.ErrNotExist) {
			return nil
		}
	}
	if dataInUse(dataDir) { // a service that has not made its store yet
		return nil
	}
	return fmt.Errorf("--data-dir %s: there is no store of keys in it: want the data directory of the service", dataDir)
}

func untilInterrupted() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// withKeyring opens the keyring while do runs.
func (f *keysFlags) withKeyring(ctx context.Context, auditDir string, do func(keyring) error) error {
	ring, err := f.openKeyring(ctx, auditDir)
	if err != nil {
		return err
	}
	defer ring.close()
	return do(ring)
}

// Run issues a key and prints or mails it. The key is shown nowhere else.
func (c *keysIssueCmd) Run() error {
	mail, err := c.mailer()
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGPIPE) // a key that cannot be printed is revoked
	// On an interrupt the command still finishes: a key whose mail is abandoned is revoked.
	ctx, stop := untilInterrupted()
	defer stop()
	var made *issued
	err = c.withKeyring(ctx, "", func(ring keyring) (err error) {
		made, err = ring.issue(ctx, c.Email, mail == nil)
		return err
	})
	if err != nil {
		return err
	}
	revoke := func(ctx context.Context, id string) error {
		return c.withKeyring(ctx, "", func(ring keyring) error { return ring.revoke(ctx, id) })
	}
	if mail != nil {
		// The store is closed while the mail server works, which may take time.
		if err := made.send(ctx, mail, revoke); err != nil {
			return err
		}
	}
	err = made.print(os.Stdout, c.JSON)
	switch {
	case made.Mailed && err != nil:
		return fmt.Errorf("the key with id %s was mailed to %s, but this could not be printed: %w", made.ID, made.Email, err)
	case err == nil && !made.Mailed && isNowhere(os.Stdout):
		err = errors.New("standard output is closed or " + os.DevNull)
	}
	if err != nil {
		return made.takeBack(ctx, "printed", fmt.Errorf("%w: issue another where its output can be read", err), revoke)
	}
	return nil
}

// maxEmail is the longest e-mail address in bytes: RFC 5321, section 4.5.3.1.3, without its brackets.
const maxEmail = 254

// checkEmail reports an error for an address that does not fit into a request. Package auth checks the rest.
func checkEmail(email string) error {
	if len(email) > maxEmail {
		return fmt.Errorf("--email: %d bytes: want an address of at most %d", len(email), maxEmail)
	}
	return nil
}

// print writes the key, or that it was mailed, all at once.
func (i *issued) print(w io.Writer, asJSON bool) (err error) {
	switch {
	case asJSON:
		return printJSON(w, i)
	case i.Mailed:
		_, err = fmt.Fprintf(w, "mailed to %s, id %s\n", i.Email, i.ID)
	default:
		_, err = fmt.Fprintf(w, "%s\n\nid %s, for %s. The key is shown this once; only its hash is kept.\n", i.Key, i.ID, i.Email)
	}
	return err
}

// isNowhere reports whether what is written to a file vanishes. Go opens a standard output that is closed
// at the start as the null device.
func isNowhere(f *os.File) bool {
	null, err := os.Stat(os.DevNull)
	if err != nil {
		return false
	}
	info, err := f.Stat()
	return err == nil && os.SameFile(info, null)
}

// Run lists the keys.
func (c *keysListCmd) Run() error {
	var keys []auth.Key
	err := c.within(func(ctx context.Context, ring keyring) (err error) {
		keys, err = ring.list(ctx)
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
	fmt.Fprintln(w, "ID\tEMAIL\tCREATED\tLAST USED\tREVOKED")
	const minute = "2006-01-02 15:04"
	for _, k := range keys {
		used, revoked := "never", "no"
		if k.LastUsed != nil {
			used = k.LastUsed.UTC().Format(minute)
		}
		if k.Revoked {
			revoked = "yes"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", k.ID, k.Email, k.Created.UTC().Format(minute), used, revoked)
	}
	return w.Flush()
}

// Run revokes a key.
func (c *keysRevokeCmd) Run() error {
	err := c.within(func(ctx context.Context, ring keyring) error { return ring.revoke(ctx, c.ID) })
	if err != nil {
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

// Run restores missing keys in a store from the audit file.
func (c *keysRebuildCmd) Run() error {
	if _, err := os.Stat(filepath.Join(c.DataDir, cluster.AuditFile)); err != nil {
		return fmt.Errorf("--data-dir: nothing to rebuild from: %w", err)
	}
	ctx, stop := untilInterrupted()
	defer stop()
	var put cluster.PutBack
	err := c.withKeyring(ctx, c.DataDir, func(ring keyring) (err error) {
		put, err = ring.rebuild(ctx)
		return err
	})
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(os.Stdout, put)
	}
	fmt.Printf("put back %d keys and %d revocations, left %d conflicting ids alone\n", put.Keys, put.Revocations, put.Conflicts)
	return nil
}

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
