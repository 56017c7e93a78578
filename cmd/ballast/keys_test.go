package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
	natsserver "github.com/nats-io/nats-server/v2/server"

	"ballast/internal/freeport"
	"ballast/internal/store"
	"ballast/server/auth"
)

// command runs the binary with additional environment variables and returns its outputs and exit
// status.
func command(t *testing.T, env []string, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	cmd := exec.Command(binary(t, "ballast"), args...)
	cmd.Env = append(os.Environ(), env...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), errs.String(), cmd.ProcessState.ExitCode()
}

// keysCommand runs `ballast keys` with --json and decodes its output.
func keysCommand(t *testing.T, into any, args ...string) {
	t.Helper()
	out, errs, status := command(t, nil, append([]string{"keys"}, append(args, "--json")...)...)
	if status != 0 {
		t.Fatalf("keys %v: %d %s", args, status, errs)
	}
	if err := json.Unmarshal([]byte(out), into); err != nil {
		t.Fatalf("keys %v: %v\n%s", args, err, out)
	}
}

type listed struct {
	ID, Email string
	Revoked   bool
	LastUsed  *time.Time `json:"last_used"`
}

// status makes a request with a key and returns the status.
func status(t *testing.T, url, key string) int {
	t.Helper()
	req, _ := http.NewRequest("GET", url+"/v1/assets", nil)
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	return resp.StatusCode
}

// serving starts a service and returns once it accepts requests, whether ready or not.
func serving(t *testing.T, args ...string) *remote {
	t.Helper()
	p := start(t, "ballast", append([]string{"serve", "--listen", "127.0.0.1:0", "--auth-failure-limit", "1000000"}, args...)...)
	return &remote{process: p, url: p.find(t, `serving url=(http://\S+)`)[1]}
}

// drain reads the rest of a process's output in the background, so that the process never blocks on
// writing.
func (p *process) drain() (rest func() string) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		for line := range p.lines {
			p.output.WriteString(line + "\n")
		}
	}()
	return func() string { <-done; return p.output.String() }
}

// nowhere is the address of a venue that does not answer, for tests of keys only.
const nowhere = "http://127.0.0.1:1"

// TestE2EKeysWrongFolder: list and revoke fail without a data directory with keys and create nothing; issue
// creates the directory.
func TestE2EKeysWrongFolder(t *testing.T) {
	skipShort(t)
	absent, empty := filepath.Join(t.TempDir(), "typo"), t.TempDir()
	for dir, says := range map[string]string{
		absent: "ballast: --data-dir: stat " + absent + ": no such file or directory: want the data directory of the service\n",
		empty:  "ballast: --data-dir " + empty + ": there is no ballast.db in it: want the data directory of the service\n",
	} {
		for _, args := range [][]string{{"keys", "list"}, {"keys", "revoke", "key_x"}} {
			if out, errs, code := command(t, nil, append(args, "--data-dir", dir)...); code != 1 || out != "" || errs != says {
				t.Errorf("%q: %d %s%s", args, code, out, errs)
			}
		}
		if made, _ := filepath.Glob(filepath.Join(dir, "*")); len(made) != 0 {
			t.Errorf("list or revoke created %q", made)
		}
	}
	if _, err := os.Stat(absent); err == nil {
		t.Error("list or revoke created the data directory")
	}
	keysCommand(t, new(issued), "issue", "--email", "a@example.com", "--data-dir", absent)
	var list []listed
	if keysCommand(t, &list, "list", "--data-dir", absent); len(list) != 1 {
		t.Errorf("%+v", list)
	}
}

// becomes waits until a service answers a key with 401, or with anything else.
func becomes(t *testing.T, url, key string, refused bool) {
	t.Helper()
	eventually(t, fmt.Sprintf("a key refused: %v", refused), 5*time.Second, func() bool { return (status(t, url, key) == 401) == refused })
}

