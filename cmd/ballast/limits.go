package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"ballast/internal/store"
	"ballast/server/limits"
	"ballast/server/replicas"
)

// Validate rejects an empty name of the folder.
func (f *sharedFlags) Validate() error {
	if f.NATSURL != "" {
		return nil
	}
	return f.dataFlag.Validate()
}

// withDatabase runs do with the database of the data directory. change says that do changes whose is kept there: what
// may be a copy.
func (f *sharedFlags) withDatabase(open func(dataDir string) (*store.Main, error), whose string, change bool,
	do func(*store.Main) error) error {
	db, err := open(f.DataDir)
	if err != nil {
		return err
	}
	defer db.Close()
	switch shared, err := db.IsCopy(); {
	case err != nil:
		return err
	case shared && change:
		return fmt.Errorf("--data-dir %s: its %s are a copy of those that replicas share through NATS: name the "+
			"cluster with --nats-url", f.DataDir, whose)
	case shared:
		fmt.Fprintf(os.Stderr, "these are the %s that the replica on %s knew last; those of the cluster: --nats-url\n",
			whose, f.DataDir)
	}
	return do(db)
}

// withLimits runs do with the policies and kill switch of the cluster if --nats-url names one, else with those of
// the data directory, until the command is interrupted. change says that do changes them.
func (f *limitsFlags) withLimits(change bool, do func(context.Context, limits.Keeper) error) error {
	ctx, stop := untilInterrupted()
	defer stop()
	if f.NATSURL != "" {
		return withNode(ctx, f.NATSURL, func(node *replicas.Node) (*replicas.Limits, error) {
			return replicas.NewLimits(node, nil)
		}, func(shared *replicas.Limits) error { return do(ctx, shared) })
	}
	return f.withDatabase(openExisting, "policies and kill switch", change, func(db *store.Main) error {
		own, err := limits.NewLocal(db, commandLog())
		if err != nil {
			return err
		}
		return do(ctx, own)
	})
}

// withNode runs do as a member of a cluster with what open returns, once that has been read.
func withNode[T interface{ Load(context.Context) error }](ctx context.Context, url string,
	open func(*replicas.Node) (T, error), do func(T) error) error {
	node, err := replicas.Open(replicas.Config{URL: url, Log: commandLog()})
	if err != nil {
		return fmt.Errorf("--nats-url: %w", err)
	}
	defer node.Close()
	held, err := open(node)
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, keysOpen)
	defer cancel()
	for err = held.Load(limited); errors.Is(err, replicas.ErrDown) && limited.Err() == nil; err = held.Load(limited) {
		select {
		case <-limited.Done():
		case <-node.Reconnection().Done():
		case <-time.After(clusterTry):
		}
	}
	if err != nil {
		return fmt.Errorf("--nats-url: %w", err)
	}
	return do(held)
}

// switched is the kill switch, in the form that --json prints.
type switched struct {
	On       bool       `json:"on"`
	Reason   string     `json:"reason"`
	Since    *time.Time `json:"since"` // nil: never turned
	Who      string     `json:"who"`
	Revision uint64     `json:"revision"`
}

// Run turns the kill switch on.
func (c *killSwitchOnCmd) Run() error { return c.turn(limits.Turn(true, c.Reason, nil)) }

// Run turns the kill switch off.
func (c *killSwitchOffCmd) Run() error { return c.turn(limits.Turn(false, c.Reason, nil)) }

// turn turns the switch and prints it.
func (f *limitsFlags) turn(edit limits.Edit) error {
	return f.withLimits(true, func(ctx context.Context, k limits.Keeper) error {
		state, err := k.Change(ctx, operator(), edit)
		if err != nil {
			return err
		}
		return f.printSwitch(state)
	})
}

// Run prints the kill switch.
func (c *killSwitchStatusCmd) Run() error {
	return c.withLimits(false, func(_ context.Context, k limits.Keeper) error { return c.printSwitch(k.State()) })
}

func (f *limitsFlags) printSwitch(state *limits.State) error {
	s := &state.Switch
	if f.JSON {
		shown := switched{s.On, s.Reason, &s.At, s.Who, s.Revision}
		if s.At.IsZero() {
			shown.Since = nil
		}
		return printJSON(os.Stdout, shown)
	}
	word, why := "off", ""
	if s.On {
		word = "ON"
	}
	if s.Reason != "" {
		why = ": " + s.Reason
	}
	if s.At.IsZero() {
		fmt.Println("kill switch off, it was never turned")
		return nil
	}
	fmt.Printf("kill switch %s since %s by %s%s\n", word, s.At.Format(time.RFC3339), s.Who, why)
	return nil
}
