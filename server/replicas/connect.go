package replicas

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// dial connects to the cluster, or keeps trying in the background.
func (n *Node) dial(urls string) (err error) {
	if err := CheckURLs(urls); err != nil {
		return err
	}
	if n.nc, err = nats.Connect(urls, n.options()...); err != nil {
		// The library's error may quote the URL.
		return fmt.Errorf("replicas: connect to %s: %s", redact(urls), redact(err.Error()))
	}
	if n.nc.IsConnected() {
		n.lost.Store(nil) // before the callback that reports it
	} else {
		n.log.Warn("no connection to NATS yet; trying on", "url", redact(urls))
	}
	return nil
}

// options are the options of the connection: reconnect forever, and buffer nothing meanwhile, so that
// publishing on a lost connection fails.
func (n *Node) options() []nats.Option {
	return []nats.Option{
		nats.Name("ballast " + n.id),
		nats.RetryOnFailedConnect(true),
		nats.MaxReconnects(-1),
		nats.IgnoreAuthErrorAbort(),
		nats.ReconnectBufSize(-1),
		nats.Timeout(n.time.Answer),
		nats.PingInterval(n.time.Ping),
		nats.MaxPingsOutstanding(2),
		nats.ReconnectWait(n.time.Reconnect),
		nats.ReconnectJitter(n.time.Reconnect, n.time.Reconnect),
		nats.NoCallbacksAfterClientClose(),
		nats.ConnectHandler(func(nc *nats.Conn) { n.connected(nc, "connected to NATS") }),
		nats.ReconnectHandler(func(nc *nats.Conn) {
			n.Reconnects.Add(1)
			n.connected(nc, "connected to NATS again")
		}),
		nats.ReconnectErrHandler(func(_ *nats.Conn, err error) {
			n.supervisor.Warn("no connection to NATS", "error", err)
		}),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			n.lost.CompareAndSwap(nil, new(time.Now()))
			n.log.Warn("lost the connection to NATS; trying on", "error", err)
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			n.supervisor.Warn("NATS reports an error", "error", err)
		}),
	}
}

// CheckURLs returns an error if one of the comma-separated URLs can never connect. The error does not
// quote a password.
func CheckURLs(urls string) error {
	for s := range strings.SplitSeq(urls, ",") {
		s = strings.TrimSpace(s)
		if !strings.Contains(s, "://") {
			s = "nats://" + s
		}
		p, err := url.Parse(s)
		switch {
		case err != nil:
			return fmt.Errorf("replicas: malformed NATS URL %s", redact(s))
		case !slices.Contains([]string{"nats", "tls", "ws", "wss"}, p.Scheme):
			return fmt.Errorf("replicas: NATS URL %s: want nats://, tls://, ws:// or wss://", redact(s))
		case p.Hostname() == "":
			return fmt.Errorf("replicas: NATS URL %s names no host", redact(s))
		}
	}
	return nil
}

// secret matches, in each of several comma-separated URLs, the scheme if any and the credentials
// (user:password@ or token@).
var secret = regexp.MustCompile(`(^|,)\s*([^,@]*?://)?[^,]*@`)

// redact returns a text without the secrets of the URLs in it.
func redact(text string) string { return secret.ReplaceAllString(text, "$1$2***@") }
