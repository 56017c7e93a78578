package server

import (
	"github.com/valyala/fasthttp"

	"ballast/marketcache"
	"ballast/server/api"
)

// assets answers GET /v1/assets from the cache's cells.
func (s *Server) assets(x *exchange) {
	if len(s.cfg.Cache.Universe().Assets) == 0 {
		x.fail(api.CodeStarting, "the venue's assets have not been read yet")
		return
	}
	x.list = append(x.list[:0], `{"assets":`...)
	x.list = s.cfg.Cache.AppendAssetsJSON(x.list, marketcache.Now(), s.cfg.Engine.Ages().MarketHard)
	x.list = append(x.list, '}')
	x.reply(fasthttp.StatusOK, typeJSON, x.list)
}