// TestE2EKeysBesideTheService: every keys command works while the service runs, which follows, after it was
// killed and after it stopped.
func TestE2EKeysBesideTheService(t *testing.T) {
	skipShort(t)
	dir := filepath.Join(t.TempDir(), "a folder, 100% of a kind?", "data")
	var first, second issued
	keysCommand(t, &first, "issue", "--email", "a@example.com", "--data-dir", dir)
	s := serving(t, "--venue", nowhere, "--data-dir", dir)
	rest := s.drain()
	if status(t, s.url, first.Key) == 401 {
		t.Error("a key from before the start is refused")
	}
	keysCommand(t, &second, "issue", "--email", "b@example.com", "--data-dir", dir)
	becomes(t, s.url, second.Key, false)
	var revoked struct{ Revoked bool }
	keysCommand(t, &revoked, "revoke", second.ID, "--data-dir", dir)
	begun := time.Now()
	becomes(t, s.url, second.Key, true)
	if took := time.Since(begun); !revoked.Revoked || took > time.Second {
		t.Errorf("revoked %v, which took effect after %v", revoked.Revoked, took)
	}
	if _, errs, code := command(t, nil, "keys", "revoke", "key_nobody", "--data-dir", dir); code != 1 || !strings.Contains(errs, `no key with id "key_nobody"`) {
		t.Errorf("unknown id: %d %s", code, errs)
	}
	if _, errs, code := command(t, nil, "keys", "issue", "--email", "nobody", "--data-dir", dir); code != 1 || !strings.Contains(errs, "not an e-mail address") {
		t.Errorf("bad address: %d %s", code, errs)
	}
	if _, errs, code := command(t, nil, "serve", "--venue", nowhere, "--listen", "127.0.0.1:0", "--data-dir", dir); code != 1 || !strings.Contains(errs, "in use by another service") {
		t.Errorf("a second service on the directory: %d %s", code, errs)
	}
	// SIGKILL leaves the log of the database and the lock file behind.
	s.cmd.Process.Kill()
	s.cmd.Wait()
	rest()
	var list []listed
	keysCommand(t, &list, "list", "--data-dir", dir)
	if len(list) != 2 || list[0].ID != first.ID || list[0].Revoked || list[1].ID != second.ID || !list[1].Revoked {
		t.Errorf("%+v", list)
	}
	s = serving(t, "--venue", nowhere, "--data-dir", dir)
	if status(t, s.url, first.Key) == 401 || status(t, s.url, second.Key) != 401 {
		t.Error("after a kill the first key is refused or the revoked one accepted")
	}
	s.cmd.Process.Signal(syscall.SIGTERM)
	said := s.drain()()
	if err := s.cmd.Wait(); err != nil || strings.Contains(strings.ToLower(said), "nats") {
		t.Errorf("%v, or a service that shares nothing speaks of NATS: %s", err, said)
	}
	keysCommand(t, &list, "list", "--data-dir", dir)
	if list[0].LastUsed == nil || time.Since(*list[0].LastUsed) > 10*time.Minute || list[1].LastUsed != nil {
		t.Errorf("last used: %v, %v", list[0].LastUsed, list[1].LastUsed)
	}
}

