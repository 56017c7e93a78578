package server

import (
	"net/url"

	"github.com/valyala/fasthttp"

	"ballast/internal/printable"
	"ballast/server/api"
)

// market answers GET /v1/market/{asset} from the cache.
func (s *Server) market(x *exchange) {
	universe := s.cfg.Cache.Universe()
	if len(universe.Assets) == 0 {
		x.fail(api.CodeStarting, noAssets)
		return
	}
	name := x.path[len(routeTable[routeMarket].path):]
	asset := universe.Asset(universe.Lookup(name))
	if asset == nil { // may be percent-encoded
		if plain, err := url.PathUnescape(string(name)); err == nil {
			name = []byte(plain)
			asset = universe.Asset(universe.LookupString(plain))
		}
	}
	if asset == nil || asset.Delisted {
		x.refuse(api.CodeNotFound, "no such asset: "+printable.Text(name), api.MendAsset(string(name), universe))
		return
	}
	x.scratch = api.AppendMarket(x.scratch[:0], s.cfg.Cache, asset, x.at, x.started.UnixMilli(), s.cfg.Engine.Ages().MarketHard)
	x.reply(fasthttp.StatusOK, typeJSON, x.scratch)
}
