package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// kills returns the number of rounds of TestE2EKills.
func kills(t *testing.T) int {
	n := 8
	if text := os.Getenv("KILLS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatal("KILLS:", err)
		}
	}
	return n
}

// killable runs a keys command until it ends or alive does, which kills it, and reports whether it acknowledged
// what it did.
func killable(alive context.Context, into any, args ...string) bool {
	cmd := exec.CommandContext(alive, built["ballast"], append([]string{"keys"}, append(args, "--json")...)...)
	out, _ := cmd.Output()
	return json.Unmarshal(out, into) == nil
}

// TestE2EKills kills the service, and the commands, repeatedly while keys are issued and revoked and requests arrive.
// It must start every time; every acknowledged key must be accepted, and every acknowledged
// revocation must hold.
// Injects the fault kill of docs/faults.md.
func TestE2EKills(t *testing.T) {
	skipShort(t)
	venue := start(t, "venuesim", "--listen", "127.0.0.1:0", "--assets", "16")
	base := venue.find(t, `(http://127\.0\.0\.1:\d+)`)[1]
	dir := t.TempDir()
	var mu sync.Mutex
	good, dead := map[string]string{}, map[string]string{} // key by id: good must be accepted, dead must be refused
	for round := range kills(t) {
		s := serving(t, "--venue", base, "--venue-budget", "0", "--data-dir", dir)
		wrong := 0
		for id, key := range good {
			if status(t, s.url, key) == 401 {
				wrong++
				t.Errorf("round %d: key %s was acknowledged and is refused", round, id)
			}
		}
		for id, key := range dead {
			if status(t, s.url, key) != 401 {
				wrong++
				t.Errorf("round %d: key %s was revoked and is accepted", round, id)
			}
		}
		if wrong > 0 {
			t.FailNow()
		}
		var wg sync.WaitGroup
		stop := make(chan struct{})
		running := func() bool {
			select {
			case <-stop:
				return false
			default:
				return true
			}
		}
		alive, kill := context.WithCancel(t.Context())
		for range 3 {
			wg.Go(func() {
				for n := 0; running(); n++ {
					var i issued
					if !killable(alive, &i, "issue", "--email", "a@example.com", "--data-dir", dir) {
						continue
					}
					if n%3 != 0 {
						mu.Lock()
						good[i.ID] = i.Key
						mu.Unlock()
						continue
					}
					if killable(alive, new(any), "revoke", i.ID, "--data-dir", dir) {
						mu.Lock()
						dead[i.ID] = i.Key
						mu.Unlock()
					}
				}
			})
		}
		for range 2 {
			wg.Go(func() {
				for running() {
					req, _ := http.NewRequest("POST", s.url+"/v1/validate",
						strings.NewReader(trade("BTC", "long", 50000, crossWallet)))
					req.Header.Set("Authorization", "Bearer blst_"+strings.Repeat("0", 40))
					if resp, err := http.DefaultClient.Do(req); err == nil {
						io.Copy(io.Discard, resp.Body)
						resp.Body.Close()
					}
				}
			})
		}
		time.Sleep(time.Duration(500+round*137%1000) * time.Millisecond)
		s.kill()
		kill()
		close(stop)
		wg.Wait()
		// Bounds the number of keys to check, so that fifty rounds finish in reasonable time.
		for _, held := range []map[string]string{good, dead} {
			for id := range held {
				if len(held) <= 150 {
					break
				}
				delete(held, id)
			}
		}
	}
	var list []listed
	keysCommand(t, &list, "list", "--data-dir", dir)
	revoked := map[string]bool{}
	for _, l := range list {
		revoked[l.ID] = l.Revoked
	}
	for id := range good {
		if gone, ok := revoked[id]; !ok || gone {
			t.Errorf("key %s was acknowledged; listed %v, revoked %v", id, ok, gone)
		}
	}
	for id := range dead {
		if !revoked[id] {
			t.Errorf("key %s was revoked and is good", id)
		}
	}
	t.Logf("%d kills, %d keys, checked %d good and %d revoked", kills(t), len(list), len(good), len(dead))
	if len(good) == 0 || len(dead) == 0 {
		t.Error("nothing was issued or revoked: the test tests nothing")
	}
}
