package webhook

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	maxURL = 2048
	// lookupTime is how long CheckURL waits for the addresses of a name.
	lookupTime = 2 * time.Second
)

// refused are the networks within those that Unicast says are public that lead elsewhere or nowhere.
var refused = prefixes(
	"0.0.0.0/8", "100.64.0.0/10" /* carrier-grade NAT */, "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", /* 6to4 */
	"198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
	"2001::/23" /* Teredo and others */, "2001:db8::/32", "2002::/16" /* 6to4 */, "3fff::/20",
)

// global are the IPv6 addresses that are given out: what is outside is unique-local, link-local, IPv4-mapped, NAT64
// and the like.
var global = netip.MustParsePrefix("2000::/3")

func prefixes(texts ...string) (all []netip.Prefix) {
	for _, text := range texts {
		all = append(all, netip.MustParsePrefix(text))
	}
	return all
}

// Public reports whether an address is one of the public Internet. An IPv4 address in an IPv6 form is none.
func Public(a netip.Addr) bool {
	if !a.IsGlobalUnicast() || a.IsPrivate() || a.Zone() != "" || a.Is6() && !global.Contains(a) {
		return false
	}
	for _, p := range refused {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

// errPrivate says why an address is not posted to.
type errPrivate string

func (e errPrivate) Error() string {
	return string(e) + ": webhooks are posted to public addresses only, unless the service runs with " +
		"--webhook-allow-private"
}

// guard is a net.Dialer's ControlContext: it sees the address that is really dialled, whatever a name meant before.
func guard(_ context.Context, _, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	if !Public(ap.Addr()) {
		return errPrivate(ap.Addr().String() + " is no public address")
	}
	return nil
}

// CheckURL returns an error that says how to mend a URL to which nothing may be posted. Unless private addresses are
// allowed, it asks for the addresses of a name; one that has none now is no error.
func CheckURL(ctx context.Context, text string, allowPrivate bool) error {
	u, err := url.Parse(text)
	switch {
	case len(text) > maxURL:
		return fmt.Errorf("must have at most %d characters", maxURL)
	case err != nil || strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }):
		return errors.New("must be a URL of ASCII characters, such as https://example.com/hook")
	case u.User != nil:
		return errors.New("must not have a user or password: the signature says who posts")
	case u.Scheme != "https" && (u.Scheme != "http" || !allowPrivate):
		return errors.New("must begin with https://")
	case u.Opaque != "" || u.Hostname() == "" || strings.ContainsAny(u.Hostname(), "/\\%@"):
		return errors.New("must name a host, such as https://example.com/hook")
	case u.Fragment != "":
		return errors.New("must not have a fragment (#...): it is never sent")
	}
	if port := u.Port(); port != "" || strings.HasSuffix(u.Host, ":") {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return errors.New("must have a port from 1 to 65535, or none")
		}
	}
	if allowPrivate {
		return nil
	}
	return checkHost(ctx, u.Hostname())
}

// checkHost returns an error if a host is, or has, an address that is not public.
func checkHost(ctx context.Context, host string) error {
	if a, err := netip.ParseAddr(host); err == nil {
		if !Public(a) {
			return errPrivate("must be public, and " + host + " is no public address")
		}
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTime)
	defer cancel()
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil // the first post will tell
	}
	for _, a := range addresses {
		if a = a.Unmap(); !Public(a) { // a resolver may give IPv4 addresses as mapped ones
			return errPrivate("must be public, and " + host + " has the address " + a.String())
		}
	}
	return nil
}
