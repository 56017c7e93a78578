package gate

import (
	"ballast/marketcache"
	"ballast/marketcache/venue/exchange"
)

// Hint is who has signed the actions of a connection: most have one signer. The zero value is ready. It is for one
// action at a time.
type Hint struct {
	last    exchange.Address
	network exchange.Network
	known   *exchange.KnownSigner // last, once it has signed twice; nil before
}

// maxTables is how many signers are known so that their signatures are checked faster: 29 MB.
const maxTables = 256

// Signer returns who has signed an action, for the gate's network, or for the other one if its signer is known to act
// for somebody there and the first is not.
func (g *Gate) Signer(e *exchange.Envelope, h *Hint) (signer exchange.Address, n exchange.Network, err error) {
	if h.known != nil && e.SignedBy(h.known, h.network) {
		return h.known.Address, h.network, nil
	}
	n = g.Network
	if signer, err = e.Signer(n); err != nil {
		return signer, n, err
	}
	acts := g.acts(signer)
	if !acts {
		if other, err := e.Signer(Other(n)); err == nil && g.acts(other) {
			signer, n, acts = other, Other(n), true
		}
	}
	if acts && signer == h.last && n == h.network {
		h.known = g.table(e, signer, n)
	} else {
		*h = Hint{last: signer, network: n}
	}
	return signer, n, nil
}

// acts reports whether a signer is known to act for somebody.
func (g *Gate) acts(signer exchange.Address) bool {
	of, _ := g.KnownOwner(signer)
	return of != marketcache.Wallet{}
}

// Other returns the other network.
func Other(n exchange.Network) exchange.Network {
	if n == exchange.Mainnet {
		return exchange.Testnet
	}
	return exchange.Mainnet
}

// table returns the signer of an action, nil if there are too many.
func (g *Gate) table(e *exchange.Envelope, signer exchange.Address, n exchange.Network) *exchange.KnownSigner {
	g.mu.Lock()
	known, full := g.tables[signer], len(g.tables) >= maxTables
	g.mu.Unlock()
	if known != nil || full {
		return known
	}
	known, err := e.Known(n)
	if err != nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tables[signer] = known
	return known
}
