package server

import (
	"strconv"

	"ballast/server/api"
	"ballast/server/auth"
	"ballast/server/transport"
)

// lookup looks up the key of a request.
func (s *Server) lookup(x *exchange) (auth.Caller, auth.Verdict) {
	if x.conn == nil {
		return s.cfg.Keys.Lookup(x.headers.authorization, x.started)
	}
	session, _ := x.conn.State.(*auth.Session)
	if session == nil {
		conn := x.conn
		session = &auth.Session{Shown: func(keyID string) {
			conn.Show(keyID)
			if keyID != "" && s.cfg.Keys.Revoked(keyID) { // meanwhile, perhaps before Show
				conn.Show("")
			}
		}}
		conn.State = session
	}
	return session.Lookup(s.cfg.Keys, x.headers.authorization, x.started)
}

// crowded answers when the request's key may hold no more connections.
func (x *exchange) crowded() bool {
	if x.conn == nil || x.conn.Refusal == transport.HasRoom {
		return false
	}
	x.ctx.SetConnectionClose()
	if x.conn.Refusal == transport.TooManyConnsOfKey {
		x.fail(api.CodeRateLimited, "too many connections are open, and no key holds more than this one: keep few "+
			"and send requests over them again, watch several wallets on one alert socket, close what is not needed")
	} else {
		x.fail(api.CodeOverloaded, "too many connections are open, each with another key")
	}
	return true
}

// authorize checks key and rate limit.
func (s *Server) authorize(x *exchange) bool {
	caller, verdict := s.lookup(x)
	if !s.accepted(x, verdict) {
		return false
	}
	x.keyID = caller.ID
	if s.cfg.Policies.State() == nil { // what would be answered could be more than is allowed
		return x.fail(api.CodeStarting, "the policies and the kill switch have not been read: NATS does not answer")
	}
	if s.cfg.RateLimit <= 0 {
		return true
	}
	q, ok := caller.Take(int64(x.at), s.cfg.RateLimit)
	x.rateHeaders(q)
	if !ok {
		return x.failUntil(api.CodeRateLimited,
			"more than "+strconv.Itoa(s.cfg.RateLimit)+" requests a minute with this key", q.Wait)
	}
	return true
}

// mayChange reports whether the request's key is an operator's.
func (x *exchange) mayChange() bool {
	r, ok := x.s.cfg.Keys.Record(x.keyID)
	return ok && r.Role == auth.Operator
}

// checkRole reports whether the request's key may do what its method does, and answers otherwise. Only operators
// change what holds for others.
func (s *Server) checkRole(x *exchange) bool {
	h := &x.ctx.Request.Header
	changes := h.IsPut() || h.IsDelete() || routeTable[x.route].operator
	if !changes || routeTable[x.route].own || x.mayChange() {
		return true
	}
	detail := "this key's role is agent: it may read this, and only a key of the role operator may change it"
	if routeTable[x.route].operator {
		detail = "this key's role is agent: only a key of the role operator may ask this"
	}
	return x.refuse(api.CodeForbidden, detail, api.Mending{Field: "Authorization",
		Suggestion: "`ballast keys issue --role operator` makes such a key, for a person"})
}

// accepted reports whether the request's key is valid and may hold one more connection, and answers otherwise.
func (s *Server) accepted(x *exchange, verdict auth.Verdict) bool {
	switch verdict {
	case auth.Malformed:
		return x.refuseKey(api.MissingAuthorization, "Bearer", "a key is needed, in one header "+keyForm)
	case auth.Unavailable: // a revocation may have been missed
		return x.fail(api.CodeStarting, "keys cannot be judged: the store of keys has been out of reach for too long")
	case auth.Unknown:
		if q, ok := s.guesses.Refused(transport.ClientAddr(x.ctx.Conn()), int64(x.at)); !ok {
			return x.failUntil(api.CodeRateLimited, "too many refused keys from this address", q.Wait)
		}
		return x.refuseKey(api.InvalidKey, `Bearer error="invalid_token"`,
			"this service has not issued the key in the header Authorization, or has revoked it")
	}
	return !x.crowded()
}

const keyForm = "Authorization: Bearer blst_..."

// refuseKey refuses a request without a valid key. It never repeats what the header holds.
func (x *exchange) refuseKey(code, challenge, detail string) bool {
	x.ctx.Response.Header.Set("Www-Authenticate", challenge)
	return x.refuse(code, detail, api.Mending{Field: "Authorization",
		Suggestion: keyForm + ", a key that `ballast keys issue` printed"})
}
