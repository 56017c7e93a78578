package replica

import (
	"encoding/binary"
	"math"

	"ballast/marketcache"
)

// codecVersion is the first byte of every message. It changes with any field below:
// replicas of two versions do not read each other.
const codecVersion = 1

// codec writes or reads the fields of a message, in one order for both: to carry another
// field of a type, name it in that type's method below. Numbers are little-endian.
type codec struct {
	b       []byte // written so far, or left to read
	reading bool
	bad     bool // reading: not a message of this version

	// instant converts a time of this process to the sender's clock, or back; nil: as it is.
	instant func(marketcache.Instant) marketcache.Instant
	// asset converts the sender's id of an asset; nil: as it is.
	asset func(marketcache.AssetID) marketcache.AssetID
}

// done reports whether the whole message was read and was one.
func (c *codec) done() bool { return !c.bad && len(c.b) == 0 }

// take returns the next n bytes to read, nil when there are fewer.
func (c *codec) take(n int) []byte {
	if c.bad || n > len(c.b) {
		c.bad = true
		return nil
	}
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}

func (c *codec) uint64(v uint64) uint64 {
	if !c.reading {
		c.b = binary.LittleEndian.AppendUint64(c.b, v)
	} else if b := c.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return v
}

// whole is a field that holds a whole number.
func whole[T ~int | ~int32 | ~int64 | ~uint64 | ~uint8](c *codec, v *T) { *v = T(c.uint64(uint64(*v))) }

func (c *codec) float(v *float64) { *v = math.Float64frombits(c.uint64(math.Float64bits(*v))) }

func (c *codec) floats(v ...*float64) {
	for _, p := range v {
		c.float(p)
	}
}

func (c *codec) flag(v *bool) {
	if !c.reading {
		b := byte(0)
		if *v {
			b = 1
		}
		c.b = append(c.b, b)
	} else if b := c.take(1); b != nil {
		*v = b[0] == 1
	}
}

func (c *codec) text(v *string) {
	n := len(*v)
	whole(c, &n)
	if !c.reading {
		c.b = append(c.b, *v...)
	} else if n < 0 || n > len(c.b) {
		c.bad = true
	} else {
		*v = string(c.take(n))
	}
}

// time is an Instant, or never.
func (c *codec) time(v *marketcache.Instant) {
	at := *v
	if !c.reading && at != 0 && c.instant != nil {
		at = c.instant(at)
	}
	whole(c, &at)
	if c.reading && at != 0 && c.instant != nil {
		at = max(1, c.instant(at)) // longer ago than this process has lived
	}
	*v = at
}

// id is an asset.
func (c *codec) id(v *marketcache.AssetID) {
	whole(c, v)
	if c.reading && c.asset != nil {
		*v = c.asset(*v)
	}
}

// list is a slice of elements that take at least so many bytes each.
func list[T any](c *codec, v *[]T, least int, each func(*codec, *T)) {
	n := len(*v)
	whole(c, &n)
	if c.reading {
		if c.bad || n < 0 || n > len(c.b)/least {
			c.bad = true
			return
		}
		*v = nil
		if n > 0 {
			*v = make([]T, n)
		}
	}
	for i := range *v {
		each(c, &(*v)[i])
	}
}

// header begins every message.
type header struct {
	kind  kind
	epoch uint64
	id    marketcache.AssetID // the leader's; 0 where there is none
	// seq numbers the values of one datum in an epoch.
	seq             uint64
	received, proof marketcache.Instant // see marketcache.Snapshot
}

func (c *codec) header(h *header) {
	version := uint8(codecVersion)
	if !c.reading {
		c.b = append(c.b, version)
	} else if b := c.take(1); b == nil || b[0] != version {
		c.bad = true
	}
	whole(c, &h.kind)
	whole(c, &h.epoch)
	whole(c, &h.id)
	whole(c, &h.seq)
	c.time(&h.received)
	c.time(&h.proof)
}

// proof says until when a value was what the venue says.
type proof struct {
	kind kind
	id   marketcache.AssetID // the leader's
	seq  uint64
	at   marketcache.Instant // the leader's
}

func (c *codec) proof(p *proof) {
	whole(c, &p.kind)
	whole(c, &p.id)
	whole(c, &p.seq)
	c.time(&p.at)
}

// beat is what the leader says of itself, and the proofs of all values.
type beat struct {
	Leader             string
	At                 marketcache.Instant
	Connected, Breaker bool
	LastMessage        marketcache.Instant
	VenueMs            int64 // the venue's clock at At, ms since 1970 UTC
	Spent              int   // request weight of the last minute
	Proofs             []proof
}

func (c *codec) beat(b *beat) {
	c.text(&b.Leader)
	c.time(&b.At)
	c.flag(&b.Connected)
	c.flag(&b.Breaker)
	c.time(&b.LastMessage)
	whole(c, &b.VenueMs)
	whole(c, &b.Spent)
	c.proofs(&b.Proofs)
}

func (c *codec) proofs(p *[]proof) { list(c, p, 32, (*codec).proof) }

func (c *codec) universe(assets *[]marketcache.Asset) { list(c, assets, 64, (*codec).listing) }

