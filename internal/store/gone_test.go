package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFileThatIsGone: after a file was removed, moved or replaced, writes are refused until it is put back.
// Changed notices it without a write.
func TestFileThatIsGone(t *testing.T) {
	t.Parallel()
	for _, ending := range mainFiles {
		for _, how := range []string{"moved", "replaced"} {
			dir := t.TempDir()
			m := openedMain(t, dir)
			apply1(t, m, change(1, false))
			path := filepath.Join(dir, MainFile+ending)
			content, err := os.ReadFile(path)
			if err == nil {
				err = os.Rename(path, path+".away")
			}
			if err == nil && how == "replaced" {
				err = os.WriteFile(path, content, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := m.Changed(t.Context()); err == nil || m.Trouble() == nil {
				t.Errorf("%s %s: not noticed: %v, %v", MainFile+ending, how, err, m.Trouble())
			}
			err = m.Apply(change(2, false))
			if err == nil || !strings.Contains(err.Error(), "put it back, or restore a backup") {
				t.Errorf("%s %s: %v", MainFile+ending, how, err)
			}
			if err := os.Rename(path+".away", path); err != nil {
				t.Fatal(err)
			}
			if _, err := m.Changed(t.Context()); err != nil || m.Trouble() != nil {
				t.Errorf("%s put back: %v, %v", MainFile+ending, err, m.Trouble())
			}
			apply1(t, m, change(2, false))
			if keys, _, err := m.Keys(0); err != nil || len(keys) != 2 {
				t.Errorf("%s put back: %v %v", MainFile+ending, keys, err)
			}
		}
	}
}

// TestFileThatIsCutShort: after a file lost its end, all writes are refused, and Changed says so without a write.
func TestFileThatIsCutShort(t *testing.T) {
	t.Parallel()
	for _, ending := range mainFiles {
		dir := t.TempDir()
		m := openedMain(t, dir)
		apply1(t, m, change(1, false))
		apply1(t, m, change(2, false))
		if err := os.Truncate(filepath.Join(dir, MainFile+ending), 100); err != nil {
			t.Fatal(err)
		}
		if err := m.Apply(change(3, false)); err == nil || !strings.Contains(err.Error(), "restore a backup") {
			t.Errorf("%s cut short: %v", MainFile+ending, err)
		}
		if _, err := m.Changed(t.Context()); err == nil || m.Trouble() == nil {
			t.Errorf("%s cut short: not noticed: %v, %v", MainFile+ending, err, m.Trouble())
		}
	}
}
