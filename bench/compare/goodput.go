//go:build linux

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// The stage goodput asks two services in closed loops, with more and more connections: the service as it
// is, and the same one with --max-queue-wait 0, which refuses nobody for a wait.

var (
	goodputTargets     = []string{growthTarget(2), targetMonitor, targetMonte}
	goodputConnections = []int{16, 64, 256}
)

// patient returns the name of a target at the service that refuses nobody.
func patient(target string) string { return target + ", patient" }

func goodputStage(connections int) string { return fmt.Sprintf("%s %d", stageGoodput, connections) }

// goodput alternates between both services on one processor.
func (h *harness) goodput() (err error) {
	dir := filepath.Join(h.dir, "patient")
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(h.dir, "keys"))); err != nil {
		return err
	}
	if h.patient, err = h.serve(serverCPU, dir, "--max-queue-wait", "0"); err != nil {
		return err
	}
	defer h.stopOne(h.patient)
	for n := range (h.flags.Rounds + 1) / 2 {
		for _, connections := range goodputConnections {
			for _, target := range goodputTargets {
				for _, t := range []string{target, patient(target)} {
					if _, err := h.round(goodputStage(connections), t, n, "--closed", "--connections",
						fmt.Sprint(connections)); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// worstGoodput returns the smallest ratio of good answers to those of the service that refuses nobody, over
// all kinds of requests and numbers of connections.
func worstGoodput(rows map[string]Row) float64 {
	var ratios []float64
	for _, connections := range goodputConnections {
		for _, target := range goodputTargets {
			ratios = append(ratios, rows[goodputStage(connections)+target].RateRatio)
		}
	}
	return slices.Min(ratios)
}

// slowestRefusal returns the longest p99 of a refusal in closed loops, as a multiple of 25 ms.
func slowestRefusal(rows map[string]Row) float64 {
	longest := 0.0
	for _, connections := range goodputConnections {
		for _, target := range goodputTargets {
			longest = max(longest, rows[goodputStage(connections)+target].ShedP99)
		}
	}
	return longest / 25_000
}
