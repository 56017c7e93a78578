package webhook

import (
	"net/netip"
	"strings"
	"testing"
)

func TestPublic(t *testing.T) {
	for text, public := range map[string]bool{
		"1.1.1.1": true, "93.184.216.34": true, "100.63.255.255": true, "100.128.0.1": true, "172.15.0.1": true,
		"172.32.0.1": true, "2606:4700:4700::1111": true, "2a00:1450:4001:82f::200e": true,
		"2001:4860:4860::8888": true, "127.0.0.1": false, "127.255.255.254": false, "10.0.0.1": false,
		"172.16.0.1": false, "172.31.255.255": false, "192.168.1.1": false, "169.254.169.254": false,
		"100.64.0.1": false, "100.127.255.255": false, "0.0.0.0": false, "0.1.2.3": false,
		"255.255.255.255": false, "224.0.0.1": false, "239.255.255.255": false, "240.0.0.1": false,
		"192.0.0.170": false, "192.0.2.1": false, "198.18.0.1": false, "198.51.100.1": false, "203.0.113.1": false,
		"192.88.99.1": false, "::": false, "::1": false, "fe80::1": false, "fe80::1%eth0": false, "fc00::1": false,
		"fd12:3456::1": false, "ff02::1": false, "fec0::1": false, "::ffff:127.0.0.1": false,
		"::ffff:8.8.8.8": false, "::ffff:10.0.0.1": false, "::8.8.8.8": false, "::ffff:0:8.8.8.8": false,
		"64:ff9b::a00:1": false, "64:ff9b::808:808": false, "64:ff9b:1::1": false, "2002:7f00:1::": false,
		"2001::1": false, "2001:db8::1": false, "2001:10::1": false, "3fff::1": false, "100::1": false,
		"2606:4700:4700::1111%eth0": false,
	} {
		if got := Public(netip.MustParseAddr(text)); got != public {
			t.Errorf("%s: %v", text, got)
		}
		dialled := netip.AddrPortFrom(netip.MustParseAddr(text), 443).String()
		if got := guard(t.Context(), "tcp", dialled, nil); (got == nil) != public {
			t.Errorf("dialling %s: %v", text, got)
		}
	}
}

func TestCheckURL(t *testing.T) {
	for _, row := range []struct {
		url     string
		refusal string // a word of it, "": it is taken
		private string // the same where private addresses are allowed
	}{
		{"https://1.1.1.1/hook?token=x", "", ""},
		{"https://[2606:4700:4700::1111]:8443/", "", ""},
		{"https://no-such-host.invalid/", "", ""}, // perhaps there is one later
		{"http://1.1.1.1/", "https://", ""},
		{"http://127.0.0.1:9/", "https://", ""},
		{"https://127.0.0.1/", "127.0.0.1 is no public address", ""},
		{"https://localhost/", "localhost has the address", ""},
		{"https://LOCALHOST/", "public", ""},
		{"https://[::1]/", "public", ""},
		{"https://[::ffff:8.8.8.8]/", "public", ""},
		{"https://[64:ff9b::808:808]/", "public", ""},
		{"https://169.254.169.254/latest/meta-data", "public", ""},
		{"https://user:secret@1.1.1.1/", "user", "user"},
		{"https://@1.1.1.1/", "user", "user"},
		{"https://1.1.1.1/#there", "fragment", "fragment"},
		{"https:///hook", "host", "host"},
		{"https:1.1.1.1", "host", "host"},
		{"https://1.1.1.1:0/", "port", "port"},
		{"https://1.1.1.1:99999/", "port", "port"},
		{"https://1.1.1.1:/", "port", "port"},
		{"https://[fe80::1%25eth0]/", "host", "host"},
		{"ftp://1.1.1.1/", "https://", "https://"},
		{"//1.1.1.1/", "https://", "https://"},
		{"file:///etc/passwd", "https://", "https://"},
		{"https://b\u00fccher.example/", "ASCII", "ASCII"},
		{"https://1.1.1.1/a b", "ASCII", "ASCII"},
		{"https://1.1.1.1/\r\nHost: x", "ASCII", "ASCII"},
		{"https://1.1.1.1/" + strings.Repeat("a", 2048), "2048", "2048"},
		{"", "https://", "https://"},
	} {
		for allowed, want := range map[bool]string{false: row.refusal, true: row.private} {
			err := CheckURL(t.Context(), row.url, allowed)
			if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%q, private addresses %v: %v, want %q", row.url, allowed, err, want)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("the error repeats the password: %v", err)
			}
		}
	}
}
