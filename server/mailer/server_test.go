package mailer

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// inbox is an SMTP server whose answers the test chooses.
type inbox struct {
	user, password       string // "": the server offers no authentication
	rcpt, data, authFail func(what string) error

	mu       sync.Mutex
	messages [][]byte
	to       []string
	secure   bool // the last message came over TLS
}

func (b *inbox) NewSession(c *smtp.Conn) (smtp.Session, error) {
	_, secure := c.TLSConnectionState()
	return &session{inbox: b, secure: secure}, nil
}

type session struct {
	inbox  *inbox
	secure bool
	in     bool
}

func (s *session) Reset()        {}
func (s *session) Logout() error { return nil }

func (s *session) AuthMechanisms() []string {
	if s.inbox.user == "" {
		return nil
	}
	return []string{sasl.Plain}
}

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user == s.inbox.user && password == s.inbox.password {
			s.in = true
			return nil
		}
		if s.inbox.authFail != nil {
			return s.inbox.authFail(password)
		}
		return smtp.ErrAuthFailed
	}), nil
}

func (s *session) Mail(string, *smtp.MailOptions) error {
	if s.inbox.user != "" && !s.in {
		return smtp.ErrAuthRequired
	}
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	if s.inbox.rcpt != nil {
		return s.inbox.rcpt(to)
	}
	s.inbox.mu.Lock()
	defer s.inbox.mu.Unlock()
	s.inbox.to = append(s.inbox.to, to)
	return nil
}

func (s *session) Data(r io.Reader) error {
	b, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if s.inbox.data != nil {
		if err := s.inbox.data(string(b)); err != nil {
			return err
		}
	}
	s.inbox.mu.Lock()
	defer s.inbox.mu.Unlock()
	s.inbox.messages = append(s.inbox.messages, b)
	s.inbox.secure = s.secure
	return nil
}

// received returns the accepted messages.
func (b *inbox) received() [][]byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.messages
}

// authority returns the certificate of the standard library's test servers, which is valid for 127.0.0.1, and
// a pool that trusts it.
var authority = sync.OnceValues(func() (*x509.CertPool, tls.Certificate) {
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return pool, s.TLS.Certificates[0]
})

// encryption is the kind of encryption that a server offers.
type encryption int

const (
	plain encryption = iota
	startTLS
	implicitTLS
)

// serve starts a server and returns the configuration to reach it.
func serve(t *testing.T, b *inbox, enc encryption) Config {
	t.Helper()
	roots, cert := authority()
	s := smtp.NewServer(b)
	s.Domain, s.AllowInsecureAuth = "localhost", enc == plain
	s.ErrorLog = log.New(io.Discard, "", 0)
	s.ReadTimeout, s.WriteTimeout = 10*time.Second, 10*time.Second
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := ln.Addr().(*net.TCPAddr).Port
	mode := NoTLS
	switch enc {
	case startTLS:
		s.TLSConfig = &tls.Config{Certificates: []tls.Certificate{cert}}
		mode = StartTLS
	case implicitTLS:
		ln = tls.NewListener(ln, &tls.Config{Certificates: []tls.Certificate{cert}})
		mode = ImplicitTLS
	}
	done := make(chan struct{})
	go func() { s.Serve(ln); close(done) }()
	t.Cleanup(func() { s.Close(); ln.Close(); <-done })
	return Config{Host: "127.0.0.1", Port: port, From: "Ballast <keys@example.org>", TLS: mode,
		Timeout: 10 * time.Second, roots: roots}
}

// script serves one connection with fixed answers and then stalls. It sends the first answer at
// once and each further one after a line was received. When no answers are left, the connection
// stays open and silent.
func script(t *testing.T, answers ...string) Config {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done, stop := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		conn, err := ln.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		go func() { <-stop; conn.Close() }()
		lines := bufio.NewReader(conn)
		for i, a := range answers {
			if i > 0 {
				if _, err := lines.ReadString('\n'); err != nil {
					return
				}
			}
			if _, err := io.WriteString(conn, a); err != nil {
				return
			}
		}
		io.Copy(io.Discard, conn)
	}()
	t.Cleanup(func() { close(stop); ln.Close(); <-done })
	return Config{Host: "127.0.0.1", Port: ln.Addr().(*net.TCPAddr).Port, From: "keys@example.org", TLS: NoTLS,
		Timeout: 500 * time.Millisecond}
}

func refusal(code int, text string) error {
	return &smtp.SMTPError{Code: code, EnhancedCode: smtp.EnhancedCode{code / 100, 1, 1}, Message: text}
}

var errBroken = errors.New("the server's own trouble")
