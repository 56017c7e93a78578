package candles

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// a row with a further column, which is ignored
var plainRow = "1699999200000,1,1,1,1,1," + strings.Repeat("x", 1000) + "\n"

// fill writes a first line, and then a row again and again, at least size bytes in all.
func fill(t *testing.T, w io.Writer, first, row string, size int) {
	t.Helper()
	many := []byte(strings.Repeat(row, 1+(1<<16)/len(row)))
	io.WriteString(w, first)
	for n := 0; n < size; n += len(many) {
		if _, err := w.Write(many); err != nil {
			t.Fatal(err)
		}
	}
}

// bomb writes a ZIP whose entries unpack to size bytes each.
func bomb(t *testing.T, entries int, row string, size int) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestSpeed)
	})
	for i := range entries {
		w, err := z.Create(fmt.Sprint(i, ".csv"))
		if err != nil {
			t.Fatal(err)
		}
		fill(t, w, plainRow, row, size)
	}
	return write(t, "BTCUSDT-1h-2024-01.zip", &b, z)
}

func write(t *testing.T, name string, b *bytes.Buffer, c io.Closer) string {
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestBombs: a small file that unpacks to a large one is refused with a word, in little memory.
func TestBombs(t *testing.T) {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	fill(t, z, "ts,open,high,low,close,volume,more\n", plainRow, maxText+1)
	packed := write(t, "BTC.csv.gz", &b, z)
	plain := write(t, "BTCUSDT-1h.csv", bytes.NewBufferString(plainRow+strings.Repeat("1", maxRow+4096)),
		io.NopCloser(nil))
	for _, c := range []struct{ name, path, want string }{
		{"rows", bomb(t, 1, plainRow, maxText+1), "over 32 MiB of text"},
		{"many files", bomb(t, 5, plainRow, maxText/4), "over 32 MiB of text"},
		{"one line", bomb(t, 1, strings.Repeat("1", 24), maxText+1), "a row of over 64 KiB"},
		{"one quoted field", bomb(t, 1, "\"\n\"", maxText/8), "a row of over 64 KiB"},
		{"empty lines", bomb(t, 1, strings.Repeat("\n", 24), maxText/8), "a row of over 64 KiB"},
		{"entries", bomb(t, maxEntries+1, plainRow, 0), "1001 files in the archive"},
		{"plain", plain, "a row of over 64 KiB"},
		{"gzip", packed, "over 32 MiB of text"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			read := ReadPublic
			if c.path == packed {
				read = Read
			}
			bars, err := read(c.path)
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%d bars, %v, want %q", len(bars), err, c.want)
			}
			if grown := after.HeapSys - before.HeapSys; after.HeapSys > before.HeapSys && grown > 64<<20 {
				t.Errorf("took %d MiB", grown>>20)
			}
		})
	}
}

func TestNames(t *testing.T) {
	for _, name := range []string{"", ".", "..", "a/b", `a\b`, "a\x00", "BTC\n", "B\rTC", "\tBTC", "BTC\x1b[2J",
		"B\u202eTC",
		"BTC\u2028", "BTC\xff", "\u0085", strings.Repeat("A", 65)} {
		if CheckName(name) == nil {
			t.Errorf("%q is taken", name)
		}
	}
	for _, name := range []string{"BTC", "kPEPE", "xyz:TSLA", "ÉTH"} {
		if err := CheckName(name); err != nil {
			t.Error(err)
		}
	}
}
