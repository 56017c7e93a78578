package main

import "testing"

func TestVenueName(t *testing.T) {
	for venue, want := range map[string]string{
		"sim": "sim", "mainnet": "mainnet",
		"http://127.0.0.1:9000":                    "http://127.0.0.1:9000",
		"https://user:secret@venue.example/base":   "https://venue.example/base",
		"https://user:se@cret@venue.example:8443/": "https://venue.example:8443/",
		"https://token@venue.example/a@b":          "https://venue.example/a@b",
		"ftp://user:secret@venue.example":          "ftp://venue.example",
	} {
		if got := venueName(venue); got != want {
			t.Errorf("%s: %s, want %s", venue, got, want)
		}
	}
}
