package replicas

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"ballast/internal/locked"
)

// After a rejected password the node keeps trying, because the password may be corrected on the
// server. The log contains no password, rejected or accepted.
func TestPasswords(t *testing.T) {
	for name, c := range map[string]struct {
		opts         server.Options
		right, wrong string
	}{
		"password": {server.Options{Username: "u", Password: "rightsecret"}, "u:rightsecret@", "u:wrongsecret@"},
		"token":    {server.Options{Authorization: "rightsecret"}, "rightsecret@", "wrongsecret@"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := c.opts
			opts.Port, opts.StoreDir = -1, t.TempDir()
			srv := serveNATS(t, opts)
			t.Cleanup(func() { end(srv) })
			out := &locked.Buffer{}
			log := slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: slog.LevelDebug}))
			addr := srv.Addr().String()
			right := startReplica(t, Config{URL: "nats://" + c.right + addr, Log: log})
			wrong := startReplica(t, Config{URL: "nats://" + c.wrong + addr, Log: log})
			ready(t, right)
			time.Sleep(300 * time.Millisecond) // enough for many attempts
			if wrong.Connected() || wrong.Trouble() == "" || right.Trouble() != "" {
				t.Fatalf("trouble %q and %q", wrong.Trouble(), right.Trouble())
			}
			if wrong.Conn().IsClosed() {
				t.Fatal("gave up")
			}
			text := out.String()
			if strings.Contains(text, "secret") {
				t.Fatalf("the log contains a password: %s", text)
			}
			if !strings.Contains(text, "Authorization Violation") || !strings.Contains(text, addr) {
				t.Fatalf("the log does not give the reason: %s", text)
			}
			if lines := strings.Count(text, "\n"); lines > 20 {
				t.Fatalf("%d lines: %s", lines, text)
			}
		})
	}
}

func TestURLs(t *testing.T) {
	for _, u := range []string{"http://h:1", "nats://", "nats://u:secret@", "nats://h:secret%zz@x",
		"nats://a:4222,ftp://u:secret@b"} {
		n, err := Open(Config{URL: u, Log: testLog(t)})
		if err == nil {
			n.Close()
			t.Errorf("%s was accepted", u)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%v contains the password", err)
		}
	}
	for in, want := range map[string]string{
		"nats://h:4222": "nats://h:4222", "h": "h",
		"nats://u:p@h:4222":               "nats://***@h:4222",
		"nats://token@h:1, tls://a:p@b@i": "nats://***@h:1,tls://***@i",
	} {
		if got := redact(in); got != want {
			t.Errorf("redact(%s) = %s, want %s", in, got, want)
		}
	}
}

// One server is asked to keep three copies: the streams and buckets are made nevertheless.
func TestTooFewServers(t *testing.T) {
	a := startReplica(t, Config{URL: startNATS(t).url(), Replicas: 3})
	ready(t, a)
	exchange(t, a.NewRegimes(), aWallet, nil)
}