// TestE2EKeysDamagedStore: a service does not start on a damaged database, and says what mends it: a backup,
// made while the service ran, from which keys, revocations and their audit come back.
// Injects the fault damaged-store of docs/faults.md.
func TestE2EKeysDamagedStore(t *testing.T) {
	skipShort(t)
	dir, backup := t.TempDir(), filepath.Join(t.TempDir(), "backup.db")
	var good, gone issued
	s := serving(t, "--venue", nowhere, "--data-dir", dir)
	s.drain()
	keysCommand(t, &good, "issue", "--email", "a@example.com", "--data-dir", dir)
	keysCommand(t, &gone, "issue", "--email", "b@example.com", "--data-dir", dir)
	keysCommand(t, new(any), "revoke", gone.ID, "--data-dir", dir)
	if out, errs, code := command(t, nil, "backup", backup, "--data-dir", dir); code != 0 || errs != "" || !strings.Contains(out, "wrote "+backup) {
		t.Fatalf("%d %s%s", code, out, errs)
	}
	if _, errs, code := command(t, nil, "backup", backup, "--data-dir", dir); code != 1 || !strings.Contains(errs, "exists already") {
		t.Errorf("a backup over another file: %d %s", code, errs)
	}
	s.cmd.Process.Signal(syscall.SIGTERM)
	s.cmd.Wait()
	db := filepath.Join(dir, store.MainFile)
	b, err := os.ReadFile(db)
	if err != nil {
		t.Fatal(err)
	}
	copy(b[4096:], make([]byte, 4096))
	if err := os.WriteFile(db, b, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"serve", "--venue", nowhere, "--listen", "127.0.0.1:0"}, {"keys", "list"}, {"keys", "issue", "--email", "a@b.c"}, {"audit"}} {
		if _, errs, code := command(t, nil, append(args, "--data-dir", dir)...); code != 1 || !strings.Contains(errs, db+" is damaged") || !strings.Contains(errs, "ballast backup") {
			t.Errorf("%q on a damaged database: %d %s", args, code, errs)
		}
	}
	for _, ending := range []string{"", "-wal", "-shm"} {
		os.Remove(db + ending)
	}
	if b, err = os.ReadFile(backup); err == nil {
		err = os.WriteFile(db, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	s = serving(t, "--venue", nowhere, "--data-dir", dir)
	s.drain()
	if status(t, s.url, good.Key) == 401 || status(t, s.url, gone.Key) != 401 {
		t.Error("after the restore the good key is refused or the revoked one accepted")
	}
	out, errs, code := command(t, nil, "audit", "--data-dir", dir, "--json")
	var events []store.Event
	if err := json.Unmarshal([]byte(out), &events); err != nil || code != 0 || len(events) != 3 {
		t.Fatalf("%d %v %s%s", code, err, out, errs)
	}
	if e := events[2]; e.Event != store.KeyRevoked || e.Subject != gone.ID || e.Detail != "b@example.com" || e.Who == "" || time.Since(e.Time) > 10*time.Minute {
		t.Errorf("%+v", e)
	}
	if out, _, _ := command(t, nil, "audit", "--data-dir", dir); strings.Count(out, "\n") != 4 || !strings.Contains(out, "key_revoked  "+gone.ID) {
		t.Errorf("audit: %s", out)
	}
}

// lastReleaseKey is the key of first@example.org in testdata/lastrelease, which the last release has written.
const lastReleaseKey = "blst_6RWxNqqFKdDl9H7hm61x7wiz7kx71sjWlT2w0vU5"

// TestE2EKeysOfTheLastRelease: a data directory of the last release, with its store and its keys.audit, is taken
// over by a start of the service or by a command.
func TestE2EKeysOfTheLastRelease(t *testing.T) {
	skipShort(t)
	for _, by := range []string{"serve", "keys"} {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS("testdata/lastrelease")); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(dir, auth.OldStore, "jetstream"), 0o700); err != nil {
			t.Fatal(err)
		}
		if by == "serve" {
			s := serving(t, "--venue", nowhere, "--data-dir", dir)
			if said := s.output.String(); !strings.Contains(said, "the keys of the last release were taken over") {
				t.Errorf("the log does not say that keys were taken over: %s", said)
			}
			s.drain()
			if status(t, s.url, lastReleaseKey) == 401 {
				t.Error("a key of the last release is refused")
			}
		}
		var list []listed
		keysCommand(t, &list, "list", "--data-dir", dir)
		if len(list) != 2 || list[0].Email != "first@example.org" || list[0].Revoked || !list[1].Revoked {
			t.Errorf("%s: %+v", by, list)
		}
		// A command beside a service of the last release would take its file away.
		fresh := t.TempDir()
		os.CopyFS(fresh, os.DirFS("testdata/lastrelease"))
		lock, err := lockData(fresh, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, errs, code := command(t, nil, "keys", "list", "--data-dir", fresh); code != 1 || !strings.Contains(errs, "an earlier release of the service runs on it") {
			t.Errorf("beside a service of the last release: %d %s", code, errs)
		}
		lock.Close()
	}
}

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
		return &smtp.SMTPError{Code: 554, EnhancedCode: smtp.EnhancedCode{5, 7, 1}, Message: "returned: " + flat[max(0, len(flat)-1200):]}
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
	return b, []string{"--smtp-host", "127.0.0.1", "--smtp-port", port, "--smtp-tls", "none", "--smtp-from", "keys@example.org"}
}

