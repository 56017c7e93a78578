package main

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ballast/compute/risk"
	"ballast/internal/store"
	"ballast/marketcache"
	"ballast/marketcache/venue/sim"
	"ballast/server/journal"
	"ballast/server/photo"
)

// recordedAsker sends requests of all kinds, and counts the answers that are recorded.
type recordedAsker struct {
	*remote
	t     *testing.T
	count int
	last  string // request id
}

func (a *recordedAsker) ask(path, body string, answers int) {
	a.t.Helper()
	a.count += answers
	a.last = fmt.Sprintf("replayed-%d", a.count)
	a.send(path, body, 60)
}

// send sends a request with the last id, again while the service is not ready for it.
func (a *recordedAsker) send(path, body string, again int) {
	a.t.Helper()
	req := a.request("POST", path, body)
	req.Header.Set("X-Request-Id", a.last)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		a.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if resp.StatusCode == http.StatusServiceUnavailable && again > 0 { // the machine is busy: not all is read yet
		time.Sleep(time.Second)
		a.send(path, body, again-1)
		return
	}
	if err != nil || resp.StatusCode != 200 {
		a.t.Fatalf("%s %s: %d %s %v", path, body, resp.StatusCode, text, err)
	}
}

// mixed asks for about n answers: of every view, wallet and route, with and without limits and simulations.
func (a *recordedAsker) mixed(n int) {
	views := []string{"", "?view=compact", "?explain=true"}
	orders := []string{"", `,"order":{"stop_loss_price":0.0001}`, `,"order":{"type":"limit","price":0.0001}`}
	actions := []string{"long", "close", "short"}
	assets := []string{"BTC", "ETH", "SOL", "DOGE"}
	for i := 0; a.count < n; i++ {
		wallet, view := sim.Wallets[i%8].Address, views[i%3]
		asset, order := assets[i/2%4], ""
		if i%3 == 0 {
			if order = orders[i/3%3]; i/3%3 == 1 {
				asset = "LINK" // of which no wallet has a short position
			}
		}
		body := func(action string, size int) string {
			return fmt.Sprintf(`"asset":%q,"action":%q,"size":%d%s`, asset, action, size, order)
		}
		of := fmt.Sprintf(`,"wallet":%q}`, wallet)
		switch {
		case i%25 == 7:
			a.ask("/v1/validate"+view, `{"monte_carlo":true,`+body("long", 5000)+of, 1)
		case i%12 == 5:
			a.ask("/v1/size"+view, fmt.Sprintf(`{"asset":%q,"action":"short","target":{"max_score":60}`, asset)+of, 1)
		case i%6 == 4:
			order = ""
			trades := []string{}
			for k := range 8 {
				trades = append(trades, "{"+body([]string{"long", "short"}[k%2], 500+k*1000)+"}")
			}
			a.ask("/v1/validate/batch"+view, `{"trades":[`+strings.Join(trades, ",")+`]`+of, len(trades))
		case i%3 == 0:
			a.ask("/v1/validate"+view, "{"+body("long", 100+i*50)+of, 1)
		default:
			a.ask("/v1/validate"+view, "{"+body(actions[i%3], 100+i*50)+of, 1)
		}
	}
}

// replayed runs ballast replay on a data directory, whose exit status and output must be as wanted.
func replayed(t *testing.T, dir string, status int, says []string, args ...string) {
	t.Helper()
	out, errs, got := command(t, nil, append([]string{"replay", "--data-dir", dir}, args...)...)
	for _, text := range says {
		if !strings.Contains(out+errs, text) {
			t.Errorf("%v: no %q", args, text)
		}
	}
	if got != status || t.Failed() {
		t.Fatalf("%v: exit status %d, want %d\n%.3000s%s", args, got, status, out, errs)
	}
}

