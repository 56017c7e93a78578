package main

import (
	"fmt"
	"log/slog"
	"os"
	"time"
)

// waitSilently is how long the reading of a file may take before the log says so.
const waitSilently = 2 * time.Second

// readFile reads a file that a flag names. At a start it may be a pipe, such as a shell's <(command). Read
// again, by a reload, it must be a regular file or a link to one: a pipe might never end. The log says
// when the file keeps it waiting: a pipe without a writer, or a disk that does not answer.
func readFile(path string, again bool) ([]byte, error) {
	word := time.AfterFunc(waitSilently, func() { slog.Warn("waiting for a file that cannot be read yet", "file", path) })
	defer word.Stop()
	if again {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s is not a regular file, and a reload reads no other: put one there, or restart", path)
		}
	}
	return os.ReadFile(path)
}