// secrets holds strings that no output may contain.
type secrets []string

// add adds a key, its hash, and encodings of both that could be logged by accident.
func (s *secrets) add(key string) {
	digest := sha256.Sum256([]byte(key))
	*s = append(*s, key, key[5:], hex.EncodeToString([]byte(key)), base64.StdEncoding.EncodeToString([]byte(key)),
		hex.EncodeToString(digest[:]), strings.ToUpper(hex.EncodeToString(digest[:])), base64.StdEncoding.EncodeToString(digest[:]),
		fmt.Sprint(digest), strings.Trim(fmt.Sprint(digest[:]), "[]"))
}

func (s secrets) absent(t *testing.T, where, text string) {
	t.Helper()
	for _, secret := range s {
		if i := strings.Index(text, secret); i >= 0 {
			t.Errorf("%s holds a secret: ...%s...", where, text[max(0, i-80):min(len(text), i+len(secret)+20)])
		}
	}
}

// TestE2EKeysSecrecy: keys are issued, used, revoked, mailed and bounced, with the mail server named by flags and
// by a configuration file. No output contains a key or its hash, except the one line that must show the key. A key
// whose mail failed is revoked.
func TestE2EKeysSecrecy(t *testing.T) {
	skipShort(t)
	const password = "canary-password"
	box, smtpFlags := startMailbox(t)
	dir := t.TempDir()
	var known secrets
	known = append(known, password)
	file := filepath.Join(t.TempDir(), "ballast.yaml")
	settings := "data-dir: " + dir + "\n"
	for i := 0; i < len(smtpFlags); i += 2 {
		settings += strings.TrimPrefix(smtpFlags[i], "--") + ": " + smtpFlags[i+1] + "\n"
	}
	if err := os.WriteFile(file, []byte(settings), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, "ballast", "serve", "--config", file, "--venue", "sim", "--listen", "127.0.0.1:0",
		"--metrics-listen", "127.0.0.1:0", "--log-format", "json")
	shown := keyForm.FindString(p.find(t, `shown this once: (\S+)`)[0])
	curl := p.find(t, `^curl (http://\S+)/v1/validate`)
	s := &remote{process: p, url: curl[1], key: shown}
	rest := s.drain()
	known.add(shown)
	revokedOf := func(id string) bool {
		var list []listed
		keysCommand(t, &list, "list", "--data-dir", dir)
		for _, l := range list {
			if l.ID == id {
				return l.Revoked
			}
		}
		t.Errorf("no key %s in the list", id)
		return false
	}
	idIn := regexp.MustCompile(`key_[0-9A-Za-z]{12}`)
	var said strings.Builder // output of all commands
	for _, by := range []struct {
		what  string
		flags []string
	}{{"a file", []string{"--config", file}}, {"flags", append(smtpFlags, "--data-dir", dir)}} {
		for _, asJSON := range []bool{false, true} {
			args := append([]string{"keys", "issue", "--email", "holder@example.com"}, by.flags...)
			if asJSON {
				args = append(args, "--json")
			}
			box.refuseAll(false)
			out, errs, code := command(t, nil, args...)
			said.WriteString(out + errs)
			key := box.keyIn(t)
			known.add(key)
			if code != 0 || errs != "" {
				t.Errorf("mailed, by %s: %d %s%s", by.what, code, out, errs)
			}
			becomes(t, s.url, key, false)
			if asJSON {
				var i map[string]any
				if err := json.Unmarshal([]byte(out), &i); err != nil || i["mailed"] != true || i["key"] != nil || i["id"] == nil || i["email"] != "holder@example.com" || i["created"] == nil {
					t.Errorf("%v %s", err, out)
				}
			}
			box.refuseAll(true)
			out, errs, code = command(t, nil, args...)
			said.WriteString(out + errs)
			bounced := box.keyIn(t)
			known.add(bounced)
			if code != 1 || out != "" || !strings.Contains(errs, "not mailed and has been revoked") || !strings.Contains(errs, "(554") {
				t.Errorf("bounced, by %s: %d %s%s", by.what, code, out, errs)
			}
			becomes(t, s.url, bounced, true)
			if id := idIn.FindString(errs); id == "" || !revokedOf(id) {
				t.Errorf("bounced, by %s: the key is still good: %s", by.what, errs)
			}
		}
	}
	// Invalid requests with secrets in unexpected places.
	for _, header := range []string{"Bearer " + shown + "x", "Basic " + shown, shown, "Bearer " + strings.ToLower(shown)} {
		req, _ := http.NewRequest("POST", s.url+"/v1/validate", strings.NewReader(shown))
		req.Header.Set("Authorization", header)
		req.Header.Set("Content-Type", "application/json")
		_, answer := do(t, req)
		known.absent(t, "an answer", fmt.Sprint(answer))
	}
	s.post(t, `{"asset":"BTC"`)
	out, errs, _ := command(t, []string{"BALLAST_SMTP_PASSWORD=" + password, "BALLAST_SMTP_USER=u"}, append([]string{"keys", "issue", "--email", "x@example.com", "--data-dir", dir}, smtpFlags...)...)
	said.WriteString(out + errs) // fails: the mail server offers no authentication
	for _, args := range [][]string{{"keys", "issue", "--help"}, {"serve", "--help"}, {"keys", "issue", "--bogus"}, {"serve", "--smtp-port", "x"}, {"keys", "issue", "--email", "a@b.c", "--smtp-host", "h"}} {
		out, errs, _ := command(t, []string{"BALLAST_SMTP_PASSWORD=" + password}, args...)
		said.WriteString(out + errs)
	}
	known.add(box.keyIn(t))
	req, _ := http.NewRequest("GET", s.url+"/metrics", nil)
	req.Header.Set("Authorization", "Bearer "+shown)
	_, answer := do(t, req)
	metrics := fmt.Sprint(answer["text"])
	if !strings.Contains(metrics, "ballast_keys ") {
		t.Errorf("no metrics: %.300s", metrics)
	}
	known.absent(t, "/metrics", metrics)
	_, answer = s.get(t, "/health")
	known.absent(t, "/health", fmt.Sprint(answer))
	known.absent(t, "what the commands printed", said.String())
	// A dump of all goroutines must not contain a key either.
	p.cmd.Process.Signal(syscall.SIGQUIT)
	log := rest()
	p.cmd.Wait()
	if strings.Count(log, shown) != 2 { // the line that shows the key, and the curl line
		t.Errorf("the first key is printed %d times", strings.Count(log, shown))
	}
	if !strings.Contains(log, "goroutine ") || !strings.Contains(log, "key issued") {
		t.Errorf("the output lacks the dump or the issue of keys:\n%.2000s", log)
	}
	known.absent(t, "the service's output", strings.ReplaceAll(log, shown, "-"))
	// The disk contains hashes, never keys.
	filepath.WalkDir(dir, func(path string, d os.DirEntry, _ error) error {
		b, _ := os.ReadFile(path)
		if found := keyForm.Find(b); found != nil {
			t.Errorf("%s holds a key", path)
		}
		return nil
	})
}

