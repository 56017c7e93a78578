package main

import (
	"errors"
	"fmt"
	"strings"

	"ballast/server/mailer"
)

// checkMail reports an error for settings of mail that do not fit together. It reads no file.
func (f *smtpFlags) checkMail() error {
	switch {
	case f.Port < 1 || f.Port > 65535:
		return fmt.Errorf("--smtp-port %d: want 1 to 65535", f.Port)
	case f.Host == "" && (f.User != "" || f.Password != "" || f.PasswordFile != "" || f.From != ""):
		return errors.New("--smtp-host is missing: there are other settings of mail")
	case f.Host == "":
		return nil
	case f.From == "":
		return errors.New("--smtp-from is missing: mail needs a sender")
	case f.Password != "" && f.PasswordFile != "":
		return errors.New("--smtp-password, --smtp-password-file: give one of them")
	case f.Timeout <= 0:
		return fmt.Errorf("--smtp-timeout %v: want more than nothing", f.Timeout)
	}
	_, err := f.with(f.Password + f.PasswordFile)
	return err
}

// mailer returns the mailer for keys, or nil when no mail server is configured.
func (f *smtpFlags) mailer() (*mailer.Mailer, error) {
	if f.Host == "" {
		return nil, nil
	}
	password := f.Password
	if f.PasswordFile != "" {
		b, err := readFile(f.PasswordFile)
		if err != nil {
			return nil, fmt.Errorf("--smtp-password-file: %w", err)
		}
		if password = strings.TrimRight(string(b), "\r\n"); password == "" {
			return nil, fmt.Errorf("--smtp-password-file: %s is empty", f.PasswordFile)
		}
	}
	return f.with(password)
}

// with returns the mailer that uses a password.
func (f *smtpFlags) with(password string) (*mailer.Mailer, error) {
	m, err := mailer.New(mailer.Config{
		Host: f.Host, Port: f.Port, User: f.User, Password: mailer.Secret(password),
		From: f.From, TLS: mailer.TLS(f.TLS), Timeout: f.Timeout,
	})
	if err != nil {
		return nil, fmt.Errorf("--smtp-*: %w", err)
	}
	return m, nil
}
