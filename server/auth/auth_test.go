package auth

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func issue(t testing.TB, s *Store, email string) (string, Key) {
	t.Helper()
	key, k, err := s.Issue(email, Agent)
	if err != nil {
		t.Fatal(err)
	}
	return key, k
}

func verdict(s *Store, key string) Verdict {
	_, v := s.Lookup([]byte("Bearer "+key), time.Now())
	return v
}

// A key has the form that secret scanners know, and its checksum changes with every character.
func TestKeyForm(t *testing.T) {
	sound := func(k string) bool { return string(appendChecksum([]byte(k[:len(k)-keyChecksum]))) == k }
	seen := map[string]bool{}
	for range 1000 {
		k := newKey()
		if len(k) != 45 || !strings.HasPrefix(k, "blst_") || strings.Trim(k[5:], base62) != "" || !sound(k) || seen[k] {
			t.Fatalf("key %q", k)
		}
		seen[k] = true
	}
	k := []byte(newKey())
	for i := 5; i < len(k); i++ {
		old := k[i]
		k[i] = base62[(strings.IndexByte(base62, old)+1)%62]
		if sound(string(k)) {
			t.Errorf("a change of character %d keeps the checksum", i)
		}
		k[i] = old
	}
}

func TestRandomCharactersAreUniform(t *testing.T) {
	var count [128]int
	const n = 62 * 2000
	for _, c := range appendRandom62(nil, n) {
		count[c]++
	}
	chi2 := 0.0
	for _, c := range base62 {
		d := float64(count[c]) - 2000
		chi2 += d * d / 2000
	}
	if chi2 > 61+6*11.05 { // six standard deviations; mean 61, standard deviation sqrt(2*61)
		t.Errorf("chi-square %v", chi2)
	}
}

func TestBearer(t *testing.T) {
	for _, row := range []struct {
		header string
		token  string // "": the header is malformed
	}{
		{"Bearer abc", "abc"}, {"bearer abc", "abc"}, {"BEARER abc", "abc"}, {"bEaReR   abc", "abc"},
		{"", ""}, {"Bearer", ""}, {"Bearer ", ""}, {"Bearer    ", ""}, {"Bearerabc", ""}, {"Bearer\tabc", ""},
		{"Bearer \tabc", ""},
		{"Bearer abc def", ""}, {"Bearer abc ", ""}, {"Basic abc", ""}, {"Token abc", ""}, {"abc", ""},
		{" Bearer abc", ""},
		{"Bearer ab\x00c", ""}, {"Bearer ab\x7f", ""}, {"Bearer \xc3\xa9", ""}, {"Bearer a,Bearer b", ""},
		{"Bearer a,b", "a,b"},
		{"\x02earer abc", ""}, {"Bearer " + strings.Repeat("x", 8000), strings.Repeat("x", 8000)},
	} {
		token, ok := bearer([]byte(row.header))
		if ok != (row.token != "") || (ok && string(token) != row.token) {
			t.Errorf("%.40q: %.40q %v", row.header, token, ok)
		}
	}
}

// Revoke revokes a key. A key that is already revoked stays unchanged.
func (s *Store) Revoke(id string) error {
	r, ok := s.Record(id)
	if !ok {
		return ErrNoSuchKey
	}
	r.Revoked = true
	s.Merge(r)
	return nil
}