// outsideNATS is a separate NATS server in this process.
type outsideNATS struct {
	dir  string
	port int
	srv  *natsserver.Server
}

func (n *outsideNATS) start(t *testing.T) {
	t.Helper()
	if n.port == 0 {
		var err error
		if n.port, err = freeport.Find(); err != nil {
			t.Fatal(err)
		}
	}
	srv, err := natsserver.NewServer(&natsserver.Options{
		ServerName: "outside", Host: "127.0.0.1", Port: n.port, NoSigs: true, NoLog: true, JetStream: true, StoreDir: n.dir,
		JetStreamMaxMemory: 256 << 20, JetStreamMaxStore: 1 << 30,
	})
	if err != nil {
		t.Fatal(err)
	}
	srv.Start()
	if !srv.ReadyForConnections(20 * time.Second) {
		t.Fatal("NATS does not start")
	}
	n.srv = srv
}

func (n *outsideNATS) stop() {
	if n.srv != nil {
		n.srv.Shutdown()
		n.srv.WaitForShutdown()
		n.srv = nil
	}
}

// TestE2EKeysOfACluster: two replicas and a command on a third machine share the keys. While the
// cluster is away, replicas check keys against their copy until it exceeds --key-max-stale. Then
// they answer every key with 503, neither accepted nor 401. Once the cluster is back, every
// revocation takes effect.
func TestE2EKeysOfACluster(t *testing.T) {
	skipShort(t)
	bus := &outsideNATS{dir: t.TempDir()}
	bus.start(t)
	t.Cleanup(bus.stop)
	url := fmt.Sprintf("nats://127.0.0.1:%d", bus.port)
	dirs := []string{t.TempDir(), t.TempDir()}
	var replicas []*remote
	for _, dir := range dirs {
		r := serving(t, "--venue", nowhere, "--data-dir", dir, "--nats-url", url, "--key-max-stale", "4s")
		r.drain()
		replicas = append(replicas, r)
	}
	everywhere := func(key string, want ...int) bool {
		for _, r := range replicas {
			got, ok := status(t, r.url, key), false
			for _, w := range want {
				ok = ok || got == w
			}
			if !ok {
				return false
			}
		}
		return true
	}
	elsewhere := t.TempDir() // directory on the machine that runs the command
	var k, other issued
	keysCommand(t, &k, "issue", "--email", "a@example.com", "--nats-url", url, "--data-dir", filepath.Join(elsewhere, "none"))
	keysCommand(t, &other, "issue", "--email", "b@example.com", "--nats-url", url, "--data-dir", dirs[0])
	for _, args := range [][]string{{"issue", "--email", "c@example.com"}, {"revoke", other.ID}} { // beside a replica
		if out, errs, code := command(t, nil, append(append([]string{"keys"}, args...), "--data-dir", dirs[0])...); code != 1 || !strings.Contains(errs, "name the cluster with --nats-url") {
			t.Errorf("%q of a replica's copy: %d %s%s", args, code, out, errs)
		}
	}
	// Without a venue, an accepted key gets 503 (stale or starting), or 200 for the empty list of
	// assets.
	good := []int{200, 503}
	accepted := func(key string) bool { return everywhere(key, good...) && !everywhere(key, 401) }
	eventually(t, "issued keys are accepted everywhere", 10*time.Second, func() bool { return accepted(k.Key) && accepted(other.Key) })
	if left, _ := os.ReadDir(elsewhere); len(left) != 0 {
		t.Errorf("a command that names a cluster made %v", left)
	}
	var done struct{ Revoked bool }
	keysCommand(t, &done, "revoke", other.ID, "--nats-url", url)
	eventually(t, "revoked everywhere", 10*time.Second, func() bool { return everywhere(other.Key, 401) })
	var list []listed
	keysCommand(t, &list, "list", "--nats-url", url)
	if len(list) != 2 || list[0].Revoked || !list[1].Revoked {
		t.Errorf("%+v", list)
	}

	bus.stop()
	if !everywhere(other.Key, 401) || !accepted(k.Key) {
		t.Error("keys are not checked against the copy of the replica")
	}
	refusal := func(r *remote) string {
		req, _ := http.NewRequest("GET", r.url+"/v1/assets", nil)
		req.Header.Set("Authorization", "Bearer "+k.Key)
		_, answer := do(t, req)
		return fmt.Sprint(answer["detail"])
	}
	eventually(t, "keys are refused with 503", 30*time.Second, func() bool {
		return everywhere(k.Key, 503) && everywhere(other.Key, 503) && strings.Contains(refusal(replicas[0]), "keys")
	})
	if out, errs, code := command(t, nil, "keys", "list", "--data-dir", dirs[0], "--json"); code != 0 || !strings.Contains(out, k.ID) || !strings.Contains(errs, "knew last") {
		t.Errorf("the copy of a replica: %d %s%s", code, out, errs)
	}
	// A replica that starts without the cluster judges by its copy.
	late := serving(t, "--venue", nowhere, "--data-dir", stopped(t, replicas[1], dirs[1]), "--nats-url", url, "--key-max-stale", "4s")
	late.drain()
	replicas[1] = late
	if status(t, late.url, k.Key) == 401 || status(t, late.url, other.Key) != 401 {
		t.Error("a start without the cluster does not judge by the copy")
	}
	bus.start(t)
	eventually(t, "keys are judged again", 30*time.Second, func() bool {
		return everywhere(other.Key, 401) && accepted(k.Key) && !strings.Contains(refusal(replicas[1]), "keys")
	})

	// The cluster loses its store: no key is restored automatically, and the command rebuild
	// restores all.
	bus.stop()
	os.RemoveAll(bus.dir)
	bus.start(t)
	eventually(t, "the empty cluster answers", 30*time.Second, func() bool {
		out, _, code := command(t, nil, "keys", "list", "--nats-url", url, "--json")
		return code == 0 && strings.TrimSpace(out) == "[]"
	})
	var put struct{ Keys, Revocations, Conflicts int }
	keysCommand(t, &put, "rebuild", "--nats-url", url, "--data-dir", dirs[1])
	keysCommand(t, &list, "list", "--nats-url", url)
	if put.Keys != 2 || len(list) != 2 || list[0].ID != k.ID || list[0].Revoked || !list[1].Revoked {
		t.Errorf("rebuilt %+v: %+v", put, list)
	}
}

