package mailer

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"mime/quotedprintable"
	netmail "net/mail"
	"slices"
	"strings"
	"testing"
	"time"
)

// Two secrets that must not appear in any error.
const (
	key      = "blst_0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcd"
	password = "opensesame-canary"
	id       = "key_abcdefghijkl"
	to       = "holder@example.com"
)

func newMailer(t *testing.T, cfg Config) *Mailer {
	t.Helper()
	m, err := New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// send sends the key.
func send(t *testing.T, cfg Config) error {
	t.Helper()
	return newMailer(t, cfg).SendKey(context.Background(), to, key, id)
}

// fails reports a mail that is sent, or an error without a text or with a secret.
func fails(t *testing.T, what string, cfg Config, want string) {
	t.Helper()
	err := send(t, cfg)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: %v, want %q", what, err, want)
	}
	clean(t, err)
}

// clean fails the test if an error contains a secret in any encoding in which a server could have
// returned it.
func clean(t *testing.T, err error) {
	t.Helper()
	for text, e := "", err; e != nil; e = errors.Unwrap(e) {
		text = fmt.Sprintf("%v %+v %#v", e, e, e)
		for _, secret := range []string{key, key[5:], password, base64.StdEncoding.EncodeToString([]byte(password)),
			base64.StdEncoding.EncodeToString([]byte("\x00user\x00" + password)),
			base64.StdEncoding.EncodeToString([]byte(key)), fmt.Sprintf("%x", key), reverse(key)} {
			if strings.Contains(text, secret) {
				t.Errorf("an error gives a secret away: %s", text)
			}
		}
	}
}

func reverse(s string) string {
	b := []byte(s)
	slices.Reverse(b)
	return string(b)
}

func TestSendKey(t *testing.T) {
	for name, enc := range map[string]encryption{"starttls": startTLS, "implicit": implicitTLS,
		"loopback in clear": plain} {
		for _, user := range []string{"", "user"} {
			t.Run(name+" "+user, func(t *testing.T) {
				b := &inbox{user: user, password: password}
				cfg := serve(t, b, enc)
				if user != "" {
					cfg.User, cfg.Password = user, password
				}
				if err := send(t, cfg); err != nil {
					t.Fatal(err)
				}
				got := b.received()
				if len(got) != 1 || len(b.to) != 1 || b.to[0] != to || b.secure != (enc != plain) {
					t.Fatalf("%d messages to %v, secure %v", len(got), b.to, b.secure)
				}
				checkMessage(t, got[0])
			})
		}
	}
}

func checkMessage(t *testing.T, raw []byte) {
	t.Helper()
	if n := bytes.Count(raw, []byte(key)); n != 1 {
		t.Errorf("the key is in the message %d times as plain text:\n%s", n, raw)
	}
	m, err := netmail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	for header, want := range map[string]string{
		"Subject": "Your Ballast API key", "To": "<" + to + ">", "From": `"Ballast" <keys@example.org>`,
		"Auto-Submitted": "auto-generated",
	} {
		if got := m.Header.Get(header); got != want {
			t.Errorf("%s: %q, want %q", header, got, want)
		}
	}
	if _, err := m.Header.Date(); err != nil {
		t.Error(err)
	}
	text, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	if err != nil || !strings.Contains(string(text), "\n"+key+"\r\n") || strings.Count(string(text), id) != 1 {
		t.Errorf("%v\n%s", err, text)
	}
	for _, values := range m.Header {
		if strings.Contains(strings.Join(values, " "), key) {
			t.Error("the key is in a header")
		}
	}
}

