package hyperliquid

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// aheadOfClock is how far a wallet's venue time may lie ahead of our estimate of the venue's clock.
const aheadOfClock = feed.DateTolerance

// older reports whether account a is older than held. It is false if held's venue time is still in the
// future, by more than aheadOfClock: such a time is wrong.
func (f *Feed) older(a, held *marketcache.Account) bool {
	return held != nil && a.VenueMs < held.VenueMs &&
		held.VenueMs <= f.clock.VenueMs(marketcache.Now().Add(aheadOfClock))
}

// moneyMoved ignores differences up to movedShare of the equity, plus tradedShare of the volume
// traded, plus a dollar.
const movedShare, tradedShare = 0.001, 0.01

// moneyMoved reports whether a wallet's equity changed between two reads by more than the gains of
// its positions explain: money went to, or came from, a dex that was not read. A position that was
// closed counts at its last mark. It is false for pooled accounts, whose equity covers all dexes.
func moneyMoved(old, next *marketcache.Account) bool {
	if old == nil || len(old.Pools) == 0 || len(next.Pools) == 0 || old.Pools[0].Dex != "" || next.Pools[0].Dex != "" {
		return false
	}
	equity := func(a *marketcache.Account) (usd float64) {
		for _, p := range a.Pools {
			usd += p.EquityUSD
		}
		for _, p := range a.Positions {
			if p.Isolated {
				usd += p.RawUSD + math.Copysign(p.ValueUSD, p.Units)
			}
		}
		return usd
	}
	was := equity(old)
	moved, traded := equity(next)-was, 0.0
	held := map[string]marketcache.Position{}
	for _, p := range old.Positions {
		held[p.Name] = p
	}
	for _, p := range next.Positions {
		mark, was := p.ValueUSD/math.Abs(p.Units), held[p.Name]
		moved -= was.Units*mark - math.Copysign(was.ValueUSD, was.Units)
		traded += math.Abs(p.Units-was.Units) * mark
		delete(held, p.Name)
	}
	for _, p := range held {
		traded += p.ValueUSD
	}
	return math.Abs(moved) > movedShare*math.Abs(was)+tradedShare*traded+1
}

// marginMoved reports whether the maintenance margin of a pooled account changed between two reads by more than its
// positions explain: there may be one on a dex that was not read.
func marginMoved(old, next *marketcache.Account) bool {
	if old == nil || old.Mode != next.Mode {
		return false
	}
	gross := 0.0
	for i := range next.Positions {
		gross += next.Positions[i].ValueUSD
	}
	return math.Abs(next.LeftOffUSD-old.LeftOffUSD) > mixedShare*gross+0.01
}

// dexState is a wallet's account on one dex.
type dexState struct {
	marketcache.Account
	margins
	dex        string
	unanswered bool // the venue answered with an error
}

// tooMany reports whether the states of a wallet together have more than maxPositions positions.
func tooMany(states []dexState) bool {
	n := 0
	for i := range states {
		n += len(states[i].Positions)
	}
	return n > maxPositions
}

// fetchDexState reads a wallet's account on one dex.
func (l *accountLoader) fetchDexState(ctx context.Context, g *feed.Grant, w marketcache.Wallet, d *dexState) error {
	f := l.f
	d.Wallet = w
	r, err := f.client.askGranted(ctx, g, accountRequest("clearinghouseState", w, stateWeight).on(d.dex))
	if err != nil {
		d.unanswered = errors.Is(err, marketcache.ErrVenue)
		return err
	}
	return f.takeDexState(d, r.body, r.received)
}

// takeDexState takes a wallet's account on one dex from an answer, or a part of a frame, received at an Instant.
func (f *Feed) takeDexState(d *dexState, body []byte, received marketcache.Instant) error {
	var what, differs string
	if d.margins, what, differs = parseAccount(body, f.cache.Universe(), &d.Account); what != "" {
		f.setAside(asideWallet, d.Wallet.String()+" "+what)
		return venueError("clearinghouseState: %s: %q", what, printable(body))
	}
	if d.VenueMs <= 0 || d.VenueMs > f.clock.VenueMs(received.Add(aheadOfClock)) {
		f.setAside(asideWallet, d.Wallet.String()+" time")
		return venueError("clearinghouseState: time %d ms is none, or of the future", d.VenueMs)
	}
	d.Received = received.Add(-f.clock.Lateness(d.VenueMs, received))
	if differs != "" {
		return f.contradiction(d.Wallet, differs+" differ")
	}
	return f.foreign(d)
}

