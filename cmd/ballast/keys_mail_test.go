package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/emersion/go-smtp"
)

// mailbox is an SMTP server in this process, without TLS, that accepts every message or rejects it
// with a reply that repeats the message.
type mailbox struct {
	mu       sync.Mutex
	refuse   bool
	messages []string
}

func (b *mailbox) NewSession(*smtp.Conn) (smtp.Session, error) { return &mailSession{b}, nil }

type mailSession struct{ box *mailbox }

func (s *mailSession) Reset()                               {}
func (s *mailSession) Logout() error                        { return nil }
func (s *mailSession) Mail(string, *smtp.MailOptions) error { return nil }
func (s *mailSession) Rcpt(string, *smtp.RcptOptions) error { return nil }
func (s *mailSession) Data(r io.Reader) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	s.box.mu.Lock()
	defer s.box.mu.Unlock()
	s.box.messages = append(s.box.messages, string(text))
	if s.box.refuse {
		flat := strings.Join(strings.Fields(string(text)), " ")
		return &smtp.SMTPError{Code: 554, EnhancedCode: smtp.EnhancedCode{5, 7, 1}, Message: "returned: " +
			flat[max(0, len(flat)-1200):]}
	}
	return nil
}

func (b *mailbox) refuseAll(yes bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.refuse = yes
}

// keyIn returns the key in the last message.
func (b *mailbox) keyIn(t *testing.T) string {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.messages) == 0 {
		t.Fatal("no mail")
	}
	keys := keyForm.FindAllString(b.messages[len(b.messages)-1], -1)
	if len(keys) != 1 {
		t.Fatalf("%d keys in %s", len(keys), b.messages[len(b.messages)-1])
	}
	return keys[0]
}

var keyForm = regexp.MustCompile(`blst_[0-9A-Za-z]{40}`)

func startMailbox(t *testing.T) (b *mailbox, flags []string) {
	t.Helper()
	b = &mailbox{}
	s := smtp.NewServer(b)
	s.Domain = "localhost"
	s.ErrorLog = log.New(io.Discard, "", 0)
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() { s.Serve(ln); close(done) }()
	t.Cleanup(func() { s.Close(); ln.Close(); <-done })
	port := strconv.Itoa(ln.Addr().(*net.TCPAddr).Port)
	return b, []string{"--smtp-host", "127.0.0.1", "--smtp-port", port, "--smtp-tls", "none", "--smtp-from",
		"keys@example.org"}
}

// secrets holds strings that no output may contain.
type secrets []string

// add adds a key, its hash, and encodings of both that could be logged by accident.
func (s *secrets) add(key string) {
	digest := sha256.Sum256([]byte(key))
	*s = append(*s, key, key[5:], hex.EncodeToString([]byte(key)), base64.StdEncoding.EncodeToString([]byte(key)),
		hex.EncodeToString(digest[:]), strings.ToUpper(hex.EncodeToString(digest[:])),
		base64.StdEncoding.EncodeToString(digest[:]), fmt.Sprint(digest), strings.Trim(fmt.Sprint(digest[:]), "[]"))
}

func (s secrets) absent(t *testing.T, where, text string) {
	t.Helper()
	for _, secret := range s {
		if i := strings.Index(text, secret); i >= 0 {
			t.Errorf("%s holds a secret: ...%s...", where, text[max(0, i-80):min(len(text), i+len(secret)+20)])
		}
	}
}

// secrecy is a service, the folder of its data, a mailbox, the secrets known so far and what commands have said.
type secrecy struct {
	*remote
	dir   string
	box   *mailbox
	known secrets
	said  strings.Builder
}

// run runs a command and remembers what it said.
func (s *secrecy) run(t *testing.T, env []string, args ...string) (out, errs string, code int) {
	t.Helper()
	out, errs, code = command(t, env, args...)
	s.said.WriteString(out + errs)
	return out, errs, code
}

var idForm = regexp.MustCompile(`key_[0-9A-Za-z]{12}`)