func (c *codec) listing(a *marketcache.Asset) {
	whole(c, &a.ID)
	c.text(&a.Name)
	c.text(&a.Dex)
	whole(c, &a.SizeDigits)
	c.float(&a.MaxLeverage)
	list(c, &a.Tiers, 32, (*codec).tier)
	c.flag(&a.OnlyIsolated)
	c.flag(&a.Delisted)
	c.floats(&a.CapUSD, &a.FeeMultiplier)
}

func (c *codec) tier(t *marketcache.Tier) {
	c.floats(&t.LowerBoundUSD, &t.MaxLeverage, &t.MaintenanceRate, &t.DeductionUSD)
}

// book carries levels; what follows from them is computed by the receiver.
func (c *codec) book(b *marketcache.Book) {
	c.side(&b.Bids)
	c.side(&b.Asks)
	c.floats(&b.MidPrice, &b.SpreadBps)
	whole(c, &b.VenueMs)
	if c.reading && !c.bad {
		b.Rebuild()
	}
}

func (c *codec) side(s *marketcache.Side) {
	list(c, &s.Price, 8, (*codec).float)
	list(c, &s.Units, 8, (*codec).float)
	c.bad = c.bad || len(s.Price) != len(s.Units)
}

func (c *codec) context(x *marketcache.Context) {
	c.floats(&x.MarkPrice, &x.OraclePrice, &x.MidPrice, &x.FundingRateHourly)
	c.flag(&x.HasFunding)
	c.floats(&x.OpenInterestUnits, &x.DayVolumeUSD, &x.PrevDayPrice)
}

func (c *codec) cex(x *marketcache.CEXFunding) {
	c.float(&x.RateHourly)
	whole(c, &x.Venues)
}

// caps carries the ids of the assets that are listed.
func (c *codec) caps(x *marketcache.Caps) {
	var ids []marketcache.AssetID
	for id, at := range x.AtCap {
		if at {
			ids = append(ids, marketcache.AssetID(id))
		}
	}
	list(c, &ids, 8, (*codec).id)
	if !c.reading {
		return
	}
	x.AtCap = nil
	for _, id := range ids {
		if id < 0 || id >= maxAssets {
			continue // not known here
		}
		for int(id) >= len(x.AtCap) {
			x.AtCap = append(x.AtCap, false)
		}
		x.AtCap[id] = true
	}
}

func (c *codec) funding(x *marketcache.FundingStats) {
	whole(c, &x.Rows)
	c.floats(&x.MeanHourly168, &x.MedianHourly720, &x.MADHourly720)
	whole(c, &x.LastRowVenueMs)
	whole(c, &x.ThroughVenueMs)
}

func (c *codec) interest(x *marketcache.OpenInterestStats) {
	c.floats(&x.MaxUSD180d, &x.AtCapUSD30d)
	whole(c, &x.Days)
	list(c, &x.Maxima, 16, (*codec).maximum)
	whole(c, &x.AtCapMs)
}

func (c *codec) maximum(x *marketcache.DayMaximum) {
	whole(c, &x.DayMs)
	c.float(&x.USD)
}

func (c *codec) stats(x *marketcache.SampleStats) {
	whole(c, &x.N)
	c.floats(&x.SpreadBpsMedian, &x.SpreadBps95, &x.SpreadBps99, &x.Depth50BpsUSDMedian)
}

func (c *codec) bar(x *marketcache.Bar) {
	whole(c, &x.OpenMs)
	c.floats(&x.Open, &x.High, &x.Low, &x.Close, &x.Volume)
}

func (c *codec) row(x *marketcache.FundingRow) {
	whole(c, &x.VenueMs)
	c.float(&x.RateHourly)
}

func (c *codec) sample(x *marketcache.MinuteSample) {
	whole(c, &x.MinuteMs)
	c.floats(&x.SpreadBps, &x.Depth50BpsUSD)
}

func (c *codec) account(a *marketcache.Account) {
	c.wallet(&a.Wallet)
	whole(c, &a.Mode)
	c.flag(&a.ModeUncertain)
	c.floats(&a.CrossAccountValueUSD, &a.SpotUSDC, &a.TakerRate)
	list(c, &a.Positions, 80, (*codec).position)
	list(c, &a.Settings, 24, (*codec).setting)
	c.time(&a.Received)
	whole(c, &a.VenueMs)
	c.time(&a.FeesRead)
	c.time(&a.ModeRead)
}

func (c *codec) wallet(w *marketcache.Wallet) {
	if !c.reading {
		c.b = append(c.b, w[:]...)
	} else {
		copy(w[:], c.take(len(w)))
	}
}

func (c *codec) position(p *marketcache.Position) {
	c.id(&p.Asset)
	c.text(&p.Name)
	c.floats(&p.Units, &p.EntryPrice, &p.ValueUSD, &p.UnrealizedPnLUSD, &p.MarginUsedUSD, &p.Leverage)
	c.flag(&p.Isolated)
	c.floats(&p.RawUSD, &p.LiquidationPrice, &p.MaxLeverage)
}

func (c *codec) setting(s *marketcache.LeverageSetting) {
	c.id(&s.Asset)
	c.float(&s.Leverage)
	c.time(&s.Read)
}
