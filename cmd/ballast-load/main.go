// Command ballast-load sends validations, batches and monitor calls to a running service at a
// constant rate and reports the latency of the answers. See package load.
//
// Exit status: 0 when the run was complete and its objectives are met; 1 when an objective is
// missed, or the run ended early or could not start; 2 for invalid arguments.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"ballast/bench/load"
)

const (
	exitBroken = 1
	exitUsage  = 2
)

func main() { os.Exit(run(os.Args[1:], os.Environ(), os.Stdout, os.Stderr, isTerminal(os.Stderr))) }

// run is main with arguments, environment and output streams as parameters; it returns the exit
// status.
func run(args, environ []string, stdout, stderr io.Writer, terminal bool) int {
	fail := func(status int, err error) int {
		fmt.Fprintln(stderr, "ballast-load:", err)
		return status
	}
	f, status, err := parse(args, environ, stdout, stderr)
	switch {
	case status >= 0:
		return status
	case err != nil:
		return fail(exitUsage, err)
	}
	cfg, slo, err := f.parsed()
	if err != nil {
		return fail(exitUsage, err)
	}
	if terminal {
		cfg.Progress = func(p load.Progress) { progressLine(stderr, p) }
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	report, err := load.Run(ctx, cfg)
	if terminal {
		fmt.Fprint(stderr, "\r\x1b[K")
	}
	if err != nil {
		return fail(exitBroken, err)
	}
	met := report.Judge(slo)
	if err := f.write(report, stdout); err != nil {
		return fail(exitBroken, err)
	}
	if report.Ended != "" {
		return fail(exitBroken, fmt.Errorf("ended early: %s", report.Ended))
	}
	if !met {
		return exitBroken
	}
	return 0
}

// write prints the report and writes the file with the latency distribution.
func (f *flags) write(r *load.Report, stdout io.Writer) error {
	if f.HDR != "" {
		file, err := os.Create(f.HDR)
		if err != nil {
			return fmt.Errorf("--hdr: %w", err)
		}
		err = r.WriteHDR(file)
		if closed := file.Close(); err == nil {
			err = closed
		}
		if err != nil {
			return fmt.Errorf("--hdr: %w", err)
		}
	}
	if !f.JSON {
		return r.WriteText(stdout)
	}
	e := json.NewEncoder(stdout)
	e.SetIndent("", "  ")
	return e.Encode(r)
}

// progressLine overwrites the terminal's current line with the progress.
func progressLine(w io.Writer, p load.Progress) {
	fmt.Fprintf(w, "\r\x1b[K%v of %v: %d answered, %d failed, %d waiting",
		p.Elapsed.Round(time.Second), p.Total.Round(time.Second), p.Answered, p.Failed, p.Backlog)
}