// mixedShare is the tolerated difference, as a share of the collateral or of the positions, between the balance after
// maintenance margin that the venue reports and the same balance computed from its other answers.
const mixedShare = 0.001

// pools combines the accounts on all dexes: positions, and the collateral pools behind them. The oldest
// answer sets the age. mixed is true when the answers are not of the same moment as the spot balances.
func (l *accountLoader) pools(a *marketcache.Account, states []dexState, spot *spotState) (mixed bool) {
	f := l.f
	pooled := a.Mode.Pooled()
	for i := range states {
		l.poolOf(a, states[i].dex, states[i].CrossAccountValueUSD, spot)
	}
	if pooled { // a balance counts although its dex is not read while the wallet has no position there
		for _, dex := range f.dexes.mayHold() {
			l.poolOf(a, dex, 0, spot)
		}
	}
	sums := make([]poolMargins, len(a.Pools))
	for i := range states {
		d := &states[i]
		if i == 0 {
			a.VenueMs, a.Received, a.CrossAccountValueUSD = d.VenueMs, d.Received, d.CrossAccountValueUSD
		}
		a.VenueMs, a.Received = min(a.VenueMs, d.VenueMs), min(a.Received, d.Received)
		k := l.poolOf(a, d.dex, d.CrossAccountValueUSD, spot)
		sums[k].add(&d.margins)
		for _, p := range d.Positions {
			if p.Pool = k; p.Isolated {
				sums[k].isolated += p.MarginUsedUSD
				if pooled {
					a.Pools[k].EquityUSD -= p.MarginUsedUSD
				}
			}
			a.Positions = append(a.Positions, p)
		}
		for j := range d.Positions {
			if d.Positions[j].Asset == marketcache.NoAsset || !f.dexes.follows(d.dex) {
				a.NotFollowed++
			}
		}
		if used := len(d.Positions) > 0 || d.CrossAccountValueUSD != 0; used && d.dex != "" && !slices.Contains(a.Dexes,
			d.dex) {
			a.Dexes = append(a.Dexes, d.dex)
		}
	}
	for k := range a.Pools {
		p, m := &a.Pools[k], &sums[k]
		if f.cfg.OpenOrders == OrdersOff {
			a.OrdersIgnored, p.HeldMostUSD = true, math.Inf(1)
		} else {
			p.HeldUSD, p.HeldMostUSD = m.held(p, pooled, spot)
		}
		left, told := spot.available[int64(p.Token)]
		switch {
		case a.Mode == marketcache.ModePortfolioMargin:
			p.CashUSD, p.Unreadable = p.EquityUSD, !told && (p.EquityUSD != 0 || m.maintenance > 0)
			if told {
				p.EquityUSD = left + m.maintenance
			}
		case pooled && told:
			off := p.EquityUSD - m.maintenance - left
			mixed = mixed || math.Abs(off) > mixedShare*math.Abs(p.EquityUSD)+0.01
			a.LeftOffUSD += off
		case pooled && !told && m.maintenance > 0: // nothing confirms the equity
			a.Misquoted = true
		}
	}
	if a.Mode == marketcache.ModePortfolioMargin {
		a.Collateral = l.collateral(a, spot)
	}
	a.Misquoted = a.Misquoted || pooled && spot.lost || misquoted(a, f.cache.Universe(), sums) ||
		heldUnknown(a, sums, spot)
	a.Share()
	return mixed
}

