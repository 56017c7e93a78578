package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ballast/compute/candles"
)

func TestE2ECandlesFetch(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new", "folder")
	fetch := func(args ...string) (string, string, int) {
		return command(t, nil, append([]string{"candles", "fetch", "--out", dir}, args...)...)
	}
	t.Setenv("BALLAST_VENUE", "sim")
	out, errs, status := fetch("--asset", "BTC", "--asset", "ETH")
	if status != 0 || errs != "" || strings.Count(out, "hourly bars") != 2 || strings.Count(out, " to 20") != 2 {
		t.Fatalf("status %d\n%s%s", status, out, errs)
	}
	path := filepath.Join(dir, "BTC-1h.csv.gz")
	bars, err := candles.Read(path)
	if err != nil || len(bars) < 4990 {
		t.Fatalf("%d bars, %v", len(bars), err)
	}
	// A file without its newest half is completed, and keeps bars older than the requested time.
	if err := candles.Write(path, bars[:2500]); err != nil {
		t.Fatal(err)
	}
	out, errs, status = fetch("--asset", "BTC", "--from", "2020-01-01", "--interval", "1h")
	again, err := candles.Read(path)
	if status != 0 || err != nil || len(again) < len(bars) || again[0] != bars[0] || again[2499] != bars[2499] {
		t.Errorf("status %d, %d bars of %d, %v\n%s%s", status, len(again), len(bars), err, out, errs)
	}
	want := fmt.Sprintf("%s hourly bars, %s of them new", grouped(len(again)), grouped(len(again)-2500))
	if !strings.Contains(out, want) {
		t.Errorf("no %q in %s", want, out)
	}
	refused(t, []badCall{
		{1, "no such asset", []string{"--asset", "btc"}},
		{1, "choose an earlier --from", []string{"--asset", "BTC", "--from", "2100-01-01"}},
		{1, `asset "../x"`, []string{"--asset", "../x"}},
		{1, "check the network", []string{"--asset", "BTC", "--venue", "http://127.0.0.1:1"}},
		{2, "want sim, mainnet, testnet", []string{"--asset", "BTC", "--venue", "nowhere"}},
		{2, "want sim, mainnet, testnet", []string{"--asset", "BTC", "--venue", "http://127.0.0.1:9/?dex=xyz"}},
		{2, "want sim, mainnet, testnet", []string{"--asset", "BTC", "--venue", "http://127.0.0.1:65536"}},
		{2, "--interval", []string{"--asset", "BTC", "--interval", "4h"}},
		{2, "--asset", nil},
	}, "candles", "fetch", "--out", dir)
}

// An interrupt is reported as an interrupt, not as an unreachable venue.
func TestE2ECandlesFetchInterrupted(t *testing.T) {
	asked := make(chan struct{}, 1)
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer silent.Close()
	cmd := exec.Command(binary(t, "ballast"), "candles", "fetch", "--asset", "BTC", "--venue", silent.URL, "--out",
		t.TempDir())
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-asked
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	if cmd.ProcessState.ExitCode() != 1 ||
		errs.String() != "ballast: interrupted while BTC was fetched; files written before stay\n" {
		t.Errorf("%d %s", cmd.ProcessState.ExitCode(), errs.String())
	}
}

// Public candle archives of one asset are merged into one file that the other commands accept.
func TestE2ECandlesImport(t *testing.T) {
	bars := madeUp(9, 24*30)
	in, dir := t.TempDir(), t.TempDir()
	write := func(name string, from, to int) string {
		var text strings.Builder
		for _, b := range bars[from:to] {
			fmt.Fprintf(&text, "%d,%v,%v,%v,%v,%v,0,0,0,0,0,0\n", b.OpenMs*1000, b.Open, b.High, b.Low, b.Close,
				b.Volume)
		}
		return writeFile(t, filepath.Join(in, name), text.String())
	}
	late, early := write("1000PEPEUSDT-1h-2022-02.csv", 300, len(bars)), write("1000PEPEUSDT-1h-2022-01.csv", 0, 310)
	out, errs, status := command(t, nil, "candles", "import", "--out", dir, late, early)
	path := filepath.Join(dir, "kPEPE-1h.csv.gz")
	got, err := candles.Read(path)
	if status != 0 || errs != "" || err != nil || len(got) != len(bars) || got[0] != bars[0] ||
		got[len(got)-1] != bars[len(bars)-1] {
		t.Errorf("status %d, %d bars of %d, %v\n%s%s", status, len(got), len(bars), err, out, errs)
	}
	want := fmt.Sprintf("%s  %d hourly bars, %d of them new, 2022-01-01 05:00 to ", path, len(bars), len(bars))
	if !strings.HasPrefix(out, want) ||
		!strings.Contains(out, fmt.Sprintf(", %d hours without a bar", candles.Missing(bars))) {
		t.Errorf("%s\nwant %s", out, want)
	}
	if out, errs, status = command(t, nil, "calibrate", "--candles", path); status != 0 ||
		!strings.Contains(out, "kPEPE-1h.csv.gz") {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
	odd := write("mine.csv", 0, 50)
	refused(t, []badCall{{1, "or give --asset", []string{odd}}, {1, "--asset", []string{"--asset", "a/b", odd}}},
		"candles", "import", "--out", dir)
	if out, errs, status = command(t, nil, "candles", "import", "--out", dir, "--asset", "X", odd); status != 0 ||
		!strings.Contains(out, "X-1h.csv.gz  50 hourly bars") {
		t.Errorf("status %d\n%s%s", status, out, errs)
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 8809: "8,809", 258040: "258,040",
		1234567: "1,234,567", -1000: "-1,000", -100: "-100"} {
		if got := grouped(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
