package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"ballast/server/auth"
)

// openKeys opens the key store of a data directory, making the directory if need be.
func openKeys(dataDir string) (*auth.Store, error) {
	if err := os.MkdirAll(dataDir, 0o700); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	store, err := auth.Open(filepath.Join(dataDir, "keys.json"))
	if err != nil {
		return nil, fmt.Errorf("key store: %w", err)
	}
	return store, nil
}

// Run issues a key. Its text is printed here and nowhere else, ever.
func (c *keysIssueCmd) Run() error {
	store, err := openKeys(c.DataDir)
	if err != nil {
		return err
	}
	key, k, err := store.Issue(c.Email)
	if err != nil {
		return err
	}
	if c.JSON {
		return printJSON(os.Stdout, struct {
			ID      string    `json:"id"`
			Key     string    `json:"key"`
			Email   string    `json:"email"`
			Created time.Time `json:"created"`
		}{k.ID, key, k.Email, k.Created})
	}
	fmt.Printf("%s\n\nid %s, for %s. The key is shown this once; only its hash is kept.\n", key, k.ID, k.Email)
	return nil
}

// Run lists the keys.
func (c *keysListCmd) Run() error {
	store, err := openKeys(c.DataDir)
	if err != nil {
		return err
	}
	keys, err := store.List()
	if err != nil {
		return err
	}
	if c.JSON {
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
	store, err := openKeys(c.DataDir)
	if err != nil {
		return err
	}
	if err := store.Revoke(c.ID); err != nil {
		if errors.Is(err, auth.ErrNoSuchKey) {
			return fmt.Errorf("no key with id %q", c.ID)
		}
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

func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