// poolOf returns the index of the pool behind a dex. If there is none yet, it is added, with the equity that the dex
// told or, in a pooled account, the balance of its token.
func (l *accountLoader) poolOf(a *marketcache.Account, dex string, equity float64, spot *spotState) int {
	token, known := l.f.universe.token(dex)
	pool := marketcache.Pool{Dex: dex, Token: token, EquityUSD: equity}
	if a.Mode.Pooled() {
		pool.Dex, pool.EquityUSD = marketcache.Everywhere, spot.total[int64(pool.Token)]
		a.Misquoted = a.Misquoted || !known && spot.others // they may be collateral there
	}
	k := slices.IndexFunc(a.Pools, func(p marketcache.Pool) bool { return p.Dex == pool.Dex && p.Token == pool.Token })
	if k < 0 {
		k, a.Pools = len(a.Pools), append(a.Pools, pool)
	}
	return k
}

// poolMargins are the margins of a pool, summed over its dexes.
type poolMargins struct {
	margins
	isolated float64 // isolated margin used, USD
}

func (s *poolMargins) add(m *margins) {
	s.maintenance += m.maintenance
	s.initial += m.initial
	s.notional += m.notional
	s.withdrawable += m.withdrawable
}

// held returns the margin that resting orders hold of a pool, whose equity is as read.
func (s *poolMargins) held(p *marketcache.Pool, pooled bool, spot *spotState) (held, most float64) {
	if pooled {
		hold, told := spot.hold[int64(p.Token)]
		if !told && p.EquityUSD != 0 {
			return 0, math.Inf(1)
		}
		return marketcache.HeldPooled(hold, s.isolated, s.initial, s.maintenance)
	}
	return marketcache.HeldStandard(p.EquityUSD, s.initial, s.notional, s.withdrawable)
}

// collateralShare is the tolerated difference, as a share of the pool's equity, between the collateral that
// the venue counts and the same computed from the balances.
const collateralShare = 0.01

// collateral returns the balances other than USDC that count under portfolio margin. They back the first
// pool, that of USDC. Where they do not add up to what the venue counts, there are caps or loans that are not
// known, and the coins are scaled; a balance whose price is not known is worth what the others leave.
func (l *accountLoader) collateral(a *marketcache.Account, spot *spotState) (list []marketcache.Collateral) {
	if len(a.Pools) == 0 || a.Pools[0].Unreadable {
		return nil
	}
	pool, now := &a.Pools[0], marketcache.Now()
	counted, sum := pool.EquityUSD-pool.CashUSD, 0.0
	var unpriced []marketcache.Collateral
	for _, b := range spot.borrowable {
		if slices.ContainsFunc(a.Pools, func(p marketcache.Pool) bool { return int64(p.Token) == b.index() }) {
			continue // the equity of a pool of its own
		}
		c := marketcache.Collateral{Name: perpetualOf(b.Coin), Units: b.Total.orNaN() * (1 + b.LTV.orNaN()) / 2}
		c.Asset = l.f.cache.Universe().LookupString(c.Name)
		if c.Asset != marketcache.NoAsset {
			if ctx, _, ok := l.f.cache.Contexts(c.Asset).Latest(now, marketcache.Forever); ok {
				c.Mark = ctx.MarkPrice
			}
		}
		if c.Mark > 0 {
			sum += c.Units * c.Mark
			list = append(list, c)
		} else {
			unpriced = append(unpriced, c)
		}
	}
	rest, tolerated := counted-sum, collateralShare*math.Abs(pool.EquityUSD)
	switch {
	case math.Abs(rest) <= tolerated:
	case rest > 0 && len(unpriced) > 0:
		for _, c := range unpriced {
			c.Mark = rest / (float64(len(unpriced)) * c.Units)
			list = append(list, c)
		}
	case sum != 0:
		for i := range list {
			list[i].Units *= max(0, counted/sum)
		}
	}
	return list
}

// perpetualOf returns the name of the perpetual of a spot token.
func perpetualOf(coin string) string {
	switch coin {
	case "UBTC", "UETH", "USOL", "UFART":
		return coin[1:]
	}
	return coin
}