// mailed issues a key that is mailed, and one whose mail is refused, which is revoked.
func (s *secrecy) mailed(t *testing.T, asJSON bool, flags ...string) {
	t.Helper()
	args := append([]string{"keys", "issue", "--email", "holder@example.com"}, flags...)
	if asJSON {
		args = append(args, "--json")
	}
	s.box.refuseAll(false)
	out, errs, code := s.run(t, nil, args...)
	key := s.box.keyIn(t)
	s.known.add(key)
	if code != 0 || errs != "" {
		t.Errorf("%q, mailed: %d %s%s", args, code, out, errs)
	}
	becomes(t, s.url, key, false)
	if asJSON {
		var i map[string]any
		if err := json.Unmarshal([]byte(out), &i); err != nil || i["mailed"] != true || i["key"] != nil ||
			i["id"] == nil || i["email"] != "holder@example.com" || i["created"] == nil {
			t.Errorf("%v %s", err, out)
		}
	}
	s.box.refuseAll(true)
	out, errs, code = s.run(t, nil, args...)
	bounced := s.box.keyIn(t)
	s.known.add(bounced)
	if code != 1 || out != "" || !strings.Contains(errs, "not mailed and has been revoked") ||
		!strings.Contains(errs, "(554") {
		t.Errorf("%q, bounced: %d %s%s", args, code, out, errs)
	}
	becomes(t, s.url, bounced, true)
	var list []listed
	printed(t, &list, "keys", "list", "--data-dir", s.dir)
	if !slices.ContainsFunc(list, func(l listed) bool { return l.ID == idForm.FindString(errs) && l.Revoked }) {
		t.Errorf("%q, bounced: the key is still good: %s", args, errs)
	}
}

// ask sends a request with a header of authorization and returns the answer as text.
func (s *secrecy) ask(t *testing.T, method, path, header, body string) string {
	t.Helper()
	req := s.request(method, path, body)
	req.Header.Set("Authorization", header)
	_, answer := do(t, req)
	return fmt.Sprint(answer)
}

// TestE2EKeysSecrecy: keys are issued, used, revoked, mailed and bounced. No output contains a key or its hash, except
// the one line that must show the key. A key whose mail failed is revoked.
func TestE2EKeysSecrecy(t *testing.T) {
	const password = "canary-password"
	box, smtpFlags := startMailbox(t)
	s := &secrecy{dir: t.TempDir(), box: box, known: secrets{password}}
	s.remote = serveSim(t, append(smtpFlags, "--data-dir", s.dir, "--metrics-listen", "127.0.0.1:0", "--log-format",
		"json")...)
	rest, shown := s.drain(), s.key
	s.known.add(shown)
	withFlags := append(smtpFlags, "--data-dir", s.dir)
	for _, asJSON := range []bool{false, true} {
		s.mailed(t, asJSON, withFlags...)
	}
	// Invalid requests with secrets in unexpected places.
	for _, header := range []string{"Bearer " + shown + "x", "Basic " + shown, shown,
		"Bearer " + strings.ToLower(shown)} {
		s.known.absent(t, "an answer", s.ask(t, "POST", "/v1/validate", header, shown))
	}
	s.post(t, `{"asset":"BTC"`)
	secret := []string{"BALLAST_SMTP_PASSWORD=" + password}
	// fails: the mail server offers no authentication
	s.run(t, append(secret, "BALLAST_SMTP_USER=u"), append([]string{"keys", "issue", "--email", "x@example.com"},
		withFlags...)...)
	for _, args := range [][]string{{"keys", "issue", "--help"}, {"serve", "--help"}, {"keys", "issue", "--bogus"},
		{"serve", "--smtp-port", "x"}, {"keys", "issue", "--email", "a@b.c", "--smtp-host", "h"}} {
		s.run(t, secret, args...)
	}
	s.known.add(box.keyIn(t))
	metrics := s.ask(t, "GET", "/metrics", "Bearer "+shown, "")
	if !strings.Contains(metrics, "ballast_keys ") {
		t.Errorf("no metrics: %.300s", metrics)
	}
	s.known.absent(t, "/metrics", metrics)
	s.known.absent(t, "/health", s.ask(t, "GET", "/health", "Bearer "+shown, ""))
	s.known.absent(t, "what the commands printed", s.said.String())
	// A dump of all goroutines must not contain a key either.
	s.cmd.Process.Signal(syscall.SIGQUIT)
	log := rest()
	s.cmd.Wait()
	if strings.Count(log, shown) != 2 { // the line that shows the key, and the curl line
		t.Errorf("the first key is printed %d times", strings.Count(log, shown))
	}
	if !strings.Contains(log, "goroutine ") || !strings.Contains(log, "key issued") {
		t.Errorf("the output lacks the dump or the issue of keys:\n%.2000s", log)
	}
	s.known.absent(t, "the service's output", strings.ReplaceAll(log, shown, "-"))
	// The disk contains hashes, never keys.
	filepath.WalkDir(s.dir, func(path string, d os.DirEntry, _ error) error {
		b, _ := os.ReadFile(path)
		if found := keyForm.Find(b); found != nil {
			t.Errorf("%s holds a key", path)
		}
		return nil
	})
}
