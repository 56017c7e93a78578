// Command plots draws two pictures from a result file of compare, and writes them next to that
// file:
//
//	latency.png   latency by percentile at half the capacity, for the service and its yardsticks
//	growth.png    CPU time of a validation by the number of positions of the wallet
//
//	go run ./bench/plots [-format svg] bench/results/DATE.json
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	format := flag.String("format", "png", "png or svg")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: plots [-format png|svg] RESULTS.json")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 || *format != "png" && *format != "svg" {
		flag.Usage()
		os.Exit(2)
	}
	names, err := run(flag.Arg(0), *format)
	if err != nil {
		fmt.Fprintln(os.Stderr, "plots:", err)
		os.Exit(1)
	}
	fmt.Println(strings.Join(names, "\n"))
}

// results holds the parts of a result file that are drawn.
type results struct {
	Date    string
	Machine struct{ CPU, Commit string }
	Growth  []struct {
		Positions int
		CPUUs     float64 `json:"cpu_us"`
	}
	Rounds []struct {
		Stage, Target string
		Report        struct {
			Curve []struct{ Percent, Us float64 }
		}
	}
}

// run draws the pictures for which the file has data and returns their names.
func run(path, format string) (names []string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var r results
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	base := strings.TrimSuffix(path, filepath.Ext(path))
	if lines := r.latency(); len(lines) > 0 {
		name := base + "-latency." + format
		if err := r.drawLatency(lines, name); err != nil {
			return names, err
		}
		names = append(names, name)
	}
	if len(r.Growth) > 1 {
		name := base + "-growth." + format
		if err := r.drawGrowth(name); err != nil {
			return names, err
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("%s has neither the stage latency nor the stage growth", path)
	}
	return names, nil
}