// accountRequest returns the request for one part of an account.
func accountRequest(kind string, w marketcache.Wallet, weight int) request {
	return request{what: kind, body: `{"type":"` + kind + `","user":"` + w.String() + `"}`, class: feed.ForWallet,
		weight: weight}
}

// on returns the request for a dex.
func (q request) on(dex string) request {
	if dex != "" {
		q.body = strings.TrimSuffix(q.body, "}") + `,"dex":` + strconv.Quote(dex) + `}`
	}
	return q
}

// walletState is what one reading of a wallet's state brings.
type walletState struct {
	account *marketcache.Account
	mixed   bool // the answers are of different moments
	empty   bool // no position, account value or balance anywhere, as far as known
}

// fetchState reads everything but what readMore does. The state and the needed spot balances must be
// read; a mode or fee that cannot be read keeps its last value or gets its default.
func (r *walletRead) fetchState(ctx context.Context, g *feed.Grant) (*walletState, error) {
	a := &marketcache.Account{Wallet: r.wallet}
	states, stateErrs := make([]dexState, len(r.dexes)), make([]error, len(r.dexes))
	var spotErr, modeErr, feesErr error
	var spot spotState
	var wg sync.WaitGroup
	spawn := func(err *error, fn func() error) {
		wg.Go(func() { *err = r.f.supervisor.Guard("account", fn) })
	}
	for i, dex := range r.dexes {
		states[i].dex = dex
		if i == 0 && g.Probe() { // a silent venue costs the weight of one request, and is soon asked again
			short, cancel := context.WithTimeout(ctx, feed.ProbeFor)
			spawn(&stateErrs[0], func() error { return r.fetchDexState(short, g, r.wallet, &states[0]) })
			wg.Wait()
			if cancel(); stateErrs[0] != nil {
				return nil, stateErrs[0]
			}
			continue
		}
		spawn(&stateErrs[i], func() error { return r.fetchDexState(ctx, g, r.wallet, &states[i]) })
	}
	if r.due.mode {
		spawn(&modeErr, func() error {
			return r.ask(ctx, g, "userAbstraction", modeWeight, func(got answer) bool {
				mode, known := parseMode(got.body)
				a.Mode, a.ModeUncertain, a.ModeRead = mode, !known, got.received
				return true
			})
		})
	}
	if r.due.mode || needsSpot(r.old.Mode) || r.old.Role != "" {
		spawn(&spotErr, func() error { return r.askSpot(ctx, g, &spot) })
	}
	if r.due.fees {
		spawn(&feesErr, func() error {
			return r.ask(ctx, g, "userFees", feesWeight, func(got answer) bool {
				taker, maker, doubted, ok := parseFees(got.body)
				if ok {
					a.TakerRate, a.MakerRate, a.FeesDoubted, a.FeesRead = taker, maker, doubted, got.received
				}
				return ok
			})
		})
	}
	wg.Wait()
	read, err := r.sortOut(a, states, stateErrs)
	if err != nil {
		return nil, err
	}
	if tooMany(read) {
		r.f.setAside(asideWallet, a.Wallet.String()+" too many positions")
		return nil, venueError("clearinghouseState: more than %d positions on all dexes", maxPositions)
	}
	for _, err := range []error{modeErr, feesErr} {
		if err != nil {
			if errors.Is(err, marketcache.ErrBudget) && r.old == nil {
				return nil, err // for lack of weight: nothing is known about these parts, and the caller may try again
			}
			r.f.supervisor.Warn("part of an account not read", "error", err)
		}
	}
	r.keepKnown(a)
	if needsSpot(a.Mode) && !spot.read {
		if spotErr == nil {
			spotErr = r.askSpot(ctx, g, &spot)
		}
		if spotErr != nil {
			return nil, spotErr // the collateral is unknown without spot balances
		}
	}
	takeSpot(a, &spot)
	if overdrawn(a, read) {
		return nil, r.f.contradiction(r.wallet, "withdrawable and accountValue differ")
	}
	s := &walletState{account: a, mixed: r.pools(a, read, &spot)}
	s.empty = spot.read && spot.empty && len(a.Positions)+len(a.Dexes)+len(a.Unread) == 0 && a.CrossAccountValueUSD == 0
	return s, nil
}

