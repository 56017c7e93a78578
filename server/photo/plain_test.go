//go:build !purego

package photo

import (
	"encoding/gob"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A program without any assembly gives the same answers to the photographs of this one.
func TestReplayWithoutAssembly(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: builds a program")
	}
	m := newMarket(t)
	m.tick()
	taken := photographs{Parts: shelf{}}
	var e Encoder
	for _, p := range m.answers(1000) {
		encoded := e.Encode(p)
		taken.Parts.keep(encoded.Parts)
		taken.Files = append(taken.Files, encoded.Data)
	}
	path := filepath.Join(t.TempDir(), "photographs")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := gob.NewEncoder(f).Encode(&taken); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "test", "-tags", "purego noasm", "-count=1", "-vet=off", "-v", ".")
	cmd.Env = append(os.Environ(), photographsName+"="+path)
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "1000 answers are the same") {
		t.Errorf("%v\n%.3000s", err, out)
	}
}
