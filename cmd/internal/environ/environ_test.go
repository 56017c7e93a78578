package environ

import (
	"testing"

	"github.com/alecthomas/kong"
)

func TestCheck(t *testing.T) {
	var flags struct {
		Serve struct{ Listen string } `cmd:""`
		Quiet bool
	}
	parser, err := kong.New(&flags, kong.DefaultEnvars("APP"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		environ []string
		want    string
	}{
		{[]string{"APP_LISTEN=x", "APP_QUIET=1", "HOME=/", "APPLE_PIE=1"}, ""},
		{[]string{"APP_LISTNE=x"}, "unknown environment variable APP_LISTNE, did you mean APP_LISTEN? Otherwise unset it"},
		{[]string{"APP_Z=", "APP_LISTEN=x", "APP_A="}, "unknown environment variable APP_A, did you mean APP_QUIET? Otherwise unset it\nunknown environment variable APP_Z, did you mean APP_QUIET? Otherwise unset it"},
		{[]string{"APP_LOAD_KEY=secret"}, ""},
	} {
		got := ""
		if err := Check(parser.Model.Node, c.environ, "APP_", "APP_LOAD_"); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%v: %q, want %q", c.environ, got, c.want)
		}
	}
	if Check(parser.Model.Node, []string{"APP_LOAD_KEY=secret"}, "APP_") == nil {
		t.Error("without others every name with the prefix is ours")
	}
}

func TestNearest(t *testing.T) {
	names := []string{"listen", "data-dir", "rate-limit", "tls-cert", "tls-key"}
	for meant, want := range map[string]string{
		"listne": "listen", "rate_limit": "rate-limit", "tlskey": "tls-key", "tls-certificate": "tls-cert", "": "listen", "listen": "listen",
	} {
		if got := Nearest(meant, names); got != want {
			t.Errorf("%q: %s, want %s", meant, got, want)
		}
	}
}
