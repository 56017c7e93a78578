package main

import (
	"fmt"
	"io"
	"os"
)

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

// readFile reads a file that a flag names.
func readFile(path string) ([]byte, error) {
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
	return readFile(path)
}

func readLimited(r io.Reader, name string) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if len(text) > maxFile {
		return nil, fmt.Errorf("%s is larger than 1 MiB", name)
	}
	return text, err
}
