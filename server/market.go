package server

import (
	"net/url"

	"github.com/valyala/fasthttp"

	"ballast/internal/printable"
	"ballast/marketcache"
	"ballast/server/api"
)

// assets answers GET /v1/assets from the cache.
func (s *Server) assets(x *exchange) {
	if !x.listed(s.cfg.Cache.Universe()) {
		return
	}
	x.scratch = api.AppendAssets(x.scratch[:0], s.cfg.Cache, marketcache.Now(), s.cfg.Engine.Ages().MarketHard)
	x.reply(fasthttp.StatusOK, typeJSON, x.scratch)
}

// asset returns the asset that the path names, percent-encoded or not; nil, and answers, if there is none.
func (s *Server) asset(x *exchange, delisted bool) *marketcache.Asset {
	universe := s.cfg.Cache.Universe()
	if !x.listed(universe) {
		return nil
	}
	name := x.tail()
	asset := universe.Asset(universe.Lookup(name))
	if asset == nil { // may be percent-encoded
		if plain, err := url.PathUnescape(string(name)); err == nil {
			name = []byte(plain)
			asset = universe.Asset(universe.Lookup(name))
		}
	}
	if asset == nil || asset.Delisted && !delisted {
		x.refuse(api.CodeNotFound, "no such asset: "+printable.Text(name), api.MendAsset(name, universe))
		return nil
	}
	return asset
}

// market answers GET /v1/market/{asset} from the cache.
func (s *Server) market(x *exchange) {
	asset := s.asset(x, false)
	if asset == nil {
		return
	}
	x.scratch = api.AppendMarket(x.scratch[:0], s.cfg.Cache, asset, x.at, s.cfg.Cache.Venue.Clock.VenueMs(x.at),
		s.cfg.Engine.Ages().MarketHard)
	x.reply(fasthttp.StatusOK, typeJSON, x.scratch)
}
