package main

import (
	"net"
	"path/filepath"
	"strings"
	"testing"
)

// If the port of either listener is in use, the start fails before anything else is opened.
func TestE2EPortInUse(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	addr := taken.Addr().String()
	for flag, args := range map[string][]string{
		"--listen":         {"--listen", addr},
		"--metrics-listen": {"--listen", "127.0.0.1:0", "--metrics-listen", addr},
	} {
		dir := t.TempDir()
		out, errs, code := command(t, nil, append([]string{"serve", "--venue", "sim", "--data-dir", dir}, args...)...)
		if code != 1 || out != "" || !strings.HasPrefix(errs, "ballast: "+flag+": listen tcp "+addr+": ") ||
			strings.Count(errs, "\n") != 1 {
			t.Errorf("%s: %d\n%s%s", flag, code, out, errs)
		}
		if made, _ := filepath.Glob(filepath.Join(dir, "*")); len(made) != 1 { // only the lock file
			t.Errorf("%s: a start that failed has made %q", flag, made)
		}
	}
}

// Only addresses of NATS servers are accepted, and errors quote no secret.
func TestCheckNATS(t *testing.T) {
	for urls, says := range map[string]string{
		"nats://host":                        "",
		"nats://u:secret@host:4222, tls://b": "",
		"host:4222":                          "",
		"secret@host:4222,ws://c:80":         "",
		"garbage":                            "garbage: want an address such as nats://garbage:4222",
		"nats://host:4222,secret@host":       "host: want an address such as nats://host:4222",
		"nats://u:secret@host:70000":         "host:70000: a port is at most 65535",
		"http://u:secret@host":               "want nats://",
		"nats://u:secret@host:four":          "malformed",
		"nats://":                            "names no host",
	} {
		err := checkNATS(urls)
		if (says == "") != (err == nil) || err != nil && (!strings.Contains(err.Error(), says) ||
			strings.Contains(err.Error(), "secret")) {
			t.Errorf("%s: %v, want %q", urls, err, says)
		}
	}
}

func TestValidOrigin(t *testing.T) {
	for origin, want := range map[string]bool{
		"": true, "*": true, "https://console.example": true, "http://localhost:3000": true, "http://[::1]:3000": true,
		"chrome-extension://abc": true,
		"nonsense":               false, "console.example": false, "null": false, "https://": false,
		"https://console.example/":            false,
		"https://a.example https://b.example": false,
		"https://u@a.example":                 false, "https://Console.example": false, "https://*.example": false,
		"https://a.example?": false, "http://a.example:port": false,
	} {
		if validOrigin(origin) != want {
			t.Errorf("%q: %v, want %v", origin, !want, want)
		}
	}
}

// The printed address can be pasted into a client: for a listener on all addresses it is the loopback
// address.
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