// TestRefusals: for any answer of the server, the error names the step and the code but quotes no
// text of the server, because servers quote what they were sent.
func TestRefusals(t *testing.T) {
	echo := func(code int) func(string) error {
		return func(what string) error {
			flat := strings.NewReplacer("\r", " ", "\n", " ").Replace(what)
			return refusal(code, "no: "+flat[max(0, len(flat)-1500):]+" "+reverse(key))
		}
	}
	for _, row := range []struct {
		name  string
		inbox *inbox
		want  string
	}{
		{"recipient unknown", &inbox{rcpt: echo(550)}, "refused the recipient (550 5.1.1)"},
		{"recipient refused temporarily", &inbox{rcpt: echo(450)},
			"refused the recipient (450 4.1.1, a temporary failure: try again later)"},
		{"message refused, echoed", &inbox{data: echo(554)}, "refused the message (554 5.1.1)"},
		{"message refused temporarily, echoed", &inbox{data: echo(451)},
			"refused the message (451 4.1.1, a temporary failure: try again later)"},
		{"server's own trouble", &inbox{data: func(string) error {
			return errBroken
		}}, "refused the message (554 5.0.0)"},
		{"wrong password, echoed", &inbox{user: "user", password: "other", authFail: echo(535)},
			"refused user name or password (535)"},
		{"wrong password", &inbox{user: "user", password: "other"}, "refused user name or password (535)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			cfg := serve(t, row.inbox, startTLS)
			if row.inbox.user != "" {
				cfg.User, cfg.Password = "user", password
			}
			fails(t, row.name, cfg, row.want)
			if len(row.inbox.received()) != 0 {
				t.Error("the server accepted the message although SendKey failed")
			}
		})
	}
}

func TestAuthIsNotSkipped(t *testing.T) {
	b := &inbox{user: "user", password: password}
	fails(t, "no credentials where they are needed", serve(t, b, startTLS), "refused the sender (502")
	none := &inbox{}
	cfg := serve(t, none, startTLS)
	cfg.User, cfg.Password = "user", password
	fails(t, "a server without a login, which does not get the key without it", cfg, "log in")
	if len(b.received())+len(none.received()) != 0 {
		t.Error("the key was sent")
	}
}

func TestTLSIsNotSkipped(t *testing.T) {
	b := &inbox{}
	cfg := serve(t, b, plain) // the same as when a man in the middle removes STARTTLS
	cfg.TLS = StartTLS
	fails(t, "STARTTLS stripped", cfg, "offers no STARTTLS")
	for name, enc := range map[string]encryption{"starttls": startTLS, "implicit": implicitTLS} {
		cfg := serve(t, b, enc)
		cfg.roots = nil // the system's root certificates
		fails(t, name+", unknown authority", cfg, "certificate is not trusted")
	}
	cfg = serve(t, b, plain)
	cfg.TLS = ImplicitTLS
	fails(t, "TLS to a server without", cfg, "no TLS connection")
	if len(b.received()) != 0 {
		t.Error("the key was sent over an unencrypted connection")
	}
}

