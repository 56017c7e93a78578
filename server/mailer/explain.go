package mailer

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/textproto"
	"os"
	"strings"

	"github.com/wneessen/go-mail"

	"ballast/internal/printable"
)

// maxText is the maximum length of another layer's text in an error, characters.
const maxText = 200

// step describes the step that failed, by the mail library's reason.
var step = map[mail.SendErrReason]string{
	mail.ErrSMTPMailFrom:  "the server refused the sender",
	mail.ErrSMTPRcptTo:    "the server refused the recipient",
	mail.ErrSMTPData:      "the server refused to take a message",
	mail.ErrSMTPDataClose: "the server refused the message",
	mail.ErrWriteContent:  "the connection broke while the message was sent",
}

// explain turns a failure into an error with our own text, except for errors of this machine's network
// and TLS layers.
func (m *Mailer) explain(ctx context.Context, err error) error {
	var (
		sendErr *mail.SendError
		reply   *textproto.Error
		opErr   *net.OpError
		badCert *tls.CertificateVerificationError
		alert   tls.AlertError
		notTLS  tls.RecordHeaderError
		text    string
	)
	switch {
	case err == nil:
		text = "the server took no message"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded),
		errors.Is(ctx.Err(), context.DeadlineExceeded):
		text = fmt.Sprintf("not done within %v", m.cfg.Timeout)
	case ctx.Err() != nil:
		text = "given up"
	case errors.As(err, &sendErr):
		text = cmp.Or(step[sendErr.Reason], "the message was not sent") + codes(sendErr.ErrorCode(),
			sendErr.EnhancedStatusCode())
	case errors.As(err, &badCert):
		text = "the server's certificate is not trusted: " + printable.Start([]byte(badCert.Err.Error()), maxText)
	case errors.As(err, &notTLS), errors.As(err, &alert):
		text = "no TLS connection came about"
	case errors.As(err, &reply) && strings.Contains(err.Error(), "SMTP AUTH failed"):
		text = "the server refused user name or password" + codes(reply.Code, "")
	case errors.As(err, &reply):
		text = "the server refused the conversation" + codes(reply.Code, "")
	case errors.As(err, &opErr) && opErr.Op == "dial":
		text = printable.Start([]byte(opErr.Error()), maxText)
	case strings.Contains(err.Error(), "does not support STARTTLS"):
		text = "the server offers no STARTTLS: it was not given the key"
	case m.cfg.User != "" && strings.Contains(err.Error(), "AUTH"):
		text = "the server offers no way to log in that can be used"
	default:
		text = "the connection broke"
	}
	return fmt.Errorf("mail server %s: %s", m.cfg.address(), text)
}

// codes formats an SMTP reply code, and says whether trying again makes sense.
func codes(code int, enhanced string) string {
	if code < 400 || code > 599 {
		return ""
	}
	text := fmt.Sprintf(" (%d", code)
	if enhanced != "" {
		text += " " + enhanced
	}
	if code < 500 {
		text += ", a temporary failure: try again later"
	}
	return text + ")"
}
