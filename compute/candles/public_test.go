package candles

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ballast/marketcache"
)

const publicHead = "open_time,open,high,low,close,volume,close_time,quote_volume,count," +
	"taker_buy_volume,taker_buy_quote_volume,ignore\n"

// publicText formats bars as the archive does, with times in milliseconds times unit.
func publicText(bars []marketcache.Bar, unit int64) string {
	var b strings.Builder
	for _, x := range bars {
		end := (x.OpenMs+hourMs)*unit - 1
		fmt.Fprintf(&b, "%d,%v,%v,%v,%v,%v,", x.OpenMs*unit, x.Open, x.High, x.Low, x.Close, x.Volume)
		fmt.Fprintf(&b, "%d,1.5,3,0.2,0.3,0\n", end)
	}
	return b.String()
}

func zipped(t *testing.T, files map[string]string) string {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range files {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(text))
	}
	z.Close()
	return b.String()
}

func TestReadPublic(t *testing.T) {
	bars := hours(473_000, 60)
	dir := t.TempDir()
	for name, content := range map[string]string{
		"names.csv": publicHead + publicText(bars, 1),
		"plain.csv": publicText(bars, 1),
		"micro.csv": publicText(bars, 1000),
		"mark.CSV":  byteOrderMark + publicText(bars, 1),
		"twice.csv": publicText(bars[:30], 1) + publicText(bars[29:], 1),
		"one.zip":   zipped(t, map[string]string{"a.csv": publicHead + publicText(bars, 1)}),
		"two.zip": zipped(t, map[string]string{
			"b.csv": publicText(bars[30:], 1000), "a.csv": publicText(bars[:31], 1), "a.CHECKSUM": "x",
		}),
		"six-columns.csv":        strings.ReplaceAll(publicText(bars, 1), ",1.5,3,0.2,0.3,0", ""),
		"and-a-missing-hour.csv": publicText(slices.Delete(slices.Clone(bars), 7, 8), 1),
	} {
		path := filepath.Join(dir, name)
		os.WriteFile(path, []byte(content), 0o600)
		want := bars
		if strings.Contains(name, "missing") {
			want = slices.Delete(slices.Clone(bars), 7, 8)
		}
		if got, err := ReadPublic(path); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %d bars, %v", name, len(got), err)
		}
	}
}

func TestReadPublicRefuses(t *testing.T) {
	bars := hours(473_000, 30)
	whole := zipped(t, map[string]string{"a.csv": publicText(bars, 1)})
	dir := t.TempDir()
	for _, c := range []struct{ name, content, says string }{
		{"empty.csv", "", "no candle"},
		{"names.csv", publicHead, "no candle"},
		{"short.csv", "1702800000000,1,2\n", "3 columns"},
		{"minutes.csv", "1702800060000,1,1,1,1,1\n", "want klines of 1h"},
		{"future.csv", "4855680000000,1,1,1,1,1\n", "is in the future, 2123-11-15 00:00 UTC"},
		{"days.csv", publicText([]marketcache.Bar{}, 1) + everyDay(40), "want hourly candles"},
		{"text.csv", publicHead + "1702800000000,1,one,1,1,1\n", `line 2: high "one"`},
		{"bar.csv", "1702800000000,1,1,2,1,1\n", "impossible bar"},
		{"twice.csv", "1702800000000,1,2,1,2,1\n1702800000000,1,2,1,1,1\n",
			"line 2: a second row for 2023-12-17 08:00 UTC"},
		{"order.csv", publicText(bars[5:9], 1) + publicText(bars[:2], 1), "in order of time"},
		{"cut.zip", whole[:len(whole)/2], "downloaded whole"},
		{"none.zip", zipped(t, map[string]string{"readme.txt": "x"}), "no .csv"},
		{"bad.zip", zipped(t, map[string]string{"x.csv": "1,2\n"}), "x.csv: line 1"},
	} {
		path := filepath.Join(dir, c.name)
		os.WriteFile(path, []byte(c.content), 0o600)
		if _, err := ReadPublic(path); !says(err, c.says, c.name) {
			t.Errorf("%s: %v, want %q", c.name, err, c.says)
		}
	}
	if _, err := ReadPublic(filepath.Join(dir, "absent.csv")); err == nil {
		t.Error("no error for a missing file")
	}
}

func everyDay(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d,1,1,1,1,1\n", int64(i)*24*hourMs)
	}
	return b.String()
}

func TestAssetOfPublic(t *testing.T) {
	for name, want := range map[string]string{
		"BTCUSDT-1h-2024-01.zip": "BTC", "x/y/ETHUSDC-1h-2024-01-31.csv": "ETH",
		"1000PEPEUSDT-1h-2025-10.zip": "kPEPE",
		"SOLUSDT-1h.csv":              "SOL", "1INCHUSDT-1h-2024-01.zip": "1INCH", "USDCUSDT-1h-2024-01.zip": "USDC",
	} {
		if got, err := AssetOfPublic(name); err != nil || got != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for name, want := range map[string]string{
		"BTCUSDT-1m-2024-01.zip": "--asset", "candles.csv": "--asset",
		"ETHBTC-1h-2024-01.zip": "not quoted in dollars", "USDT-1h-2024-01.zip": "not quoted",
	} {
		if got, err := AssetOfPublic(name); !says(err, want) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// For every input, the reader returns an error or valid bars in order.
func FuzzReadPublic(f *testing.F) {
	f.Add([]byte(publicHead + "1702800000000,1,2,0.5,1,7,1702803599999\n1702803600000,1,2,0.5,1,7,1\n"))
	f.Add([]byte("1702800000000000,1,2,0.5,1,7\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		bars, err := parsePublic(&bounded{Reader: bytes.NewReader(text)})
		order := func(a, b marketcache.Bar) int { return int(a.OpenMs - b.OpenMs) }
		if err == nil && (len(bars) == 0 || !slices.IsSortedFunc(bars, order)) {
			t.Fatal(bars)
		}
	})
}