// stopped ends a service and returns its data directory.
func stopped(t *testing.T, r *remote, dir string) string {
	t.Helper()
	r.cmd.Process.Signal(syscall.SIGTERM)
	if err := r.cmd.Wait(); err != nil {
		t.Error(err)
	}
	return dir
}

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
		rest := s.drain()
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
					req, _ := http.NewRequest("POST", s.url+"/v1/validate", strings.NewReader(trade("BTC", "long", 50000, crossWallet)))
					req.Header.Set("Authorization", "Bearer blst_"+strings.Repeat("0", 40))
					if resp, err := http.DefaultClient.Do(req); err == nil {
						io.Copy(io.Discard, resp.Body)
						resp.Body.Close()
					}
				}
			})
		}
		time.Sleep(time.Duration(500+round*137%1000) * time.Millisecond)
		s.cmd.Process.Kill()
		kill()
		close(stop)
		wg.Wait()
		s.cmd.Wait()
		rest()
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

// TestE2ESimulatedKeysGone: with a simulated venue a key that replaces lost ones comes with a warning, the
// first key does not.
func TestE2ESimulatedKeysGone(t *testing.T) {
	skipShort(t)
	dir := filepath.Join(t.TempDir(), "data")
	for _, again := range []bool{false, true} {
		p := start(t, "ballast", "serve", "--listen", "127.0.0.1:0", "--venue", "sim", "--data-dir", dir)
		p.find(t, "API key, shown this once")
		p.cmd.Process.Signal(os.Interrupt)
		if said := p.drain()(); strings.Contains(said, "there are no API keys, although") != again {
			t.Errorf("again %v: %s", again, said)
		}
		p.cmd.Wait()
		if err := os.Remove(filepath.Join(dir, store.MainFile)); err != nil {
			t.Fatal(err)
		}
	}
}
