package main

import (
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"ballast/server/auth"
	"ballast/server/cluster"
	"ballast/server/mailer"
)

// controlled serves the keys of a data directory on its control socket.
func controlled(t *testing.T, dir string) *cluster.Keys {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	node, err := cluster.Open(t.Context(), cluster.Config{DataDir: dir, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(node.Close)
	keys := cluster.NewKeys(node, cluster.KeysConfig{DataDir: dir})
	t.Cleanup(keys.Close)
	if err := keys.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(startControl(dir, keys, nil, log).close)
	return keys
}

func TestControlSocket(t *testing.T) {
	for name, dir := range map[string]string{
		"short path": t.TempDir(), "path longer than a socket's": filepath.Join(t.TempDir(), strings.Repeat("x", 150)),
	} {
		t.Run(name, func(t *testing.T) {
			keys := controlled(t, dir)
			client := controlClient{dir}
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					i, err := client.issue(t.Context(), "a@example.org", true)
					if err != nil || !auth.WellFormed(i.Key) || i.Mailed {
						t.Errorf("%+v %v", i, err)
						return
					}
					if _, v := keys.Store().Lookup([]byte("Bearer "+i.Key), time.Now()); v != auth.Accepted {
						t.Errorf("verdict %d", v)
					}
					if err := client.revoke(t.Context(), i.ID); err != nil {
						t.Error(err)
					}
					if _, v := keys.Store().Lookup([]byte("Bearer "+i.Key), time.Now()); v != auth.Unknown {
						t.Errorf("revoked: verdict %d", v)
					}
				})
			}
			wg.Wait()
			if list, err := client.list(t.Context()); err != nil || len(list) != 8 {
				t.Errorf("%d %v", len(list), err)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, ".control-*")); left != nil {
				t.Errorf("left over: %v", left)
			}
		})
	}
}

// TestControlWantsAReceipt: an issued key is revoked if the client hangs up without confirming that
// it has received the key.
func TestControlWantsAReceipt(t *testing.T) {
	dir := t.TempDir()
	keys := controlled(t, dir)
	conn, err := dialControl(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	io.WriteString(conn, `{"op":"issue","email":"a@example.org"}`+"\n")
	var reply controlReply
	if err := json.NewDecoder(conn).Decode(&reply); err != nil || reply.Issued == nil {
		t.Fatalf("%+v %v", reply, err)
	}
	if r, ok := keys.Store().Record(reply.Issued.ID); !ok || r.Revoked {
		t.Error("revoked before the client could confirm")
	}
	conn.Close()
	eventually(t, "revoked", 20*time.Second, func() bool { r, _ := keys.Store().Record(reply.Issued.ID); return r.Revoked })
}

// TestControlSocketDeleted: a service whose socket is deleted, also twice, can be reached again.
func TestControlSocketDeleted(t *testing.T) {
	dir := t.TempDir()
	controlled(t, dir)
	for range 2 {
		if err := os.Remove(filepath.Join(dir, controlName)); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the service answers", 20*time.Second, func() bool {
			_, err := controlClient{dir}.list(t.Context())
			return err == nil
		})
	}
	if info, err := os.Stat(filepath.Join(dir, controlName)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
}

// TestControlSocketReplacesWhatIsLeft: a file or socket left at the path of the control socket is
// replaced; a directory is not.
func TestControlSocketReplacesWhatIsLeft(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, controlName)
	if err := os.Mkdir(filepath.Join(dir, ".control-123"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("rubbish"), 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		ln, err := listenControl(dir)
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			if conn, err := ln.Accept(); err == nil {
				conn.Close()
			}
		}()
		conn, err := dialControl(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		conn.Close()
		if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
			t.Errorf("mode %v", info.Mode())
		}
		ln.Close() // the socket file remains, as after SIGKILL
		if _, err := dialControl(t.Context(), dir); err == nil {
			t.Error("connected although no server listens")
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".control-*")); left != nil {
		t.Errorf("left over: %v", left)
	}
	os.Remove(path)
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := listenControl(dir); err == nil {
		t.Error("a directory was replaced")
	}
}

// TestCheckEmail: the limit is that of package auth.
func TestCheckEmail(t *testing.T) {
	long := strings.Repeat("a", 60) + "@" + strings.Repeat("b", 60) + "." + strings.Repeat("c", 60) + "." + strings.Repeat("d", maxEmail-183)
	for email, says := range map[string]string{
		"a@example.org": "", long: "", long + "d": "--email: 255 bytes: want an address of at most 254",
	} {
		err := checkEmail(email)
		if (says == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), says) {
			t.Errorf("%d bytes: %v, want %q", len(email), err, says)
		}
		if _, _, known := auth.New(email); known != nil && says == "" || known == nil && len(email) > maxEmail {
			t.Errorf("%d bytes: package auth says %v", len(email), known)
		}
		if says != "" {
			command := keysIssueCmd{Email: email, keysFlags: keysFlags{DataDir: "data"}, smtpFlags: smtpFlags{Port: 587}}
			if invalid := command.Validate(); invalid == nil || invalid.Error() != err.Error() {
				t.Errorf("%d bytes: %v", len(email), invalid)
			}
		}
	}
}

func TestMailFlags(t *testing.T) {
	password := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(password, []byte("canary\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	base := smtpFlags{Port: 587, TLS: "starttls", Timeout: time.Second}
	with := func(change func(*smtpFlags)) smtpFlags {
		f := base
		f.Host, f.From = "mail.example.org", "keys@example.org"
		change(&f)
		return f
	}
	open := func(f smtpFlags) (*mailer.Mailer, error) {
		if err := f.checkMail(); err != nil {
			return nil, err
		}
		return f.mailer()
	}
	if m, err := open(base); m != nil || err != nil {
		t.Errorf("no settings: %v %v", m, err)
	}
	for name, row := range map[string]struct {
		flags smtpFlags
		want  string // part of the error; "": no error
	}{
		"host and sender":      {with(func(*smtpFlags) {}), ""},
		"password from a file": {with(func(f *smtpFlags) { f.User, f.PasswordFile = "u", password }), ""},
		"two passwords":        {with(func(f *smtpFlags) { f.User, f.Password, f.PasswordFile = "u", "canary", password }), "one of them"},
		"empty file":           {with(func(f *smtpFlags) { f.User, f.PasswordFile = "u", empty }), "empty"},
		"missing file":         {with(func(f *smtpFlags) { f.User, f.PasswordFile = "u", empty+"x" }), "no such file"},
		"no host":              {with(func(f *smtpFlags) { f.Host = "" }), "--smtp-host"},
		"no sender":            {with(func(f *smtpFlags) { f.From = "" }), "--smtp-from is missing"},
		"bad sender":           {with(func(f *smtpFlags) { f.From = "bad" }), "sender"},
		"no port":              {with(func(f *smtpFlags) { f.Port = 0 }), "--smtp-port 0"},
		"in clear":             {with(func(f *smtpFlags) { f.TLS = "none" }), "without TLS"},
		"no time":              {with(func(f *smtpFlags) { f.Timeout = 0 }), "--smtp-timeout"},
	} {
		m, err := open(row.flags)
		switch {
		case row.want == "" && (m == nil || err != nil):
			t.Errorf("%s: %v", name, err)
		case row.want != "" && (err == nil || !strings.Contains(err.Error(), row.want) || strings.Contains(err.Error(), "canary")):
			t.Errorf("%s: %v, want %q", name, err, row.want)
		}
	}
}
