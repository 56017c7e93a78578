package webhook

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

const (
	// postTime is the longest time of one post, from the lookup of the name to the end of the answer.
	postTime = 10 * time.Second
	// maxAnswer and maxHead are the most that is read of an answer's body and head, bytes.
	maxAnswer = 4 << 10
	maxHead   = 16 << 10
)

// Target is where messages are posted, and the secret that signs them.
type Target struct {
	URL    string `json:"url"`
	Secret string `json:"secret"`
}

// Poster posts messages. It is safe for concurrent use, keeps no connection and follows no redirect.
type Poster struct {
	client *http.Client
	agent  string
}

// NewPoster returns a poster that calls itself by the program's version. allowPrivate lets it post to any address.
func NewPoster(version string, allowPrivate bool) *Poster {
	dialer := &net.Dialer{ControlContext: guard}
	if allowPrivate {
		dialer.ControlContext = nil
	}
	return &Poster{agent: "Ballast/" + version, client: &http.Client{
		Timeout:       postTime,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy: nil, DialContext: dialer.DialContext, DisableKeepAlives: true, DisableCompression: true,
			MaxResponseHeaderBytes: maxHead, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
		},
	}}
}

// Post posts a message once, signed. Any answer but 2xx is an error. Errors repeat neither the URL's path nor the
// secret.
func (p *Poster) Post(ctx context.Context, to *Target, id string, body []byte) error {
	at := time.Now().Unix()
	signature, err := Sign(to.Secret, id, at, body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to.URL, bytes.NewReader(body))
	if err != nil {
		return errors.New("the URL cannot be used")
	}
	h := request.Header
	h.Set("Content-Type", "application/json")
	h.Set("User-Agent", p.agent)
	h["webhook-id"] = []string{id} // in lower case, as the convention writes them
	h["webhook-timestamp"] = []string{strconv.FormatInt(at, 10)}
	h["webhook-signature"] = []string{signature}
	answer, err := p.client.Do(request)
	if err != nil {
		return plain(err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxAnswer)) // some receivers fail when nobody reads
	switch code := answer.StatusCode; {
	case code >= 300 && code < 400:
		return fmt.Errorf("the receiver answered %d: redirects are not followed, name the last address", code)
	case code < 200 || code >= 300:
		return fmt.Errorf("the receiver answered %d", code)
	}
	return nil
}

// plain returns an error of the client without the URL, which may hold a token.
func plain(err error) error {
	failed, ok := errors.AsType[*url.Error](err)
	switch {
	case !ok:
		return err
	case failed.Timeout():
		return fmt.Errorf("no answer within %v", postTime)
	}
	return failed.Err
}