// TestE2EReplay: 300 answers of all kinds are the same byte for byte after a restart. What is damaged is said.
func TestE2EReplay(t *testing.T) {
	dir := t.TempDir()
	args := []string{"--journal", "full", "--data-dir", dir, "--open-orders", "full"}
	s := serveSim(t, args...)
	a := &recordedAsker{remote: s, t: t}
	a.mixed(180)
	rules := policyFile(t,
		`{"*":{"max_order_usd":3000,"trades_per_day":3,"max_daily_loss_pct":1,"denied_assets":["SOL"]}}`)
	if out, errs, status := command(t, nil, "policy", "apply", rules, "--data-dir", dir); status != 0 {
		t.Fatal(out, errs)
	}
	a.mixed(300)
	s.end(t)
	restarted := start(t, "ballast", "serve", "--venue", "sim", "--listen", "127.0.0.1:0", "--journal", "full",
		"--data-dir", dir)
	restarted.find(t, "serving")
	all := []string{"--from", "2020-01-01"}
	same := fmt.Sprintf("%d answers computed again by engine %s: %[1]d are the same, 0 differ", a.count,
		risk.EngineVersion)
	replayed(t, dir, 0, []string{same}, all...)
	replayed(t, dir, 0, []string{"answers computed again", "0 differ"}, "--request-id", a.last)
	replayed(t, dir, 0, []string{"0 answers computed again"}, "--to", "2020-01-01")
	replayed(t, dir, 1, []string{"no decision with request id"}, "--request-id", "nobody")
	restarted.end(t)
	changedAnswers(t, dir, a.last)

	damage(t, dir, "UPDATE photographs SET data = zeroblob(length(data)) WHERE request_id = 'replayed-1'")
	replayed(t, dir, lost, []string{"replayed-1", "the photograph is damaged", "1 photographs are missing"}, all...)
	replayed(t, dir, lost, []string{`"lost": [`, `"reason": "the photograph is damaged`}, "--json",
		"--request-id", "replayed-1")
	damage(t, dir, "DELETE FROM photograph_parts")
	replayed(t, dir, lost, []string{"of the photograph is missing"}, "--request-id", a.last)
}

func damage(t *testing.T, dir, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, store.MainFile))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

// changedAnswers records an answer again as other programs might have given it: what differs is told in a table, and is
// an error when the engine has the same version.
func changedAnswers(t *testing.T, dir, id string) {
	t.Helper()
	db := opened(t, dir)
	defer db.Close()
	found, err := (&journal.Reader{Store: db}).Find(t.Context(), id, "")
	if err != nil || len(found) == 0 {
		t.Fatal(err)
	}
	d := found[0]
	kept := journal.NewPhotographs(db)
	for engine, status := range map[string]int{risk.EngineVersion: 1, "2.9.0": 0} {
		p, err := kept.Of(d)
		if err != nil {
			t.Fatal(err)
		}
		score := fmt.Sprintf(`"risk_score":%v`, *d.RiskScore)
		if !bytes.Contains(p.Answer, []byte(score)) {
			t.Fatalf("no %s in %s", score, p.Answer)
		}
		p.Inputs.Engine = engine
		p.Answer = bytes.Replace(p.Answer, []byte(score), []byte(`"risk_score":98.75`), 1)
		other := t.TempDir()
		recordAgain(t, other, d, p)
		replayed(t, other, status, []string{"SCORE BEFORE", id, engine, "98.75", "risk_score",
			"0 are the same, 1 differ"}, "--request-id", id)
	}
}

// recordAgain records a decision with a photograph in a new data directory.
func recordAgain(t *testing.T, dir string, d *journal.Decision, p *photo.Photograph) {
	t.Helper()
	db := opened(t, dir)
	defer db.Close()
	j := journal.New(journal.Config{Mode: journal.Full, Store: db, Log: slog.New(slog.DiscardHandler)})
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { j.Run(ctx) })
	var camera journal.Camera
	shot := camera.Take(&p.Inputs.In, []byte(d.RequestID), p.Answer)
	in := shot.Inputs.In
	shot.Inputs = p.Inputs
	shot.Inputs.In = in
	wallet, _ := marketcache.ParseWallet([]byte(d.Wallet))
	j.Record(&journal.Entry{Kind: d.Kind, Index: d.Index, RequestID: []byte(d.RequestID), Wallet: wallet,
		Request: d.Request, AtMs: time.Now().UnixMilli(), Photograph: shot})
	stop()
	wg.Wait()
}
