package main

import (
	"errors"
	"fmt"
	"strings"

	"ballast/server/mailer"
)

// mailer returns the mailer for keys, or nil when no mail server is configured.
func (f *smtpFlags) mailer() (*mailer.Mailer, error) {
	if f.Host == "" {
		if f.User != "" || f.Password != "" || f.PasswordFile != "" || f.From != "" {
			return nil, errors.New("--smtp-host is missing: there are other settings of mail")
		}
		return nil, nil
	}
	password := f.Password
	if f.PasswordFile != "" {
		if password != "" {
			return nil, errors.New("--smtp-password, --smtp-password-file: give one of them")
		}
		b, err := readFile(f.PasswordFile, false)
		if err != nil {
			return nil, fmt.Errorf("--smtp-password-file: %w", err)
		}
		if password = strings.TrimRight(string(b), "\r\n"); password == "" {
			return nil, fmt.Errorf("--smtp-password-file: %s is empty", f.PasswordFile)
		}
	}
	if f.Timeout <= 0 {
		return nil, fmt.Errorf("--smtp-timeout %v: want more than nothing", f.Timeout)
	}
	m, err := mailer.New(mailer.Config{
		Host: f.Host, Port: f.Port, User: f.User, Password: mailer.Secret(password),
		From: f.From, TLS: mailer.TLS(f.TLS), Timeout: f.Timeout,
	})
	if err != nil {
		return nil, fmt.Errorf("--smtp-*: %w", err)
	}
	return m, nil
}