// TestStalls: a server that stops answering at any step delays a mail by the timeout at most.
func TestStalls(t *testing.T) {
	steps := []string{"220 hi\r\n", "250 localhost\r\n", "250 sender ok\r\n", "250 recipient ok\r\n", "354 go on\r\n"}
	for n := range len(steps) + 1 {
		t.Run(fmt.Sprint("after ", n), func(t *testing.T) {
			cfg := script(t, steps[:n]...)
			begun := time.Now()
			fails(t, "a silent server", cfg, "not done within 500ms")
			if took := time.Since(begun); took < cfg.Timeout || took > cfg.Timeout+5*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
	t.Run("in TLS", func(t *testing.T) {
		cfg := script(t)
		cfg.TLS = ImplicitTLS
		fails(t, "a silent server", cfg, "not done within")
	})
	t.Run("caller goes away", func(t *testing.T) {
		cfg := script(t, steps[:3]...)
		cfg.Timeout = time.Minute
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		defer cancel()
		begun := time.Now()
		if err := newMailer(t, cfg).SendKey(ctx, to, key, id); err == nil || time.Since(begun) > 20*time.Second {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
	})
}

// TestAcceptedIsDelivered: an error after the server has accepted the message is no failure;
// otherwise the key would be revoked although its holder has it.
func TestAcceptedIsDelivered(t *testing.T) {
	cfg := script(t, "220 hi\r\n", "250 localhost\r\n", "250 sender ok\r\n", "250 recipient ok\r\n", "354 go on\r\n",
		"250 taken\r\n")
	if err := send(t, cfg); err != nil {
		t.Error(err) // QUIT was not answered
	}
}

func TestGarbage(t *testing.T) {
	for _, answers := range [][]string{
		{"550 go away " + key + "\r\n"}, {"\x00\xff\r\n"}, {"220 hi\r\n", "rubbish " + password + "\r\n"},
		{"220 hi\r\n", "250 localhost\r\n", "550 \r\n", "550 \r\n"}, {"220 hi\r\n", "421 \r\n", "421 \r\n"},
		{"220 hi\r\n", "250 localhost\r\n", "250 sender ok\r\n", "250 ok\r\n", "354 go on\r\n", "999 " + key + "\r\n"},
	} {
		fails(t, fmt.Sprintf("%q", answers), script(t, answers...), "")
	}
	cfg := script(t)
	cfg.Port = 1 // no server listens
	fails(t, "nobody listens", cfg, "refused")
}

// TestHeaderInjection: a message is sent only if the address is a valid address.
func TestHeaderInjection(t *testing.T) {
	b := &inbox{}
	m := newMailer(t, serve(t, b, plain))
	for _, bad := range []string{
		"a@b.c\r\nBcc: evil@example.com", "a@b.c\nX: y", "a@b.c, d@e.f", "", "a", "a@b.c>\r\nRCPT TO:<evil@example.com",
		"\"a\r\nBcc: x@y.z\" <a@b.c>",
	} {
		if err := m.SendKey(context.Background(), bad, key, id); err == nil {
			t.Errorf("sent to %q", bad)
		} else {
			clean(t, err)
		}
	}
	if n := len(b.received()); n != 0 {
		t.Errorf("%d messages", n)
	}
}

func TestConfig(t *testing.T) {
	good := Config{Host: "mail.example.org", From: "keys@example.org"}
	if m, err := New(good); err != nil || m.cfg.Port != 587 || m.cfg.TLS != StartTLS || m.Timeout() != 15*time.Second {
		t.Error("defaults:", err)
	}
	for name, change := range map[string]func(*Config){
		"no host":                  func(c *Config) { c.Host = "" },
		"host with a path":         func(c *Config) { c.Host = "unix:///var/run/x" },
		"port":                     func(c *Config) { c.Port = 70000 },
		"negative timeout":         func(c *Config) { c.Timeout = -1 },
		"no sender":                func(c *Config) { c.From = "" },
		"injection in the sender":  func(c *Config) { c.From = "a@b.c\r\nBcc: d@e.f" },
		"password without user":    func(c *Config) { c.Password = password },
		"user without password":    func(c *Config) { c.User = "user" },
		"in clear over a network":  func(c *Config) { c.TLS = NoTLS },
		"in clear, loopback-alike": func(c *Config) { c.TLS, c.Host = NoTLS, "localhost.example.org" },
		"another mode":             func(c *Config) { c.TLS = "opportunistic" },
	} {
		cfg := good
		change(&cfg)
		if _, err := New(cfg); err == nil {
			t.Errorf("%s: accepted", name)
		} else {
			clean(t, err)
		}
	}
	for _, host := range []string{"localhost", "127.0.0.1", "127.1.2.3", "::1"} {
		cfg := good
		cfg.TLS, cfg.Host = NoTLS, host
		if _, err := New(cfg); err != nil {
			t.Error(err)
		}
	}
}

func TestSecretsDoNotPrint(t *testing.T) {
	cfg := Config{Host: "h", User: "u", Password: password}
	var b strings.Builder
	fmt.Fprintf(&b, "%v %+v %#v %s %q %x", cfg, cfg, cfg, cfg.Password, cfg.Password, cfg.Password)
	slog.New(slog.NewJSONHandler(&b, nil)).Info("x", "cfg", cfg, "password", cfg.Password)
	slog.New(slog.NewTextHandler(&b, nil)).Info("x", "cfg", cfg, "password", cfg.Password)
	text, _ := json.Marshal(cfg.Password)
	b.Write(text)
	if strings.Contains(b.String(), password) || strings.Contains(b.String(), fmt.Sprintf("%x", password)) {
		t.Error(b.String())
	}
}
