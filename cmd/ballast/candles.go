package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"ballast/compute/candles"
	"ballast/marketcache"
)

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
		if err := extendFile(os.Stdout, c.Out, asset, all); err != nil {
			return err
		}
	}
	return nil
}

// extendFile adds bars to an asset's file and prints what the file now holds.
func extendFile(w io.Writer, dir, asset string, bars []marketcache.Bar) error {
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
	fmt.Fprintln(w)
	return nil
}
