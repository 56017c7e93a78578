package hyperliquid

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fasthttp/websocket"
	"github.com/goccy/go-json/jsontext"

	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// walletSocket is the connection of the user streams: one of its own, because a name that the venue dislikes
// ends the whole connection. walletStreams.mu guards it.
type walletSocket struct {
	heartbeat feed.Heartbeat
	sent      map[string]marketcache.Instant // subscriptions of this connection, and when they were sent
	walked    marketcache.Instant            // when the subscriptions were last compared with those wanted
}

const (
	walkEvery    = 500 * time.Millisecond
	reserveSteps = 50          // the subscriptions reserved for wallets change in such steps
	stateSilence = time.Minute // the states of a wallet that are silent for so long are subscribed again
	userStatsDue = time.Second // interval at which the figures are published
	userIdle     = 100 * time.Millisecond
)

// run follows wallets until ctx ends. Without a wallet, or while the venue is silent, it opens no connection.
func (s *walletStreams) run(ctx context.Context) {
	var retry redialer
	for ctx.Err() == nil {
		s.stats()
		if !s.f.dials.Alive() || !s.choose(marketcache.Now()) {
			feed.Sleep(ctx, userIdle)
			continue
		}
		err := retry.dial(ctx, s.f, s.session)
		if ctx.Err() == nil {
			s.f.cache.Venue.Failed("wallet socket: " + cause(err))
			s.f.supervisor.Warn("wallet socket lost", "error", err, "failures", retry.failures)
		}
		retry.pause(ctx, s.f)
	}
}

// session runs one connection to its end.
func (s *walletStreams) session(ctx context.Context, conn *websocket.Conn) error {
	s.begin(marketcache.Now())
	told := marketcache.Instant(0)
	return s.f.converse(ctx, conn, &s.heartbeat, nil, s.readFrames, func(now marketcache.Instant) error {
		s.choose(now)
		for _, message := range s.due(now) { // without the lock: the reader, which frees the connection, needs it
			if err := send(conn, message); err != nil {
				return err
			}
		}
		s.confirm(ctx, now)
		if now.Sub(told) >= userStatsDue {
			told = now
			s.stats()
		}
		return nil
	})
}

// begin starts a connection: what the last one brought is as old as its last frame, and is confirmed once a
// frame has come.
func (s *walletStreams) begin(now marketcache.Instant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.heartbeat.Start(now)
	s.sent, s.walked = map[string]marketcache.Instant{}, 0
	for _, fw := range *s.set.Load() {
		fw.framed, fw.read, fw.spotAt = 0, 0, 0
		clear(fw.settings)
	}
}

func (s *walletStreams) readFrames(conn *websocket.Conn) error {
	for {
		_, b, err := conn.ReadMessage()
		if err != nil {
			return err
		}
		arrival := marketcache.Now()
		s.heartbeat.Frame(arrival)
		s.f.stats.messages.Add(1)
		s.handle(b, arrival)
	}
}

