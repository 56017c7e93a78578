package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// kills returns the number of rounds of a test that kills the service: KILLS, or n.
func kills(t *testing.T, n int) int {
	if text := os.Getenv("KILLS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatal("KILLS:", err)
		}
	}
	return n
}

// killable runs a command until it ends or alive does, which kills it, and reports whether it acknowledged what it
// did.
func killable(alive context.Context, into any, args ...string) bool {
	cmd := exec.CommandContext(alive, built["ballast"], append(args, "--json")...)
	out, _ := cmd.Output()
	return json.Unmarshal(out, into) == nil
}

// acknowledged holds keys that commands have acknowledged, by id: good ones must be accepted, dead ones refused.
type acknowledged struct {
	mu         sync.Mutex
	good, dead map[string]string
}

// judged checks that the service judges all keys right.
func (a *acknowledged) judged(t *testing.T, round int, url string) {
	t.Helper()
	for id, key := range a.good {
		if status(t, url, key) == 401 {
			t.Errorf("round %d: key %s was acknowledged and is refused", round, id)
		}
	}
	for id, key := range a.dead {
		if status(t, url, key) != 401 {
			t.Errorf("round %d: key %s was revoked and is accepted", round, id)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
}

// some reports whether a key was issued and one revoked.
func (a *acknowledged) some() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.good) > 0 && len(a.dead) > 0
}

// issue issues keys, and revokes every third, until alive ends.
func (a *acknowledged) issue(alive context.Context, dir string) {
	for n := 0; alive.Err() == nil; n++ {
		var i issued
		if !killable(alive, &i, "keys", "issue", "--email", "a@example.com", "--data-dir", dir) {
			continue
		}
		held := a.good
		if n%3 == 0 {
			if !killable(alive, new(any), "keys", "revoke", i.ID, "--data-dir", dir) {
				continue
			}
			held = a.dead
		}
		a.mu.Lock()
		held[i.ID] = i.Key
		a.mu.Unlock()
	}
}

// limitsTold are the policy of all wallets and the kill switch, as a sequence of commands sets them: the n-th sets a
// policy with max_order_usd n, and turns the switch, on when n is odd.
type limitsTold struct {
	tried        int
	acknowledged atomic.Int64
	revision     float64 // the newest that was seen
}

// change sets policy and switch until alive ends.
func (l *limitsTold) change(t *testing.T, alive context.Context, dir string) {
	file := filepath.Join(t.TempDir(), "policy.json")
	for alive.Err() == nil {
		l.tried++
		if err := os.WriteFile(file, fmt.Appendf(nil, `{"*":{"max_order_usd":%d}}`, l.tried), 0o600); err != nil {
			t.Error(err)
			return
		}
		turn := []string{"kill-switch", "off", "--data-dir", dir}
		if l.tried%2 == 1 {
			turn = []string{"kill-switch", "on", "--reason", "a test", "--data-dir", dir}
		}
		if killable(alive, new(any), "policy", "apply", file, "--data-dir", dir) && killable(alive, new(any), turn...) {
			l.acknowledged.Store(int64(l.tried))
		}
	}
}

// judged checks that nothing that was acknowledged is lost: the n-th step holds, or a later one that was tried.
func (l *limitsTold) judged(t *testing.T, round int, s *remote) {
	t.Helper()
	_, policy := s.get(t, "/v1/policy/*")
	_, turned := s.get(t, "/v1/kill-switch")
	rules, _ := policy["rules"].(map[string]any)
	set, _ := rules["max_order_usd"].(float64)
	revision, _ := policy["revision"].(float64)
	acknowledged := int(l.acknowledged.Load())
	if acknowledged == 0 && rules == nil {
		return
	}
	if n := int(set); n < acknowledged || n > l.tried || revision < l.revision {
		t.Errorf("round %d: the policy is of step %v, %d were acknowledged and %d tried; revision %v after %v",
			round, set, acknowledged, l.tried, revision, l.revision)
	}
	// Without the next policy there was no next turn.
	if on := turned["on"] == true; int(set) == acknowledged && on != (acknowledged%2 == 1) {
		t.Errorf("round %d: the switch after step %d is %v", round, acknowledged, turned)
	}
	l.revision = revision
}

// bound bounds the number of keys to check, so that fifty rounds finish in reasonable time.
func (a *acknowledged) bound() {
	for _, held := range []map[string]string{a.good, a.dead} {
		for id := range held {
			if len(held) <= 150 {
				break
			}
			delete(held, id)
		}
	}
}

// listed checks the list of keys.
func (a *acknowledged) listed(t *testing.T, list []listed) {
	t.Helper()
	revoked := map[string]bool{}
	for _, l := range list {
		revoked[l.ID] = l.Revoked
	}
	for id := range a.good {
		if gone, ok := revoked[id]; !ok || gone {
			t.Errorf("key %s was acknowledged; listed %v, revoked %v", id, ok, gone)
		}
	}
	for id := range a.dead {
		if !revoked[id] {
			t.Errorf("key %s was revoked and is good", id)
		}
	}
	if len(a.good) == 0 || len(a.dead) == 0 {
		t.Error("nothing was issued or revoked: the test tests nothing")
	}
}

// knock sends requests with an unknown key until alive ends.
func knock(alive context.Context, url string) {
	for alive.Err() == nil {
		stranger := &remote{url: url, key: "blst_" + strings.Repeat("0", 40)}
		req := stranger.request("POST", "/v1/validate", trade("BTC", "long", 50000, crossWallet))
		if resp, err := http.DefaultClient.Do(req); err == nil {
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
	}
}

// TestE2EKills kills the service, and the commands, repeatedly while keys are issued and revoked, the policy and the
// kill switch change, and requests arrive. It must start every time; every acknowledged key must be accepted, and
// every acknowledged revocation, policy and turn of the switch must hold.
// Injects the fault kill of docs/faults.md.
func TestE2EKills(t *testing.T) {
	base := startVenue(t, "--assets", "16")
	dir := t.TempDir()
	keys := acknowledged{good: map[string]string{}, dead: map[string]string{}}
	reader := issue(t, "a@example.com", "--data-dir", dir)
	told := limitsTold{}
	rounds := kills(t, 8)
	for round := range rounds {
		s := serving(t, "--venue", base, "--venue-budget", "0", "--data-dir", dir)
		s.key = reader.Key
		keys.judged(t, round, s.url)
		told.judged(t, round, s)
		alive, kill := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() { keys.issue(alive, dir) })
		}
		wg.Go(func() { told.change(t, alive, dir) })
		for range 2 {
			wg.Go(func() { knock(alive, s.url) })
		}
		time.Sleep(time.Duration(500+round*137%1000) * time.Millisecond)
		// On a busy machine no command may have ended yet.
		for begun := time.Now(); round == 0 && time.Since(begun) < time.Minute && !(keys.some() &&
			told.acknowledged.Load() > 0); {
			time.Sleep(10 * time.Millisecond)
		}
		s.cmd.Process.Kill()
		kill()
		wg.Wait()
		s.kill()
		keys.bound()
	}
	var list []listed
	printed(t, &list, "keys", "list", "--data-dir", dir)
	keys.listed(t, list)
	if told.acknowledged.Load() == 0 {
		t.Error("no policy was acknowledged: the test tests nothing")
	}
	t.Logf("%d kills, %d keys, checked %d good and %d revoked; %d policies", rounds, len(list), len(keys.good),
		len(keys.dead), told.acknowledged.Load())
}