// askSpot reads the spot balances.
func (r *walletRead) askSpot(ctx context.Context, g *feed.Grant, spot *spotState) error {
	return r.ask(ctx, g, "spotClearinghouseState", spotWeight, func(got answer) bool {
		read, ok := parseSpot(got.body)
		if ok {
			*spot = read
		}
		return ok
	})
}

// ask asks for one part of the account.
func (r *walletRead) ask(ctx context.Context, g *feed.Grant, kind string, weight int, take func(answer) bool) error {
	q := accountRequest(kind, r.wallet, weight)
	q.nullable, q.take = kind == "userAbstraction", take // null: no mode was ever set
	_, err := r.f.client.askGranted(ctx, g, q)
	return err
}

// sortOut returns the states that were read. A dex that fails must not stop wallets that, as far as known,
// do not use it.
func (r *walletRead) sortOut(a *marketcache.Account, states []dexState, errs []error) ([]dexState, error) {
	read := states[:0]
	for i := range states {
		switch d, err := &states[i], errs[i]; {
		case err == nil:
			read = append(read, *d)
		case d.dex == "" || !d.unanswered || r.old != nil && slices.Contains(r.old.Dexes, d.dex):
			return nil, err
		default:
			r.f.supervisor.Warn("wallet not read on a dex", "dex", d.dex, "error", err)
			a.Unread = append(a.Unread, d.dex)
		}
	}
	return read, nil
}

// keepKnown takes over from the last known state what was not read now.
func (r *walletRead) keepKnown(a *marketcache.Account) {
	old, now := r.old, marketcache.Now()
	if a.ModeRead == 0 { // not due, or could not be read
		a.Mode, a.ModeUncertain = marketcache.ModeDefault, true
		if old != nil && old.ModeRead != 0 && (!r.due.mode || now.Sub(old.ModeRead) <= modeMaxAge) {
			a.Mode, a.ModeUncertain, a.ModeRead = old.Mode, old.ModeUncertain, old.ModeRead
		}
	}
	if a.FeesRead == 0 {
		a.TakerRate, a.MakerRate, a.FeesDoubted = baseTakerRate, baseMakerRate, true
		if old != nil && old.FeesRead != 0 {
			a.TakerRate, a.MakerRate, a.FeesDoubted, a.FeesRead = old.TakerRate, old.MakerRate, old.FeesDoubted,
				old.FeesRead
		}
	}
	if a.DexesRead = now; !r.discover && old != nil {
		a.Dexes, a.DexesRead = slices.Clone(old.Dexes), old.DexesRead
		for _, dex := range old.Unread {
			if !slices.Contains(r.dexes, dex) {
				a.Unread = append(a.Unread, dex)
			}
		}
	}
	if old != nil {
		a.Settings = freshSettings(old.Settings, marketcache.NoAsset)
	}
}

// takeSpot corrects the mode by what the spot balances say about pooling, and takes what the mode needs.
func takeSpot(a *marketcache.Account, spot *spotState) {
	if spot.available != nil || spot.portfolio { // pooled, whatever the name of the mode
		if a.ModeUncertain = false; spot.portfolio {
			a.Mode = marketcache.ModePortfolioMargin
		} else if a.Mode != marketcache.ModePortfolioMargin {
			a.Mode = marketcache.ModeUnified
		}
	}
	if a.Mode == marketcache.ModeUnified && spot.read && spot.available == nil && !spot.empty {
		a.ModeUncertain = true // the spot balances of a unified account tell what is left of them
	}
	if a.Mode.Pooled() {
		a.SpotUSDC = spot.total[0]
	}
	if a.Mode == marketcache.ModePortfolioMargin {
		a.PortfolioMarginRatio = spot.ratio
	}
}

// needsSpot reports whether a mode's collateral includes spot balances: in every mode but the
// standard one.
func needsSpot(m marketcache.AccountMode) bool { return m != marketcache.ModeDisabled }
