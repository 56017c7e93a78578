package server

import (
	"bytes"

	"github.com/valyala/fasthttp"

	"ballast/server/api"
)

// document answers GET requests for an embedded file.
func (s *Server) document(x *exchange) {
	if x.route == routeConsole && s.cfg.NoConsole {
		x.fail(api.CodeNotFound, "the console is switched off")
		return
	}
	d := routeTable[x.route].document
	h := &x.ctx.Response.Header
	h.Set("Etag", d.ETag())
	h.Set("Cache-Control", "no-cache") // may be kept, but must be revalidated
	if matchesETag(x.ctx.Request.Header.Peek("If-None-Match"), d.ETag()) {
		x.startAnswer(fasthttp.StatusNotModified, []byte(d.ContentType))
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
