package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"
)

// waitSilently is how long the reading of a file may take before the log says so.
const waitSilently = 2 * time.Second

// maxFile is the largest size of a file that a flag names, in bytes.
const maxFile = 1 << 20

// maxAnswer is the largest answer of a service that a command reads, in bytes.
const maxAnswer = 16 << 20

// readAnswer reads the body of an answer.
func readAnswer(body io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(body, maxAnswer+1))
	if len(text) > maxAnswer {
		return nil, fmt.Errorf("the answer is larger than %d MiB", maxAnswer>>20)
	}
	return text, err
}

// readFile reads a file that a flag names. If that takes long (a pipe without a writer, a disk that does not
// answer), it logs the file's name. At the start the file may be a pipe, such as a shell's <(command). At a
// reload (again) it must be a regular file or a link to one, because a pipe might never end.
func readFile(path string, again bool) ([]byte, error) {
	word := time.AfterFunc(waitSilently, func() {
		slog.Warn("waiting for a file that cannot be read yet", "file", path)
	})
	defer word.Stop()
	if again {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			return nil, fmt.Errorf("%s is not a regular file, and a reload reads no other: put one there, or restart",
				path)
		}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readLimited(f, path)
}

// readInput reads a file that an argument names, "-": standard input.
func readInput(path string) ([]byte, error) {
	if path == "-" {
		return readLimited(os.Stdin, path)
	}
	return readFile(path, false)
}

func readLimited(r io.Reader, name string) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if len(text) > maxFile {
		return nil, fmt.Errorf("%s is larger than 1 MiB", name)
	}
	return text, err
}
