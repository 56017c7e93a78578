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
		{[]string{"APP_LISTNE=x"},
			"unknown environment variable APP_LISTNE, did you mean APP_LISTEN? Otherwise unset it"},
		{[]string{"APP_quit=x"}, "unknown environment variable APP_quit, did you mean APP_QUIET? Otherwise unset it"},
		{[]string{"APP_Z=", "APP_LISTEN=x", "APP_A="},
			"unknown environment variable APP_A: unset it\nunknown environment variable APP_Z: unset it"},
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
