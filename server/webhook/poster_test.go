package webhook

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

// receiver starts a server and returns its URL.
func receiver(t *testing.T, h http.HandlerFunc) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// TestPost: what a receiver gets, and that it verifies by the secret.
func TestPost(t *testing.T) {
	body := []byte(`{"type":"alert.began"}`)
	var bad atomic.Value
	url := receiver(t, func(_ http.ResponseWriter, r *http.Request) {
		got, _ := io.ReadAll(r.Body)
		at, err := strconv.ParseInt(r.Header.Get("webhook-timestamp"), 10, 64)
		want, _ := Sign(secret, "msg_1", at, body)
		if err != nil || time.Since(time.Unix(at, 0)).Abs() > time.Minute || string(got) != string(body) ||
			r.Method != "POST" || r.Header.Get("webhook-id") != "msg_1" || r.Header.Get("webhook-signature") != want ||
			r.Header.Get("Content-Type") != "application/json" || r.Header.Get("User-Agent") != "Ballast/1.2" ||
			r.URL.RawQuery != "token=x" {
			bad.Store(r.Header.Clone())
		}
	})
	p := NewPoster("1.2", true)
	if err := p.Post(t.Context(), &Target{url + "/hook?token=x", secret}, "msg_1", body); err != nil {
		t.Fatal(err)
	}
	if b := bad.Load(); b != nil {
		t.Errorf("%v", b)
	}
}

// TestNotTaken: every answer but 2xx is a failure that says why, without the path of the URL; redirects lead nowhere.
func TestNotTaken(t *testing.T) {
	var elsewhere atomic.Int32
	other := receiver(t, func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) })
	hang := make(chan struct{})
	url := receiver(t, func(w http.ResponseWriter, r *http.Request) {
		switch code, err := strconv.Atoi(r.URL.Path[1:]); {
		case err == nil:
			w.Header().Set("Location", other)
			w.WriteHeader(code)
		case r.URL.Path == "/slow":
			<-hang
		case r.URL.Path == "/head":
			w.Header().Set("X-Large", strings.Repeat("a", 64<<10))
		case r.URL.Path == "/endless":
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 4096)); err != nil {
					return
				}
			}
		case r.URL.Path == "/cut":
			c, _, _ := w.(http.Hijacker).Hijack()
			c.Close()
		}
	})
	defer close(hang)
	p := NewPoster("test", true)
	p.client.Timeout = 2 * time.Second
	for path, want := range map[string]string{
		"200": "", "202": "", "204": "", "endless": "", "301": "301: redirects are not followed",
		"302": "not followed", "307": "not followed", "308": "not followed", "400": "400", "410": "410", "500": "500",
		"503": "503", "slow": "no answer within", "head": "header", "cut": "EOF",
	} {
		err := p.Post(t.Context(), &Target{url + "/" + path + "?token=hidden", secret}, "msg_1", nil)
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "hidden")) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if elsewhere.Load() > 0 {
		t.Error("a redirect was followed")
	}
}

// TestPrivateTargets: nothing is sent to an address of this machine, whatever the name was when it was checked, and
// whatever proxy the environment names.
func TestPrivateTargets(t *testing.T) {
	var reached atomic.Int32
	url := receiver(t, func(http.ResponseWriter, *http.Request) { reached.Add(1) })
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(url, "http://"))
	t.Setenv("HTTP_PROXY", url)
	t.Setenv("HTTPS_PROXY", url)
	p := NewPoster("test", false)
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]", "127.1",
		"2130706433", "0x7f.1"} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		err := p.Post(ctx, &Target{"http://" + host + ":" + port, secret}, "msg_1", nil)
		cancel()
		if err == nil {
			t.Errorf("%s was posted to", host)
		}
	}
	if err := p.Post(t.Context(), &Target{"http://localhost:" + port, secret}, "msg_1", nil); err == nil ||
		!strings.Contains(err.Error(), "--webhook-allow-private") {
		t.Errorf("the error does not say why: %v", err)
	}
	if reached.Load() > 0 {
		t.Errorf("%d posts to private addresses", reached.Load())
	}
}
