package server

import (
	"github.com/valyala/fasthttp"

	"ballast/marketcache"
	"ballast/server/api"
)

// assets answers GET /v1/assets from the cache.
func (s *Server) assets(x *exchange) {
	if len(s.cfg.Cache.Universe().Assets) == 0 {
		x.fail(api.CodeStarting, noAssets)
		return
	}
	x.scratch = append(x.scratch[:0], `{"assets":`...)
	x.scratch = api.AppendAssets(x.scratch, s.cfg.Cache, marketcache.Now(), s.cfg.Engine.Ages().MarketHard)
	x.scratch = append(x.scratch, '}')
	x.reply(fasthttp.StatusOK, typeJSON, x.scratch)
}
