package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"ballast/internal/locked"
)

// TestReadFile: a start waits for a pipe, and says so; a reload refuses what is no regular file, and
// follows links.
func TestReadFile(t *testing.T) {
	at := func(name string) string { return filepath.Join(t.TempDir(), name) }
	pipe, file, link := at("pipe"), at("file"), at("link")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	writeFile(t, file, "text")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, filepath.Dir(file), os.DevNull} {
		if _, err := readFile(path, true); err == nil || !strings.Contains(err.Error(), path+" is not a regular file") {
			t.Errorf("%s, again: %v", path, err)
		}
	}
	for _, path := range []string{file, link} {
		if text, err := readFile(path, true); err != nil || string(text) != "text" {
			t.Errorf("%s, again: %q %v", path, text, err)
		}
	}
	for size, ok := range map[int64]bool{maxFile: true, maxFile + 1: false} {
		if err := os.Truncate(file, size); err != nil {
			t.Fatal(err)
		}
		if text, err := readFile(file, false); (err == nil) != ok || !ok && !strings.Contains(err.Error(),
			file+" is larger than 1 MiB") || ok && int64(len(text)) != size {
			t.Errorf("%d bytes: %d %v", size, len(text), err)
		}
	}
	if _, err := readFile(file+"x", true); !os.IsNotExist(err) {
		t.Errorf("an absent file: %v", err)
	}

	var said locked.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&said, nil)))
	defer slog.SetDefault(before)
	read := make(chan string)
	go func() {
		text, _ := readFile(pipe, false)
		read <- string(text)
	}()
	eventually(t, "the log says which file is waited for", 20*time.Second, func() bool {
		return strings.Contains(said.String(), "file="+pipe)
	})
	writeFile(t, pipe, "piped")
	if text := <-read; text != "piped" {
		t.Errorf("%q", text)
	}
}
