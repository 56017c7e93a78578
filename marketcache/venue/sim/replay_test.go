package sim

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// folder writes synthetic recordings to a directory.
func folder(t *testing.T, files map[string]string) string {
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestReplay(t *testing.T) {
	dir := folder(t, map[string]string{
		"metaAndAssetCtxs-2026-02-06.json": `[{"universe":[{"name":"BTC","szDecimals":5,"maxLeverage":40,` +
			`"marginTableId":56}]},[{"markPx":"5.0"}]]`,
		"l2Book-BTC-full-2026.json":      `{"coin":"BTC","time":1,"levels":[[],[]]}`,
		"l2Book-BTC-nSigFigs3-2026.json": `{"coin":"BTC","time":3,"levels":[[],[{"px":"3.0","sz":"1.0","n":1}]]}`,
		"clearinghouseState-a-2026.json": `{"withdrawable":"1.0","time":1}`,
		"clearinghouseState-b-2026.json": `{"withdrawable":"2.0","time":1}`,
		"fundingHistory-BTC-2026.json":   `[{"coin":"BTC","time":3600044},{"coin":"BTC","time":7200055}]`,
		"INDEX.md":                       "not a payload",
	})
	r := start(t, Config{Manual: true, Replay: dir})
	var book struct {
		Time   int64
		Levels [2][]any
	}
	r.info(`{"type":"l2Book","coin":"BTC","nSigFigs":3}`, &book)
	if len(book.Levels[1]) != 1 || r.nowMs()-book.Time > 5000 {
		t.Errorf("%+v", book)
	}
	for last, want := range map[string]string{"0": `"1.0"`, "1": `"2.0"`} {
		address := "0x" + strings.Repeat("0", 39) + last
		if _, b := r.post(`{"type":"clearinghouseState","user":"` + address + `"}`); !strings.Contains(string(b),
			want) {
			t.Errorf("%s: %s", address, b)
		}
	}
	var rows []struct{ Time int64 }
	r.info(`{"type":"fundingHistory","coin":"BTC","startTime":0}`, &rows)
	if d := rows[1].Time - rows[0].Time; d != 3600011 || r.nowMs()-rows[1].Time > 2*hourMs {
		t.Errorf("%+v", rows)
	}
	if _, b := r.post(`{"type":"l2Book","coin":"ETH"}`); string(b) != "null" {
		t.Errorf("a book that was not recorded: %s", b)
	}
	s := r.dial()
	s.send(subscribe(`{"type":"l2Book","coin":"BTC"}`))
	if f := s.until("l2Book"); !strings.Contains(string(f.Data), `"coin":"BTC"`) {
		t.Errorf("%s", f.Data)
	}
	s.send(subscribe(`{"type":"allDexsAssetCtxs"}`))
	if f := s.until("allDexsAssetCtxs"); string(f.Data) != `{"ctxs":[["",[{"markPx":"5.0"}]]]}` {
		t.Errorf("%s", f.Data)
	}
	if _, err := Open(Config{Manual: true, Replay: t.TempDir()}); err == nil {
		t.Error("an empty folder was taken")
	}
}
