package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"ballast/server/webhook"
)

// hook is the receiver of a webhook.
type hook struct {
	url, secret string

	mu       sync.Mutex
	down     bool
	asked    int
	ids      map[string]bool // of events that were taken
	standing map[string]int  // begins less ends, by condition
	bad      []string
}

func newHook(t *testing.T) *hook {
	h := &hook{secret: webhook.NewSecret(), ids: map[string]bool{}, standing: map[string]int{}}
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	h.url = s.URL
	return h
}

func (h *hook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.asked++; h.down {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	id := r.Header.Get("webhook-id")
	at, _ := strconv.ParseInt(r.Header.Get("webhook-timestamp"), 10, 64)
	if want, err := webhook.Sign(h.secret, id, at, body); err != nil || want != r.Header.Get("webhook-signature") {
		h.bad = append(h.bad, string(body))
	}
	if h.ids[id] {
		return // a repeat
	}
	h.ids[id] = true
	var event struct {
		Type string
		Data struct {
			AlertType string `json:"alert_type"`
			Asset     string
		}
	}
	if err := json.Unmarshal(body, &event); err != nil {
		h.bad = append(h.bad, err.Error())
	}
	condition := event.Data.AlertType + " " + event.Data.Asset
	switch event.Type {
	case "alert.began":
		h.standing[condition]++
	case "alert.ended":
		h.standing[condition]--
	}
}

// TestE2EWatches: a wallet that is watched is called for without a caller, and its webhook is told what begins once,
// although the service is killed before the post, after it, and in between.
func TestE2EWatches(t *testing.T) {
	base := startVenue(t, "--assets", "16")
	dir, h := t.TempDir(), newHook(t)
	key := issue(t, "a@example.com", "--data-dir", dir)
	h.down = true
	for round := range 4 {
		s := serving(t, "--venue", base, "--venue-budget", "0", "--data-dir", dir, "--webhook-allow-private")
		s.key = key.Key
		if round == 0 {
			s.watch(t, h)
		}
		began := time.Now()
		eventually(t, "a call", time.Minute, func() bool {
			_, watch := s.get(t, "/v1/watch/"+endangered)
			calls, _ := watch["calls"].(map[string]any)
			at, _ := calls["succeeded_at"].(string)
			posts, _ := watch["deliveries"].(map[string]any)
			good, err := time.Parse(time.RFC3339, at)
			h.mu.Lock()
			defer h.mu.Unlock()
			return err == nil && good.After(began) && h.asked > 0 && (h.down || posts["waiting"] == 0.0)
		})
		s.cmd.Process.Kill()
		s.kill()
		h.mu.Lock()
		h.down = false
		h.mu.Unlock()
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.standing) == 0 || len(h.bad) > 0 {
		t.Errorf("told %v, bad: %q", h.standing, h.bad)
	}
	for condition, n := range h.standing {
		if n < 0 || n > 1 {
			t.Errorf("%s began %d times more than it ended", condition, n)
		}
	}
}

// watch sets a watch of the endangered wallet.
func (s *remote) watch(t *testing.T, h *hook) {
	t.Helper()
	body := `{"webhook":{"url":"` + h.url + `","secret":"` + h.secret + `"}}`
	if status, answer := s.put(t, "/v1/watch/"+endangered, body, ""); status != http.StatusOK {
		t.Fatal(status, answer)
	}
}
