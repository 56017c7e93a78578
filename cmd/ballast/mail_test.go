package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ballast/server/mailer"
)

func TestMailFlags(t *testing.T) {
	password := writeFile(t, filepath.Join(t.TempDir(), "password"), "canary\n")
	empty := writeFile(t, filepath.Join(t.TempDir(), "empty"), "\n")
	base := smtpFlags{Port: 587, TLS: "starttls", Timeout: time.Second}
	with := func(change func(*smtpFlags)) smtpFlags {
		f := base
		f.Host, f.From = "mail.example.org", "keys@example.org"
		change(&f)
		return f
	}
	open := func(f smtpFlags) (*mailer.Mailer, error) {
		if err := f.checkMail(); err != nil {
			return nil, err
		}
		return f.mailer()
	}
	if m, err := open(base); m != nil || err != nil {
		t.Errorf("no settings: %v %v", m, err)
	}
	for name, row := range map[string]struct {
		flags smtpFlags
		want  string // part of the error; "": no error
	}{
		"host and sender":      {with(func(*smtpFlags) {}), ""},
		"password from a file": {with(func(f *smtpFlags) { f.User, f.PasswordFile = "u", password }), ""},
		"two passwords": {with(func(f *smtpFlags) {
			f.User, f.Password, f.PasswordFile = "u", "canary", password
		}), "one of them"},
		"empty file":   {with(func(f *smtpFlags) { f.User, f.PasswordFile = "u", empty }), "empty"},
		"missing file": {with(func(f *smtpFlags) { f.User, f.PasswordFile = "u", empty+"x" }), "no such file"},
		"no host":      {with(func(f *smtpFlags) { f.Host = "" }), "--smtp-host"},
		"no sender":    {with(func(f *smtpFlags) { f.From = "" }), "--smtp-from is missing"},
		"bad sender":   {with(func(f *smtpFlags) { f.From = "bad" }), "sender"},
		"no port":      {with(func(f *smtpFlags) { f.Port = 0 }), "--smtp-port 0"},
		"in clear":     {with(func(f *smtpFlags) { f.TLS = "none" }), "without TLS"},
		"no time":      {with(func(f *smtpFlags) { f.Timeout = 0 }), "--smtp-timeout"},
	} {
		m, err := open(row.flags)
		switch {
		case row.want == "" && (m == nil || err != nil):
			t.Errorf("%s: %v", name, err)
		case row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want) ||
			strings.Contains(err.Error(), "canary")):
			t.Errorf("%s: %v, want %q", name, err, row.want)
		}
	}
}
