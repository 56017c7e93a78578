package main

import (
	"strings"
	"testing"
)

func TestVenueName(t *testing.T) {
	for venue, want := range map[string]string{
		"sim": "sim", "mainnet": "mainnet",
		"http://127.0.0.1:9000":                    "http://127.0.0.1:9000",
		"https://user:secret@venue.example/base":   "https://venue.example/base",
		"https://user:se@cret@venue.example:8443/": "https://venue.example:8443/",
		"https://token@venue.example/a":            "https://venue.example/a",
		"http://user:s3cr/et@venue.example:1/a":    "http://venue.example:1/a",
		"http://us/er:se?cr#et@venue.example":      "http://venue.example",
		"user:secret@venue.example:1":              "venue.example:1",
		"user:sec://ret@venue.example:1":           "venue.example:1",
		"http:/user:sec\nret@venue.example":        "venue.example",
		"ftp://user:secret@venue.example":          "ftp://venue.example",
	} {
		if got := venueName(venue); got != want {
			t.Errorf("%s: %s, want %s", venue, got, want)
		}
	}
}

// A malformed user or password is called so, and is not shown; other faults are not taken for one.
func TestMalformedUser(t *testing.T) {
	const says = "user or password before the @ (not shown) is not valid: write % as %25"
	for address, want := range map[string]bool{
		"http://user:ge%heim@host:1": true, "http://geheim geheim@host:1": true, "http://ge%heim@host:1/base": true,
		"http://user:ge/heim@host:1": true, "http://us/er:geheim@host:1": true, "user:geheim@host:1": false,
		"http://user:geheim@": false, "http://user:geheim@host:port": false, "http://user:geheim@host:70000": false,
		"ftp://user:geheim@host": false,
	} {
		_, err := venueAddress(address)
		for _, err := range []error{err, checkServer(address)} {
			if err == nil && !strings.HasSuffix(address, "70000") || err != nil &&
				(strings.Contains(err.Error(), says) != want || strings.Contains(err.Error(), "heim")) {
				t.Errorf("%s: %v", address, err)
			}
		}
	}
}
