package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNoticesAreCurrent(t *testing.T) {
	root := filepath.Join("..", "..")
	want, err := os.ReadFile(filepath.Join(root, "THIRD_PARTY"))
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := write(&got, root); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Error("THIRD_PARTY is not what the programs contain: make notices")
	}
}

func TestLicencesOfAPackage(t *testing.T) {
	module := t.TempDir()
	deep := filepath.Join(module, "a", "b")
	if err := os.MkdirAll(filepath.Join(module, "LICENSES"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"LICENSE", "LICENSES/MIT.txt", "license.go", "README", "a/COPYING", "a/b/NOTICE.md"} {
		if err := os.WriteFile(filepath.Join(module, name), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var c component
	for range 2 { // the second package of the same folder adds nothing
		if err := c.addLicences(deep, module); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for _, f := range c.files {
		rel, err := filepath.Rel(module, f)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, filepath.ToSlash(rel))
	}
	if want := "a/b/NOTICE.md a/COPYING LICENSE LICENSES/MIT.txt"; strings.Join(got, " ") != want {
		t.Errorf("licence files %v, want %s", got, want)
	}
}
