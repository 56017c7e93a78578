package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ballast/compute/candles"
	"ballast/marketcache"
)

// fetchTimeout bounds one request for candles.
const fetchTimeout = 30 * time.Second

// Run downloads each asset's hourly candles and adds them to the asset's file.
func (c *candlesFetchCmd) Run() error {
	for _, asset := range c.Asset {
		if err := candles.CheckName(asset); err != nil {
			return fmt.Errorf("--asset: %w", err)
		}
	}
	ctx, stop := untilInterrupted()
	defer stop()
	base, closeVenue, err := openVenue(ctx, c.Venue)
	if err != nil {
		return err
	}
	defer closeVenue()
	if err := os.MkdirAll(c.Out, 0o755); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	progress := newProgress(os.Stderr)
	venue := &candles.Venue{Base: base, Client: &http.Client{Timeout: fetchTimeout}}
	for i, asset := range c.Asset {
		progress.say("fetching %s, %d of %d", asset, i+1, len(c.Asset))
		venue.Waiting = func(d time.Duration) {
			progress.say("fetching %s, %d of %d: the venue asks to wait %v", asset, i+1, len(c.Asset), d)
		}
		bars, dropped, err := venue.Fetch(ctx, asset, c.From.ms)
		progress.clear()
		if ctx.Err() != nil {
			return fmt.Errorf("interrupted while %s was fetched; files written before stay", asset)
		}
		if err != nil {
			return err
		}
		if err := extendFile(os.Stdout, c.Out, asset, bars, dropped); err != nil {
			return err
		}
	}
	return nil
}

// Validate rejects what is no venue.
func (c *candlesFetchCmd) Validate() error {
	_, err := venueAddress(c.Venue)
	return err
}

// openVenue returns the address of a venue. For "sim" it starts a simulated venue, which
// closeVenue stops.
func openVenue(ctx context.Context, name string) (base string, closeVenue func(), err error) {
	base, err = venueAddress(name)
	if err != nil || base != "" {
		return base, func() {}, err
	}
	m := &market{stop: func() {}}
	base, err = m.startSim(ctx, slog.New(slog.DiscardHandler))
	return base, m.shutdown, err
}

// Run adds public files of hourly candles to the files of their assets.
func (c *candlesImportCmd) Run() error {
	if c.Asset != "" {
		if err := candles.CheckName(c.Asset); err != nil {
			return fmt.Errorf("--asset: %w", err)
		}
	}
	files := map[string][]string{}
	var assets []string // in the order of the arguments
	for _, path := range c.Files {
		asset := c.Asset
		if asset == "" {
			var err error
			if asset, err = candles.AssetOfPublic(path); err != nil {
				return err
			}
		}
		if !slices.Contains(assets, asset) {
			assets = append(assets, asset)
		}
		files[asset] = append(files[asset], path)
	}
	if err := os.MkdirAll(c.Out, 0o755); err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	progress := newProgress(os.Stderr)
	defer progress.clear()
	for _, asset := range assets {
		var all []marketcache.Bar
		for i, path := range files[asset] {
			progress.say("reading %s, file %d of %d", asset, i+1, len(files[asset]))
			bars, err := candles.ReadPublic(path)
			if err != nil {
				return err
			}
			all, _ = candles.Join(all, bars)
		}
		progress.clear()
		if err := extendFile(os.Stdout, c.Out, asset, all, 0); err != nil {
			return err
		}
	}
	return nil
}

// errNoBar reports that a venue has no closed bar of an asset in the requested time.
var errNoBar = errors.New(
	"there is no closed hourly bar: choose an earlier --from, or wait until the asset has traded for an hour")

// extendFile adds bars to an asset's file and prints what the file now holds.
func extendFile(w io.Writer, dir, asset string, bars []marketcache.Bar, dropped int) error {
	if len(bars) == 0 {
		return fmt.Errorf("%s: %w", asset, errNoBar)
	}
	path := filepath.Join(dir, candles.FileName(asset))
	all, added, err := candles.Extend(path, bars)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s  %s hourly bars, %s of them new, %s to %s", path, grouped(len(all)), grouped(added),
		hour(all[0].OpenMs), hour(all[len(all)-1].OpenMs))
	if n := candles.Missing(all); n > 0 {
		fmt.Fprintf(w, ", %s hours without a bar", grouped(n))
	}
	if dropped > 0 {
		fmt.Fprintf(w, ", %s impossible bars left out", grouped(dropped))
	}
	fmt.Fprintln(w)
	return nil
}
