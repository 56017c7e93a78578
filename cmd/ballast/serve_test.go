package main

import (
	"net"
	"testing"
)

// The address that is printed can be pasted: one that means "all addresses" cannot be asked.
func TestReachable(t *testing.T) {
	for listen, want := range map[string]string{
		"0.0.0.0:8080":   "127.0.0.1:8080",
		"[::]:8080":      "127.0.0.1:8080",
		"127.0.0.1:8080": "127.0.0.1:8080",
		"10.1.2.3:80":    "10.1.2.3:80",
		"[::1]:8080":     "[::1]:8080",
	} {
		addr, err := net.ResolveTCPAddr("tcp", listen)
		if err != nil {
			t.Fatal(err)
		}
		if got := reachable(addr); got != want {
			t.Errorf("%s is reached at %s, want %s", listen, got, want)
		}
	}
}
