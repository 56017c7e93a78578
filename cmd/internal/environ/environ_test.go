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
		// what Kubernetes sets for the services app and app-api
		{[]string{"APP_SERVICE_HOST=10.96.0.5", "APP_SERVICE_PORT=8080", "APP_SERVICE_PORT_HTTP=8080",
			"APP_PORT=tcp://10.96.0.5:8080", "APP_PORT_8080_TCP=tcp://10.96.0.5:8080", "APP_PORT_8080_TCP_PROTO=tcp",
			"APP_PORT_8080_TCP_PORT=8080", "APP_PORT_8080_TCP_ADDR=10.96.0.5", "APP_API_SERVICE_HOST=10.96.0.5",
			"APP_API_PORT=udp://10.96.0.5:53", "APP_API_PORT_53_UDP=udp://10.96.0.5:53"}, ""},
		{[]string{"APP_PORT=8080"}, "unknown environment variable APP_PORT: unset it"},
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