// handle takes one frame.
func (s *walletStreams) handle(b []byte, arrival marketcache.Instant) {
	channel, data, ok := parseFrame(b, nil)
	if !ok {
		if string(b) != Greeting {
			s.f.stats.parseErrors.Add(1)
		}
		return
	}
	kind := string(channel)
	switch kind {
	case ChannelPong:
		s.heartbeat.Pong()
		return
	case ChannelError:
		s.refuse(data, arrival)
		return
	case "allDexsClearinghouseState", "spotState", "activeAssetData":
	default:
		return
	}
	var v struct {
		User   string                         `json:"user"`
		States []pair[string, jsontext.Value] `json:"clearinghouseStates"`
		Spot   jsontext.Value                 `json:"spotState"`
		Coin   string                         `json:"coin"`
	}
	if !decode(data, &v) {
		s.f.stats.parseErrors.Add(1)
		return
	}
	w, _ := marketcache.ParseWallet([]byte(v.User))
	fw := s.of(w)
	if fw == nil {
		return // just left
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch kind {
	case "allDexsClearinghouseState":
		s.takeStates(fw, v.States, arrival)
	case "spotState":
		if spot, ok := parseSpot(v.Spot); ok {
			fw.spot, fw.spotAt = spot, arrival
			s.publish(fw, arrival)
		} else {
			s.drop(fw, arrival, "spot balances cannot be read")
		}
	default:
		u := s.f.cache.Universe()
		id := u.LookupString(v.Coin)
		if id == marketcache.NoAsset {
			return
		}
		if setting, ok := parseSetting(data, u.Assets[id]); ok {
			setting.Asset, setting.Read = id, arrival
			fw.settings[id] = setting
			s.publish(fw, arrival)
		}
	}
}

// refuse handles an error frame. When the venue tracks no more users, the wallet that has no answer yet goes by
// REST, and no more wallets than those that have one are followed for a while.
func (s *walletStreams) refuse(data []byte, now marketcache.Instant) {
	s.f.stats.errorFrames.Add(1)
	s.f.supervisor.Warn("wallet socket error", "text", printable(data))
	if !strings.Contains(string(data[:min(len(data), 1024)]), "annot track more than") {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	accepted := 0
	for w, fw := range *s.set.Load() {
		if fw.framed != 0 {
			accepted++
		} else if _, asked := s.sent[statesOf(w)]; asked {
			s.leave(w)
			s.refused++
		}
	}
	s.accepted, s.until = accepted, now.Add(boundFor)
}

// choose decides which wallets to follow, and reports whether there is one. At most one wallet changes in
// changeEvery, because the venue counts a user for a while after the last unsubscription.
func (s *walletStreams) choose(now marketcache.Instant) (any bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	set, bound := *s.set.Load(), s.bound(now)
	newest := s.firstWaiting(func(a, b int64) bool { return a > b })
	comes := newest != nil && bound > 0 && now.Sub(marketcache.Instant(newest.asked.Load())) <= unaskedFor
	var idle *followedWallet // the one that was not asked for longest
	for _, fw := range set {
		if idle == nil || fw.asked.Load() < idle.asked.Load() {
			idle = fw
		}
	}
	unasked := idle != nil && now.Sub(marketcache.Instant(idle.asked.Load())) > unaskedFor
	full := len(set) >= bound
	if s.changed != 0 && now.Sub(s.changed) < changeEvery || len(set) <= bound && (!comes || full && !unasked) {
		return len(set) > 0
	}
	s.changed = now
	if full {
		s.leave(idle.wallet)
	}
	if comes && len(set) <= bound {
		delete(s.waiting, newest.wallet)
		s.replace(func(next map[marketcache.Wallet]*followedWallet) { next[newest.wallet] = newest })
	}
	return true
}

func (s *walletStreams) leave(w marketcache.Wallet) {
	s.replace(func(next map[marketcache.Wallet]*followedWallet) { delete(next, w) })
}

// replace changes the set of followed wallets.
func (s *walletStreams) replace(change func(next map[marketcache.Wallet]*followedWallet)) {
	next := map[marketcache.Wallet]*followedWallet{}
	for w, fw := range *s.set.Load() {
		next[w] = fw
	}
	change(next)
	s.set.Store(&next)
	s.walked = 0
}

// The subscriptions of a wallet.
func statesOf(w marketcache.Wallet) string {
	return `{"type":"allDexsClearinghouseState","user":"` + w.String() + `"}`
}

func spotOf(w marketcache.Wallet) string { return `{"type":"spotState","user":"` + w.String() + `"}` }

func settingOf(w marketcache.Wallet, coin string) string {
	return `{"type":"activeAssetData","user":"` + w.String() + `","coin":` + strconv.Quote(coin) + `}`
}

// due returns the next messages to send, and counts them as sent.
func (s *walletStreams) due(now marketcache.Instant) (messages []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.walked != 0 && now.Sub(s.walked) < walkEvery {
		return nil
	}
	if !s.heartbeat.Heard() {
		return nil
	}
	s.walked = now
	wanted := s.wanted(now)
	s.reserve(len(wanted))
	send := func(method, subscription string) (sent bool) {
		if len(messages) == subscribesATick || !s.f.sends.Acquire(now, 1, reservedPings) {
			return false
		}
		messages = append(messages, `{"method":"`+method+`","subscription":`+subscription+`}`)
		return true
	}
	for subscription := range s.sent {
		if !slices.Contains(wanted, subscription) && send("unsubscribe", subscription) {
			delete(s.sent, subscription)
		}
	}
	for _, subscription := range wanted {
		if _, has := s.sent[subscription]; !has && send("subscribe", subscription) {
			s.sent[subscription] = now
		}
	}
	return messages
}

// wanted returns the subscriptions to have: first the states and balances of all wallets, then the leverage
// settings of the assets asked for lately, those without a position first. A wallet whose states are silent is
// left out once, so that it is subscribed again.
func (s *walletStreams) wanted(now marketcache.Instant) (list []string) {
	u, all := s.f.cache.Universe(), 0
	var settings []string
	for w, fw := range *s.set.Load() {
		if at, sent := s.sent[statesOf(w)]; !sent || now.Sub(max(at, fw.framed)) < stateSilence {
			list = append(list, statesOf(w))
		}
		list = append(list, spotOf(w))
		var ids []marketcache.AssetID
		for id, asked := range fw.assets {
			if now.Sub(asked) > askedLately {
				delete(fw.assets, id)
				delete(fw.settings, id)
			} else if a := u.Asset(id); a != nil && !a.Delisted && s.f.universeRead(a.Dex) {
				ids = append(ids, id)
			}
		}
		held := func(id marketcache.AssetID) int {
			if fw.account != nil && fw.account.PositionIn(id) >= 0 {
				return 1
			}
			return 0
		}
		slices.SortFunc(ids, func(a, b marketcache.AssetID) int {
			if d := held(a) - held(b); d != 0 {
				return d
			}
			return int(fw.assets[b].Sub(fw.assets[a]))
		})
		for _, id := range ids[:min(len(ids), settingsOne, settingsAll-all)] {
			settings = append(settings, settingOf(w, u.Assets[id].Name))
			all++
		}
	}
	return append(list, settings...)
}

// universeRead reports whether the names of a dex have been read from the venue, not only from disk.
func (f *Feed) universeRead(dex string) bool {
	f.tables.Lock()
	defer f.tables.Unlock()
	return f.tablesSent[dex] != 0
}

// reserve leaves a number of subscriptions to the wallets, rounded up; the books get the others.
func (s *walletStreams) reserve(n int) {
	if next := int64((n + reserveSteps - 1) / reserveSteps * reserveSteps); next != s.reserved.Load() {
		s.f.subscribe.Add(s.reserved.Swap(next) - next)
	}
}

// confirm reads wallets that are asked for and are due to be confirmed.
func (s *walletStreams) confirm(ctx context.Context, now marketcache.Instant) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w, fw := range *s.set.Load() {
		if fw.account == nil || fw.framed == 0 || now < fw.byREST ||
			now.Sub(marketcache.Instant(fw.asked.Load())) > unaskedFor ||
			fw.read != 0 && now.Sub(fw.read) < confirmEvery {
			continue
		}
		fw.read = now
		s.f.accounts.wg.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, flightLimit)
			defer cancel()
			ctx = marketcache.WithCaller(ctx, marketcache.Caller{Ahead: true})
			s.f.supervisor.Guard("account", func() error {
				_, err := s.f.readAccount(ctx, w, marketcache.NoAsset)
				return err
			})
		})
	}
}
