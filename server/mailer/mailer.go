package mailer

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	netmail "net/mail"
	"strconv"
	"strings"
	"time"

	"github.com/wneessen/go-mail"
)

// TLS is the kind of encryption of the connection.
type TLS string

const (
	StartTLS    TLS = "starttls" // upgraded before anything is sent; the server must support it
	ImplicitTLS TLS = "tls"      // from the first byte, usually port 465
	NoTLS       TLS = "none"     // to a loopback address only
)

// Secret is a string that no format verb and no logger prints.
type Secret string

// Format prints a placeholder.
func (Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, "[secret]") }

// MarshalText returns a placeholder.
func (Secret) MarshalText() ([]byte, error) { return []byte("[secret]"), nil }

// Config configures a Mailer. Zero values of Port, TLS and Timeout mean the defaults in parentheses.
type Config struct {
	Host     string
	Port     int    // (587)
	User     string // empty: no authentication
	Password Secret
	From     string        // address, with or without a name
	TLS      TLS           // (starttls)
	Timeout  time.Duration // for the whole message (15 s)

	// roots replaces the system's certificate authorities in tests.
	roots *x509.CertPool
}

// Mailer sends mail. It keeps no connection open and is safe for concurrent use.
type Mailer struct{ cfg Config }

// New checks the settings. It does not connect.
func New(cfg Config) (*Mailer, error) {
	cfg.Port = cmp.Or(cfg.Port, 587)
	cfg.TLS = cmp.Or(cfg.TLS, StartTLS)
	cfg.Timeout = cmp.Or(cfg.Timeout, 15*time.Second)
	_, badSender := netmail.ParseAddress(cfg.From)
	switch {
	case cfg.Host == "" || strings.ContainsAny(cfg.Host, "/ \t\r\n"):
		return nil, fmt.Errorf("mail server %q: want a host name or an address", cfg.Host)
	case cfg.Port < 1 || cfg.Port > 65535:
		return nil, fmt.Errorf("mail server port %d: want 1 to 65535", cfg.Port)
	case cfg.Timeout < 0:
		return nil, fmt.Errorf("mail timeout %v: want more than nothing", cfg.Timeout)
	case badSender != nil:
		return nil, fmt.Errorf("sender of mail %q: not an e-mail address", cfg.From)
	case (cfg.User == "") != (cfg.Password == ""):
		return nil, errors.New("mail server: user name and password go together")
	case cfg.TLS == NoTLS && !isLoopback(cfg.Host):
		return nil, fmt.Errorf("mail server %s: a key is sent without TLS to this machine only", cfg.Host)
	case policy[cfg.TLS] == nil:
		return nil, fmt.Errorf("mail encryption %q: want starttls, tls or none", cfg.TLS)
	}
	return &Mailer{cfg: cfg}, nil
}

// isLoopback reports whether a host name means this machine without asking a resolver.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Timeout returns the maximum duration of SendKey.
func (m *Mailer) Timeout() time.Duration { return m.cfg.Timeout }

// SendKey mails a key and its id to an address. If the error is nil, a server has accepted the message.
// Otherwise the key must be considered lost, and known to the operator of the mail server.
func (m *Mailer) SendKey(ctx context.Context, to, key, id string) error {
	msg, err := m.message(to, key, id)
	if err != nil {
		return err
	}
	// At the end of ctx the connection is closed. The mail library extends its deadlines at each step and
	// leaves connections open after some failures.
	ctx, cancel := context.WithTimeout(ctx, m.cfg.Timeout)
	defer cancel()
	client, err := m.client(ctx)
	if err != nil {
		return err
	}
	err = client.DialAndSendWithContext(ctx, msg)
	if msg.IsDelivered() {
		return nil // errors after the server's acceptance do not matter
	}
	return m.explain(ctx, err)
}

func (m *Mailer) message(to, key, id string) (*mail.Msg, error) {
	msg := mail.NewMsg(mail.WithEncoding(mail.EncodingQP), mail.WithNoDefaultUserAgent())
	if err := msg.From(m.cfg.From); err != nil {
		return nil, errors.New("sender of mail: not an e-mail address")
	}
	if err := msg.To(to); err != nil {
		return nil, errors.New("recipient of mail: not an e-mail address")
	}
	msg.Subject("Your Ballast API key")
	msg.SetDate()
	msg.SetMessageID()
	msg.SetGenHeader("Auto-Submitted", "auto-generated") // prevents out-of-office replies
	msg.SetBodyString(mail.TypeTextPlain, body(key, id))
	return msg, nil
}

// body returns the text of the message. Its lines are short, so that no encoding breaks the key.
func body(key, id string) string {
	return "Here is your API key for Ballast:\r\n\r\n" + key + "\r\n\r\nSend it with every request as\r\n\r\n" +
		"Authorization: Bearer <the key>\r\n\r\n" +
		"Keep it like a password. Only its hash is stored, so nobody can show it\r\n" +
		"to you again. If it is lost or has leaked, ask whoever runs the service\r\nto revoke " + id + "\r\n" +
		"and to issue another.\r\n"
}

// policy is the mail library's option for each kind of encryption.
var policy = map[TLS]mail.Option{
	StartTLS:    mail.WithTLSPolicy(mail.TLSMandatory),
	ImplicitTLS: mail.WithSSL(), // dialer opens the TLS connection
	NoTLS:       mail.WithTLSPolicy(mail.NoTLS),
}

// client returns a client for one message, whose connection is closed when ctx ends.
func (m *Mailer) client(ctx context.Context) (*mail.Client, error) {
	options := []mail.Option{
		mail.WithPort(m.cfg.Port),
		mail.WithTimeout(m.cfg.Timeout),
		mail.WithTLSConfig(m.cfg.tlsConfig()),
		mail.WithDialContextFunc(m.dialer(ctx)),
		mail.WithoutNoop(),
		mail.WithoutRset(),
		policy[m.cfg.TLS],
	}
	if m.cfg.User != "" {
		options = append(options, mail.WithUsername(m.cfg.User), mail.WithPassword(string(m.cfg.Password)),
			mail.WithOpportunisticSMTPAuth(mail.SMTPAuthSCRAMSHA256, mail.SMTPAuthSCRAMSHA1, mail.SMTPAuthPlain,
				mail.SMTPAuthLogin))
	}
	client, err := mail.NewClient(m.cfg.Host, options...)
	if err != nil {
		return nil, errors.New("mail settings are refused by the mail library")
	}
	return client, nil
}

// dialer returns a function that connects, with TLS from the first byte if configured. The connection is
// closed when ctx ends.
func (m *Mailer) dialer(ctx context.Context) mail.DialContextFunc {
	return func(dialing context.Context, network, _ string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(dialing, network, m.cfg.address())
		if err != nil {
			return nil, err
		}
		context.AfterFunc(ctx, func() { conn.Close() })
		if m.cfg.TLS == ImplicitTLS {
			return tls.Client(conn, m.cfg.tlsConfig()), nil
		}
		return conn, nil
	}
}

func (c *Config) tlsConfig() *tls.Config {
	return &tls.Config{ServerName: c.Host, MinVersion: tls.VersionTLS12, RootCAs: c.roots}
}

func (c *Config) address() string { return net.JoinHostPort(c.Host, strconv.Itoa(c.Port)) }
