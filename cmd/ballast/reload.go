package main

import (
	"crypto/tls"
	"log/slog"
	"os"
	"os/signal"
	"reflect"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
)

// hangups receives the SIGHUPs of serve. One that comes during the start, or during a reload, which a file may keep
// waiting for ever, waits in it.
var hangups = make(chan os.Signal, 1)

// BeforeReset is called before the configuration is read: from here on SIGHUP does not end the process.
func (*serveCmd) BeforeReset() error {
	signal.Notify(hangups, syscall.SIGHUP)
	return nil
}

// reload reads the configuration file and the certificate again. flags are the flags of the
// running service. When both can be read, the log level and the certificate change at once, other
// flags at the next start; otherwise nothing changes.
func reload(flags []*kong.Flag, cert *certificate, log *slog.Logger) {
	fresh, err := parseInto(&settings{again: true}, os.Args[1:], os.Environ())
	if err != nil {
		log.Error("SIGHUP: the configuration cannot be read; everything stays as it is", "error", err)
		return
	}
	next := fresh.Selected().Target.Addr().Interface().(*serveCmd)
	var pair *tls.Certificate // nil: none before, or none from the next start on
	if cert != nil && next.TLSCert != "" {
		if pair, err = readPair(next.TLSCert, next.TLSKey, true); err != nil {
			log.Error("SIGHUP: the certificate cannot be read; everything stays as it is", "error", err)
			return
		}
	}

	setLogLevel(next.LogLevel)
	log.Debug("SIGHUP: the configuration was read again")
	var waiting []string
	for i, f := range fresh.Selected().Flags {
		same := reflect.DeepEqual(f.Target.Interface(), flags[i].Target.Interface())
		if certificateFile := f.Name == "tls-cert" || f.Name == "tls-key"; !same && f.Name != "log-level" &&
			!(certificateFile && pair != nil) {
			waiting = append(waiting, f.Name)
		}
	}
	if len(waiting) > 0 {
		log.Warn("SIGHUP: needs a restart: " + strings.Join(waiting, ", "))
	}
	switch {
	case pair != nil:
		cert.use(pair, next.TLSCert, log)
		log.Info("SIGHUP: the certificate was read again", "file", next.TLSCert, "expires", pair.Leaf.NotAfter)
	case cert == nil:
		log.Info("SIGHUP: there is no certificate to read again")
	}
}