func TestIssueListRevoke(t *testing.T) {
	s := NewStore()
	if verdict(s, newKey()) != Unknown || s.Len() != 0 {
		t.Error("an empty store knows a key")
	}
	key, k := issue(t, s, "a@example.org")
	other, otherKey := issue(t, s, "a@example.org")
	if caller, v := s.Lookup([]byte("bearer  "+key), time.Now()); v != Accepted || caller.ID != k.ID {
		t.Errorf("id %q, want %q", caller.ID, k.ID)
	}
	for _, wrong := range []string{key[:44], key + "x", strings.ToUpper(key), strings.Repeat("k", 513), newKey()} {
		if verdict(s, wrong) != Unknown {
			t.Errorf("%q accepted", wrong)
		}
	}
	if _, v := s.Lookup([]byte(key), time.Now()); v != Malformed {
		t.Error("a key without a scheme is not malformed")
	}
	for range 2 {
		if err := s.Revoke(k.ID); err != nil || verdict(s, key) != Unknown || verdict(s, other) != Accepted {
			t.Error("the wrong key was revoked:", err)
		}
	}
	for _, l := range s.List() {
		if l.Revoked != (l.ID == k.ID) || l.Email != "a@example.org" || l.ID != k.ID && l.ID != otherKey.ID {
			t.Errorf("%+v", l)
		}
	}
	for _, bad := range []string{"", "a", "a@", "a@b\r\nBcc: c@d", "A <a@b.c>", "a b@c.d", "a\u202eb@c.d",
		"a\u200b@c.d", "a@b\u2066.c", strings.Repeat("a", 260) + "@b.c"} {
		if _, _, err := s.Issue(bad, Agent); !errors.Is(err, ErrBadEmail) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func record(t testing.TB, at int) (string, Record) {
	t.Helper()
	key, r, err := New("a@example.org", Agent)
	if err != nil {
		t.Fatal(err)
	}
	r.Created = time.Unix(int64(at), 0).UTC()
	return key, r
}

func TestMergeIgnoresOrder(t *testing.T) {
	key, r := record(t, 1)
	gone := r
	gone.Revoked = true
	for name, told := range map[string][]Record{
		"issued, revoked": {r, gone}, "revoked, issued": {gone, r}, "revoked only": {gone},
		"again and again": {gone, r, r, gone, r},
	} {
		at := NewStore()
		for _, one := range told {
			at.Merge(one)
		}
		once := NewStore()
		once.Merge(told...)
		if verdict(at, key) != Unknown || verdict(once, key) != Unknown || at.Len() != 1 || once.Len() != 1 {
			t.Errorf("%s: a revoked key is accepted", name)
		}
	}
	s := NewStore()
	if changed, refused := s.Merge(r); len(changed) != 1 || refused != 0 {
		t.Error(changed, refused)
	}
	if changed, refused := s.Merge(r, r); len(changed) != 0 || refused != 0 {
		t.Error("nothing new is a change:", changed, refused)
	}
	// The same id with another key is rejected, and the existing key stays.
	_, foreign := record(t, 2)
	foreign.ID = r.ID
	foreign.Revoked = true
	if changed, refused := s.Merge(foreign); len(changed) != 0 || refused != 1 || verdict(s, key) != Accepted {
		t.Error("a foreign record replaced the one with its id:", changed, refused)
	}
	calls := 0
	s.OnRevoke(func() { calls++ })
	for range 2 {
		s.Merge(r)
	}
	if s.Revoked(r.ID) || calls != 0 {
		t.Error("revoked before the revocation:", calls)
	}
	if changed, _ := s.Merge(gone); len(changed) != 1 || !changed[0].Revoked {
		t.Error("a revocation is no change:", changed)
	}
	if s.Merge(gone); !s.Revoked(r.ID) || s.Revoked("key_000000000000") || calls != 1 {
		t.Errorf("OnRevoke was called %d times", calls)
	}
}

func TestListsKeepTheOrderOfIssue(t *testing.T) {
	s := NewStore()
	var want []string
	for i := range 50 {
		_, r := record(t, i)
		want = append(want, r.ID)
		s.Merge(r)
	}
	for i, k := range s.List() {
		if k.ID != want[i] || s.Records()[i].ID != want[i] {
			t.Fatalf("number %d is %s, want %s", i, k.ID, want[i])
		}
	}
}

func TestTheStoreIsBounded(t *testing.T) {
	s := NewStore()
	many := make([]Record, MaxKeys+5)
	for i := range many {
		many[i] = Record{ID: fmt.Sprintf("key_%012d", i), Email: "a@b.c", Created: time.Unix(1, 0)}
		many[i].SHA256[0], many[i].SHA256[1], many[i].SHA256[2] = byte(i), byte(i>>8), byte(i>>16)+1
	}
	if _, refused := s.Merge(many...); refused != 5 || s.Len() != MaxKeys {
		t.Errorf("%d refused, %d held", refused, s.Len())
	}
	if _, _, err := s.Issue("a@b.c", Agent); !errors.Is(err, ErrFull) {
		t.Error(err)
	}
	gone := many[7]
	gone.Revoked = true
	if changed, refused := s.Merge(gone); len(changed) != 1 || refused != 0 {
		t.Error("a full store cannot revoke")
	}
}

// TestTrustRunsOut: a key that may have been revoked without this replica's knowledge is neither
// accepted nor reported as unknown, until the replica is known to be current again.
func TestTrustRunsOut(t *testing.T) {
	s := NewStore()
	key, _ := issue(t, s, "a@example.org")
	header, now := []byte("Bearer "+key), time.Now()
	for _, row := range []struct {
		after time.Duration
		want  Verdict
	}{{0, Accepted}, {14 * time.Minute, Accepted}, {15*time.Minute + 1, Unavailable}, {time.Hour, Unavailable}} {
		s.TrustUntil(now.Add(15 * time.Minute))
		if _, v := s.Lookup(header, now.Add(row.after)); v != row.want ||
			s.Trusted(now.Add(row.after)) != (v == Accepted) {
			t.Errorf("after %v: verdict %d, want %d", row.after, v, row.want)
		}
	}
	late := now.Add(time.Hour)
	if _, v := s.Lookup([]byte("Bearer "+newKey()), late); v != Unavailable {
		t.Errorf("an unknown key gets verdict %d", v)
	}
	if _, v := s.Lookup([]byte("Basic x"), late); v != Malformed {
		t.Errorf("no key at all gets verdict %d", v)
	}
	s.TrustUntil(late.Add(time.Second))
	if _, v := s.Lookup(header, late); v != Accepted {
		t.Errorf("verdict %d when the table may be used again", v)
	}
}

func TestUses(t *testing.T) {
	s := NewStore()
	key, k := issue(t, s, "a@example.org")
	if s.NewUses() != nil || s.List()[0].LastUsed != nil {
		t.Error("a use is recorded without a request")
	}
	at := time.Date(2026, 11, 21, 10, 30, 45, 0, time.UTC)
	minute := at.Truncate(time.Minute)
	s.Lookup([]byte("Bearer "+key), at)
	s.Lookup([]byte("Bearer "+key), at.Add(5*time.Second))
	uses := s.NewUses()
	if len(uses) != 1 || uses[0].ID != k.ID || !uses[0].At.Equal(minute) {
		t.Fatalf("%+v", uses)
	}
	s.NoteUse(uses[0])
	if s.NewUses() != nil {
		t.Error("a stored use is reported again")
	}
	s.NoteUse(Use{ID: k.ID, At: minute.Add(-time.Hour)}) // an older use, from another replica
	if got := s.List()[0].LastUsed; got == nil || !got.Equal(minute) {
		t.Errorf("last used %v", got)
	}
	s.NoteUse(Use{ID: k.ID, At: minute.Add(time.Hour)}) // a later use, from another replica
	if got := s.List()[0].LastUsed; got == nil || !got.Equal(minute.Add(time.Hour)) {
		t.Errorf("last used %v", got)
	}
	s.NoteUse(Use{ID: "key_nobody", At: at})
	// A revocation keeps the time of last use.
	s.Revoke(k.ID)
	if got := s.List()[0]; got.LastUsed == nil || !got.Revoked {
		t.Errorf("%+v", got)
	}
}

func TestParseRecord(t *testing.T) {
	_, r := record(t, 1)
	good, _ := json.Marshal(r)
	if back, err := ParseRecord(good); err != nil || back != r {
		t.Errorf("%+v, %v; want %+v", back, err, r)
	}
	change := func(old, new string) string { return strings.Replace(string(good), old, new, 1) }
	digest, _ := r.SHA256.MarshalText()
	for _, bad := range []string{
		"", "{}", "null", "[]", `"x"`, "\xff", string(good[:len(good)-1]), string(good) + "{}",
		change(`"id"`, `"more":1,"id"`), change("key_", "kex_"), change(r.ID, r.ID+"0"), change(r.ID, "../../../../.."),
		change(string(digest), string(digest[:62])), change(string(digest), strings.Repeat("0", 64)),
		change(string(digest), strings.Repeat("g", 64)),
		change(string(digest), strings.Repeat("A", 64)), change("a@example.org", "a@example.org\\u001b[2J"),
		change("a@example.org", ""),
		change(`"created":"1970-01-01T00:00:01Z",`, ""), change(`"revoked":false`, `"revoked":"no"`),
		change("1970-01-01", "1970-13-01"),
		change("a@example.org", strings.Repeat("a", MaxRecord)+"@b.c"),
	} {
		if back, err := ParseRecord([]byte(bad)); err == nil {
			t.Errorf("accepted %s as %+v", bad, back)
		} else if strings.Contains(err.Error(), string(digest)) {
			t.Errorf("the error quotes the hash: %v", err)
		}
	}
}

// TestRecordsHideTheirHash: a record printed in a log line or an error shows only its id.
func TestRecordsHideTheirHash(t *testing.T) {
	_, r := record(t, 1)
	digest, _ := r.SHA256.MarshalText()
	var b strings.Builder
	slog.New(slog.NewJSONHandler(&b, nil)).Error("x", "record", r)
	slog.New(slog.NewTextHandler(&b, nil)).Error("x", "record", r)
	fmt.Fprintf(&b, "%v %s %+v", r, r, r)
	if text := b.String(); strings.Contains(text, string(digest)) || !strings.Contains(text, r.ID) {
		t.Error(text)
	}
}

// TestConcurrentWriters: concurrent updates lose nothing while requests look keys up.
func TestConcurrentWriters(t *testing.T) {
	s := NewStore()
	key, k := issue(t, s, "a@example.org")
	var wg, readers sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					if verdict(s, key) != Accepted {
						t.Error("a good key is refused")
						return
					}
				}
			}
		})
	}
	for range 4 {
		wg.Go(func() {
			for range 50 {
				own, _ := issue(t, s, "b@example.org")
				if verdict(s, own) != Accepted {
					t.Error("a key was lost")
				}
				s.NoteUse(Use{ID: k.ID, At: time.Now()})
				s.NewUses()
			}
		})
	}
	wg.Wait()
	close(stop)
	readers.Wait()
	if s.Len() != 201 {
		t.Errorf("%d keys", s.Len())
	}
}
