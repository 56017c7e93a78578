// Command ballast is the pre-trade risk service and its tools.
package main

import (
	"errors"
	"os"
)

// Set by the linker.
var (
	version = "dev"
	commit  = "unknown"
)

// exitStatus is an error that only carries the exit status; all messages have been printed.
type exitStatus int

func (exitStatus) Error() string { return "" }

// wrongSetting is an error of a setting that only the venue can tell.
type wrongSetting struct{ error }

func main() {
	ctx, err := parse(os.Args[1:], os.Environ())
	if err != nil {
		fail(usageStatus, err)
	}
	err = ctx.Run()
	var status exitStatus
	var wrong wrongSetting
	switch {
	case errors.As(err, &status):
		os.Exit(int(status))
	case errors.As(err, &wrong):
		fail(usageStatus, err)
	case err != nil:
		fail(1, err)
	}
}
