package auth

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// A session gives the same verdicts as the store while keys are added and revoked, the replica's
// knowledge expires and is renewed, and headers of every kind are shown, mostly the same one
// repeatedly.
func TestSessionJudgesAsTheStore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := NewStore()
		now := time.Now()
		var session Session
		var ids []string
		headers := [][]byte{nil, []byte("Basic x"), []byte("Bearer " + newKey()),
			[]byte("Bearer " + strings.Repeat("k", maxRemembered))}
		at := 0
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			switch rapid.IntRange(0, 9).Draw(t, "step") {
			case 0:
				key, k, err := s.Issue("a@example.org", Agent)
				if err != nil {
					t.Fatal(err)
				}
				ids = append(ids, k.ID)
				headers = append(headers, []byte("Bearer "+key), []byte("bearer  "+key),
					[]byte("Bearer"+strings.Repeat(" ", maxRemembered)+key))
				at = len(headers) - 3
			case 1:
				if len(ids) > 0 {
					s.Revoke(rapid.SampledFrom(ids).Draw(t, "revoked"))
				}
			case 2:
				s.TrustUntil(now.Add(time.Duration(rapid.IntRange(-1, 0).Draw(t, "trust")) * time.Second))
			case 3:
				s.TrustUntil(now.Add(time.Hour))
			case 4:
				at = rapid.IntRange(0, len(headers)-1).Draw(t, "header")
			}
			want, wantVerdict := s.Lookup(headers[at], now)
			got, verdict := session.Lookup(s, headers[at], now)
			if got != want || verdict != wantVerdict {
				t.Fatalf("%q: %v %d, the store says %v %d", headers[at], got, verdict, want, wantVerdict)
			}
		}
	})
}

// A session hashes a key only if it differs from the last accepted one, and remembers no rejected
// key.
func TestSessionRemembers(t *testing.T) {
	s := NewStore()
	key, k := issue(t, s, "a@example.org")
	header, now := []byte("Bearer "+key), time.Now()
	var session Session
	session.Lookup(s, header, now)
	if session.caller.state == nil || string(session.header[:session.length]) != string(header) {
		t.Fatal("an accepted key is not remembered")
	}
	session.Lookup(s, []byte("Bearer "+newKey()), now)
	if session.caller.state != nil {
		t.Error("the earlier key is still remembered after a refused key")
	}
	session.Lookup(s, header, now)
	if err := s.Revoke(k.ID); err != nil {
		t.Fatal(err)
	}
	if _, v := session.Lookup(s, header, now); v != Unknown || session.caller.state != nil {
		t.Errorf("verdict %d on a revoked key", v)
	}
}
