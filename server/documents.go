package server

import (
	"bytes"
	"time"

	"github.com/valyala/fasthttp"

	"ballast/server/api"
	"ballast/server/spec"
)

// document answers GET requests for an embedded file.
func (s *Server) document(x *exchange) {
	if x.route == routeConsole && s.cfg.NoConsole {
		x.fail(api.CodeNotFound, "the console is switched off")
		return
	}
	x.sendDocument(routeTable[x.route].document)
}

// servedContract is the contract as asked for.
type servedContract struct {
	origin   string
	document *spec.Document
	made     time.Time
}

// contractPause is the least time between two forms of the contract: making one takes milliseconds, needs no key,
// and the name of the host is the client's.
const contractPause = 100 * time.Millisecond

// openAPI answers with the contract, in which servers names the origin that was asked, and which has with ?view=full
// no unions. The last form of each is kept.
func (s *Server) openAPI(x *exchange) {
	origin := "http://"
	if s.cfg.TLS != nil || string(x.ctx.Request.Header.Peek("X-Forwarded-Proto")) == "https" {
		origin = "https://"
	}
	origin += string(x.ctx.Host())
	full := string(x.query) == "view=full"
	kept := &s.contract[0]
	if full {
		kept = &s.contract[1]
	}
	c := kept.Load()
	if c == nil || c.origin != origin {
		if c != nil && time.Since(c.made) < contractPause {
			x.sendDocument(spec.OpenAPI)
			return
		}
		c = &servedContract{origin, spec.OpenAPIAt(origin, full), time.Now()}
		kept.Store(c)
	}
	x.sendDocument(c.document)
}

func (x *exchange) sendDocument(d *spec.Document) {
	h := &x.ctx.Response.Header
	h.Set("Etag", d.ETag())
	h.Set("Cache-Control", "no-cache") // may be kept, but must be revalidated
	if matchesETag(x.ctx.Request.Header.Peek("If-None-Match"), d.ETag()) {
		x.startAnswer(fasthttp.StatusNotModified, nil)
		return
	}
	h.Set("X-Content-Type-Options", "nosniff")
	if policy := routeTable[x.route].policy; policy != "" {
		h.Set("Content-Security-Policy", policy)
		h.Set("Referrer-Policy", "no-referrer")
	}
	x.startAnswer(fasthttp.StatusOK, []byte(d.ContentType))
	if x.gzips() {
		x.ctx.Response.SetBodyRaw(d.Packed())
	} else {
		x.ctx.Response.SetBodyRaw(d.Plain())
	}
}

// matchesETag reports whether If-None-Match contains a tag. Weak and strong tags match each other.
func matchesETag(header []byte, etag string) bool {
	opaque := bytes.TrimPrefix([]byte(etag), []byte("W/"))
	for item := range bytes.SplitSeq(header, []byte(",")) {
		item = bytes.TrimSpace(item)
		if string(item) == "*" || bytes.Equal(bytes.TrimPrefix(item, []byte("W/")), opaque) {
			return true
		}
	}
	return false
}
