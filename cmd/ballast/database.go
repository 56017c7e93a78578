package main

import (
	"fmt"
	"os"
	"text/tabwriter"
	"time"

	"ballast/internal/store"
)

// Run writes a copy of the database.
func (c *backupCmd) Run() error {
	db, err := openExisting(c.DataDir)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.Backup(c.File); err != nil {
		return err
	}
	fmt.Printf("wrote %s; to restore it, stop the service, move %s and its -wal and -shm away, and copy it to that "+
		"name\n", c.File, db.Path())
	return nil
}

// Run prints who has issued and revoked keys, oldest first.
func (c *auditCmd) Run() error {
	db, err := openExisting(c.DataDir)
	if err != nil {
		return err
	}
	defer db.Close()
	events := []store.Event{}
	if err := db.Audit(func(e store.Event) error { events = append(events, e); return nil }); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(os.Stdout, events)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "TIME\tWHO\tEVENT\tSUBJECT\tDETAIL")
	for _, e := range events {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", e.Time.UTC().Format(time.RFC3339), e.Who, e.Event, e.Subject, e.Detail)
	}
	return w.Flush()
}
