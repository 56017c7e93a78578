package hyperliquid

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ballast/marketcache"
)

// badListings are invalid listings of asset B.
var badListings = []string{
	`{"szDecimals":2,"name":"B","maxLeverage":0}`, `{"szDecimals":2,"name":"B","maxLeverage":2.5}`,
	`{"szDecimals":2,"name":"B","maxLeverage":null}`, `{"szDecimals":2,"name":"B","maxLeverage":"10"}`,
	`{"szDecimals":-1,"name":"B","maxLeverage":10}`, `{"szDecimals":2,"name":"B"}`,
	`{"szDecimals":2,"name":"B","maxLeverage":10,"marginMode":7}`,
	`{"szDecimals":2,"name":"B","maxLeverage":10,"marginTableId":77}`,
	`{"szDecimals":2,"name":"B C","maxLeverage":10}`, `{"szDecimals":2,"name":"` + strings.Repeat("B", 33) +
		`","maxLeverage":10}`,
	`{"szDecimals":2,"name":"É","maxLeverage":10}`, `{"szDecimals":2,"name":"\u0042","maxLeverage":10}`,
	`{"szDecimals":2,"name":7,"maxLeverage":10}`, `null`, `[]`, `"B"`, `17`, `{}`,
	`{"szDecimals":2,"name":"A","maxLeverage":10}`,
}

// metaOf returns a universe of the listings with the contexts of A, B and C at 100, 200 and 300.
func metaOf(listings ...string) []byte {
	return []byte(`[{"universe":[` + strings.Join(listings, ",") + `],"marginTables":[]},[` +
		contextJSON(100) + `,` + contextJSON(200) + `,` + contextJSON(300) + `]]`)
}

func bareFeed() *Feed {
	return New(marketcache.New(marketcache.Limits{Assets: 8, Bars: 64, Rows: 64, Samples: 64, Wallets: 8}),
		Config{BaseURL: "http://127.0.0.1:1", Logger: slog.New(slog.DiscardHandler)})
}

func plainListing(name string) string {
	return fmt.Sprintf(`{"szDecimals":2,"name":%q,"maxLeverage":10}`, name)
}

// learn processes a universe and its contexts as fetchUniverse does.
func (f *Feed) learn(b []byte) error {
	m, rows, ok := parseMetaAndContexts(b, nil)
	if !ok {
		return errors.New("refused")
	}
	asked := marketcache.Now()
	if _, _, err := f.universe.apply(m); err != nil {
		return err
	}
	f.putContexts(rows, f.universe.positions(""), asked, fromREST)
	return nil
}

func (f *Feed) mark(name string) float64 {
	if id := f.cache.Universe().LookupString(name); id != marketcache.NoAsset {
		if c, _, ok := f.cache.Contexts(id).Latest(marketcache.Now(), marketcache.Forever); ok {
			return c.MarkPrice
		}
	}
	return 0
}

func TestOneListingCostsItself(t *testing.T) {
	for _, bad := range badListings {
		f := bareFeed()
		if err := f.learn(metaOf(plainListing("A"), bad, plainListing("C"))); err != nil {
			t.Errorf("%s: %v", bad, err)
			continue
		}
		twice := strings.Contains(bad, `"A"`) // A is then listed twice and ambiguous
		if f.mark("C") != 300 || (f.mark("A") == 100) == twice || f.mark("B") != 0 ||
			f.cache.Universe().LookupString("B") != marketcache.NoAsset {
			t.Errorf("%s: A %v, B %v, C %v", bad, f.mark("A"), f.mark("B"), f.mark("C"))
		}
		// For a known asset the last valid listing stays, and its context is found by name.
		f = bareFeed()
		f.learn(metaOf(plainListing("A"), plainListing("B"), plainListing("C")))
		was := *f.cache.Universe().Assets[1]
		// When most assets of such a small universe are missing, the answer is rejected.
		if err := f.learn(metaOf(plainListing("A"), bad, plainListing("C"))); err != nil && !twice {
			t.Errorf("%s: %v", bad, err)
			continue
		}
		u := f.cache.Universe()
		if b := u.Assets[1]; b.Name != "B" || b.Delisted || b.MaxLeverage != was.MaxLeverage ||
			b.SizeDigits != was.SizeDigits {
			t.Errorf("%s: B is %+v", bad, b)
		}
		if f.mark("A") != 100 || f.mark("B") != 200 || f.mark("C") != 300 {
			t.Errorf("%s, known: A %v, B %v, C %v", bad, f.mark("A"), f.mark("B"), f.mark("C"))
		}
	}
	// Invalid JSON in one listing makes the whole answer invalid.
	for _, broken := range []string{`{"szDecimals":2,"name":"B","maxLeverage":}`, `{"name":"B"`, ``, `{"name":nul}`,
		`{"maxLeverage":01}`} {
		if _, _, ok := parseMetaAndContexts(metaOf(plainListing("A"), broken, plainListing("C")), nil); ok {
			t.Errorf("%s: taken", broken)
		}
	}
}

func TestOneContextCostsItself(t *testing.T) {
	for _, bad := range []string{
		`{"markPx":"NaN","oraclePx":"1","openInterest":"0"}`, `{"markPx":true,"oraclePx":"1","openInterest":"0"}`,
		`{"markPx":"1e308","oraclePx":"1","openInterest":"0"}`, `{"markPx":"-1","oraclePx":"1","openInterest":"0"}`,
		`null`, `[]`, `{}`, `7`, `"x"`,
	} {
		f := bareFeed()
		text := strings.Replace(string(metaOf(plainListing("A"), plainListing("B"), plainListing("C"))),
			contextJSON(200), bad, 1)
		if err := f.learn([]byte(text)); err != nil || f.mark("A") != 100 || f.mark("B") != 0 || f.mark("C") != 300 {
			t.Errorf("%s: %v, A %v, B %v, C %v", bad, err, f.mark("A"), f.mark("B"), f.mark("C"))
		}
	}
}

func TestMarginTables(t *testing.T) {
	text := func(tables string) []byte {
		b := metaOf(`{"szDecimals":2,"name":"A","maxLeverage":10,"marginTableId":51}`, plainListing("B"),
			plainListing("C"))
		return []byte(strings.Replace(string(b), `"marginTables":[]`, `"marginTables":[`+tables+`]`, 1))
	}
	const good = `[51,{"marginTiers":[{"lowerBound":"0.0","maxLeverage":10},{"lowerBound":"5000.0","maxLeverage":5}]}]`
	for _, bad := range []string{
		`[51,{"marginTiers":[{"lowerBound":"0.0","maxLeverage":0}]}]`, `[51,{"marginTiers":[]}]`, `["x",{}]`, `null`,
		good + "," + good, `[51]`, `[]`,
		`[51,{"marginTiers":[{"lowerBound":"5","maxLeverage":10}]}]`, `[51,{"marginTiers":null}]`,
	} {
		f := bareFeed()
		if err := f.learn(text(bad)); err != nil || f.mark("A") != 0 || f.mark("B") != 200 || f.mark("C") != 300 {
			t.Errorf("%s: %v, A %v", bad, err, f.mark("A")) // without its margin table A must not be listed
		}
		f = bareFeed()
		f.learn(text(good))
		tiers := f.cache.Universe().Assets[0].Tiers
		if err := f.learn(text(bad)); err != nil || f.mark("A") != 100 ||
			!slices.Equal(tiers, f.cache.Universe().Assets[0].Tiers) || len(tiers) != 2 {
			t.Errorf("%s, known: %v, %v", bad, err, f.cache.Universe().Assets[0])
		}
	}
}

// TestBadListingAtTheStart: the service starts while one listing is unreadable and a delisted asset
// still has an old price.
func TestBadListingAtTheStart(t *testing.T) {
	play(t, func(v *fakeVenue, _ *Config) {
		old := `{"szDecimals":2,"name":"C","maxLeverage":10,"isDelisted":true}`
		bad := `{"szDecimals":-1,"name":"B","maxLeverage":10}`
		v.says(200, string(metaOf(plainListing("A"), bad, old)), "metaAndAssetCtxs")
	}, func(s scene) {
		time.Sleep(5 * time.Second)
		u := s.cache.Universe()
		if u.LookupString("B") != marketcache.NoAsset || len(u.Assets) != 2 {
			s.Fatalf("%d assets", len(u.Assets))
		}
		s.fresh(time.Second, 0)
		if s.contextAge(1) >= 0 || s.cache.InterestStats(1) != nil {
			s.Error("a delisted asset has a context")
		}
		if st := s.f.Stats(); st.SetAside[asideListing] == 0 || st.RejectedMetas != 0 {
			s.Errorf("%+v", st)
		}
		if mark := s.f.mark("A"); mark < 100 || mark > 151 { // the stream's mark, found by position in the list
			s.Errorf("A's mark is %v", mark)
		}
	})
}

func TestAbsentIsNotDelisted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		toTheFuture()
		f := bareFeed()
		f.learn(metaOf(plainListing("A"), plainListing("B"), plainListing("C")))
		without := metaOf(plainListing("A"), `{}`, plainListing("C"))
		for range 20 { // the REST fallback for contexts reads the same answer every few seconds
			time.Sleep(3 * time.Second)
			f.learn(without)
		}
		if f.cache.Universe().Assets[1].Delisted {
			t.Error("delisted after a minute")
		}
		f.learn(metaOf(plainListing("A"), plainListing("B"), plainListing("C")))
		time.Sleep(10 * time.Minute)
		f.learn(without)
		f.learn(without)
		if f.cache.Universe().Assets[1].Delisted {
			t.Error("delisted after two answers")
		}
		time.Sleep(absentFor)
		f.learn(without)
		if !f.cache.Universe().Assets[1].Delisted {
			t.Error("not delisted after three answers and two minutes")
		}
		f.learn(metaOf(plainListing("A"), plainListing("B"), plainListing("C")))
		if f.cache.Universe().Assets[1].Delisted || f.mark("B") != 200 {
			t.Error("not listed again")
		}
	})
}

func TestCompare(t *testing.T) {
	f := quietFeed(t, 60)
	rows := make([]contextRow, 60)
	price := func(id marketcache.AssetID) float64 { return 100 * (1 + float64(id)/40) }
	for i := range rows {
		rows[i] = contextRow{marketcache.Context{MarkPrice: price(marketcache.AssetID(i)) * (1 + 0.001*float64(i%3))},
			true}
	}
	known := func(marketcache.AssetID) bool { return true }
	held := func(id marketcache.AssetID) (float64, bool) { return price(id), known(id) }
	check := func(what string, rows []contextRow, want bool, strangers ...int) {
		t.Helper()
		rows = slices.Clone(rows)
		l := f.universe.compare("", rows, held)
		if l.proved() != want || want && (l.strangers != len(strangers) || l.refuted()) {
			t.Errorf("%s: %+v", what, l)
		}
		for _, i := range strangers {
			if rows[i].ok {
				t.Errorf("%s: row %d is used", what, i)
			}
		}
	}
	reversed := slices.Clone(rows)
	slices.Reverse(reversed)
	if l := f.universe.compare("", reversed, held); !l.refuted() {
		t.Errorf("reversed is not refuted: %+v", l)
	}
	changed := func(fn func(r []contextRow)) []contextRow {
		r := slices.Clone(rows)
		fn(r)
		return r
	}
	check("the same order", rows, true)
	check("reversed", changed(func(r []contextRow) { slices.Reverse(r) }), false)
	for i := range rows {
		for j := range i {
			check(fmt.Sprint("swapped ", i, j), changed(func(r []contextRow) { r[i], r[j] = r[j], r[i] }), true, j, i)
		}
	}
	check("shifted", append(rows[1:len(rows):len(rows)], rows[0]), false)
	check("three that turn", changed(func(r []contextRow) { r[4], r[5], r[6] = r[5], r[6], r[4] }), true, 4, 5, 6)
	check("one moved by 3 %", changed(func(r []contextRow) { r[7].ctx.MarkPrice *= 1.033 }), true)
	check("one moved by 30 %", changed(func(r []contextRow) { r[7].ctx.MarkPrice *= 1.3 }), true, 7)
	check("one moved by 30 %, one by 3 %", changed(func(r []contextRow) {
		r[7].ctx.MarkPrice *= 0.7
		r[9].ctx.MarkPrice *= 1.03
	}), true, 7)
	check("one not readable", changed(func(r []contextRow) { r[7] = contextRow{} }), true)
	check("many moved by 3 %", changed(func(r []contextRow) {
		for i := range 20 {
			r[3*i].ctx.MarkPrice *= 1.0123
		}
	}), false)
	known = func(id marketcache.AssetID) bool { return id < 29 }
	check("too few known by name", rows, false)
	known = func(id marketcache.AssetID) bool { return id < 30 }
	check("half known by name", rows, true)
	// Delisted and unreadable entries confirm nothing and do not count.
	f = bareFeed()
	f.learn(metaOf(plainListing("A"), `{"szDecimals":2,"name":"B","maxLeverage":10,"isDelisted":true}`, `{}`))
	if got := f.universe.positions(""); !slices.Equal(got, []marketcache.AssetID{0, marketcache.NoAsset,
		marketcache.NoAsset}) {
		t.Errorf("positions %v", got)
	}
	check("only A counts", []contextRow{{marketcache.Context{MarkPrice: 100}, true}, {marketcache.Context{MarkPrice: 9},
		true}, {}}, true)
}

func TestOneRowCostsItself(t *testing.T) {
	const hour = int64(hourMs)
	good := []string{candleJSON("A", 10*hour, 5), candleJSON("A", 11*hour, 5), candleJSON("A", 12*hour, 5)}
	for _, bad := range []string{
		`null`, `7`, `{}`, `[]`, strings.Replace(good[1], `"t":`, `"x":`, 1), candleJSON("B", 11*hour, 5),
		candleJSON("A", 11*hour+1, 5),
		strings.Replace(good[1], `"o":"5`, `"o":"NaN`, 1), candleJSON("A", 400*hour, 5),
		// the candle closes before it opens
		strings.Replace(candleJSON("A", 19*hour, 5), fmt.Sprint(20*hour-1), fmt.Sprint(12*hour-1), 1),
	} {
		if bad == good[1] {
			t.Fatal("not changed")
		}
		b := []byte("[" + good[0] + "," + bad + "," + good[2] + "]")
		got, dropped, ok := parseCandles(b, "A", 0, 15*hour)
		if !ok || dropped != 1 || got.NewestMs != 12*hour || len(got.Bars) != 2 || got.Bars[0].OpenMs != 10*hour ||
			got.Bars[1].OpenMs != 12*hour || (got.OddMs == 0) != strings.Contains(bad, fmt.Sprint(400*hour)) {
			t.Errorf("%s: %v, %d dropped, %+v", bad, ok, dropped, got)
		}
	}
	for _, twice := range []string{good[1], candleJSON("A", 11*hour, 7)} { // the same bar, and another
		got, dropped, ok := parseCandles([]byte("["+good[0]+","+twice+","+good[1]+"]"), "A", 0, 15*hour)
		if other := twice != good[1]; !ok || (dropped != 0) != other || (got.OddMs == 11*hour) != other ||
			(len(got.Bars) == 1) != other {
			t.Errorf("%s: %v, %d dropped, %+v", twice, ok, dropped, got)
		}
	}
	if _, _, ok := parseCandles([]byte("["+candleJSON("B", 10*hour, 5)+"]"), "A", 0, 15*hour); ok {
		t.Error("an answer about another coin was taken for one without trades")
	}
	if got, _, ok := parseCandles([]byte("["+good[2]+","+good[0]+","+good[1]+"]"), "A", 0, 15*hour); !ok ||
		len(got.Bars) != 3 || got.Bars[0].OpenMs != 10*hour {
		t.Errorf("not sorted: %v", got)
	}
	row := func(coin, rate string, at int64) string {
		return fmt.Sprintf(`{"coin":%q,"fundingRate":%s,"time":%d}`, coin, rate, at)
	}
	for _, bad := range []string{`null`, `{}`, `5`, row("B", `"0.01"`, 50), row("A", `"x"`, 50), row("A", `"0.05"`, 50),
		row("A", `"0.01"`, 1001), row("A", `"0.01"`, -1), row("A", `"0.02"`, 60)} {
		b := []byte("[" + row("A", `"0.01"`, 40) + "," + bad + "," + row("A", `"0.02"`, 60) + "]")
		rows, count, dropped, ok := parseFunding(b, "A", 0, 1000)
		if !ok || count != 3 || dropped != 1 || len(rows) != 2 || rows[0].VenueMs != 40 ||
			rows[1] != (marketcache.FundingRow{VenueMs: 60, RateHourly: 0.02}) {
			t.Errorf("%s: %v %d %d %v", bad, ok, count, dropped, rows)
		}
	}
	names, ok := parseNames([]byte(`["A",null,7,{"x":[]},"B"]`))
	if !ok || !slices.Equal(names, []string{"A", "", "", "", "B"}) {
		t.Errorf("names %q", names)
	}
	var coins []string
	const known = `["A",[["BinPerp",{"fundingRate":"0.00008","fundingIntervalHours":8}]]]`
	if !parsePredicted([]byte(`[null,["B",[["BinPerp",7]]],`+known+`,[],["C"],{}]`),
		func(c []byte, f marketcache.CEXFunding, _ float64) {
			coins = append(coins, fmt.Sprint(string(c), f.Venues))
		}) || !slices.Equal(coins, []string{"0", "0", "A1", "0", "0", "0"}) {
		t.Errorf("predicted of %q", coins)
	}
	for text, want := range map[string]float64{
		`{"coin":"TOKEN","token":7,"total":"NaN"},{"coin":"USDC","token":0,"total":"5"}`: 5,
		`{"coin":"USDC","token":0,"total":"NaN"}`:                                        -1,
		`7,{"coin":"USDC","token":0,"total":"5"}`:                                        5,
		`7`: -1, `{"coin":"USDC","token":0}`: -1, ``: 0,
	} {
		if usd, ok := spotUSDC([]byte(`{"balances":[` + text + `]}`)); ok != (want >= 0) || ok && usd != want {
			t.Errorf("%s: %v %v", text, usd, ok)
		}
	}
}

// stateAt returns a wallet's state at a venue time, with a recognisable value.
func stateAt(at time.Time, usd int) string {
	return stamped(richJSON("A", 2, 200, float64(usd)), at)
}

// What a wallet's repeated read costs counts.
func TestRepeatedReadCounts(t *testing.T) {
	const reads = 5 // the first of them is not repeated
	used := func(repeated bool) (weight int) {
		play(t, func(_ *fakeVenue, cfg *Config) { cfg.Budget = 600 }, func(s scene) {
			time.Sleep(3 * time.Second)
			newest, before := time.Now(), s.f.queue.Weight().Sum()
			var asked atomic.Int32
			s.v.tells("clearinghouseState", func(infoRequest) string {
				if asked.Add(1)%2 == 0 && repeated { // of two reads the first is older than the one before
					return stamped(emptyAccountJSON, newest.Add(-time.Hour))
				}
				return stamped(emptyAccountJSON, newest.Add(time.Duration(asked.Load())*time.Millisecond))
			})
			for range reads {
				s.load(1, marketcache.NoAsset)
				time.Sleep(3 * time.Second)
			}
			if want := map[bool]int32{false: reads, true: 2*reads - 1}[repeated]; asked.Load() != want {
				s.Errorf("repeated %v: asked %d times, want %d", repeated, asked.Load(), want)
			}
			weight = s.f.queue.Weight().Sum() - before
		})
		return weight
	}
	if more := used(true) - used(false); more != (reads-1)*stateWeight {
		t.Errorf("%d repeated reads of %d each add %d to the weight", reads-1, stateWeight, more)
	}
}

func TestOlderWalletIsRefused(t *testing.T) {
	play(t, nil, func(s scene) {
		time.Sleep(3 * time.Second)
		var asked atomic.Int32
		serve := func(fn func(n int) string) {
			asked.Store(0)
			s.v.tells("clearinghouseState", func(q infoRequest) string {
				if q.User != first.String() {
					return ""
				}
				return fn(int(asked.Add(1)))
			})
		}
		load := func() (*marketcache.Account, error) {
			return s.f.LoadAccount(s.Context(), wallet(1), marketcache.NoAsset)
		}
		newest := time.Now()
		serve(func(int) string { return stateAt(newest, 1000) })
		held, err := load()
		if err != nil || held.CrossAccountValueUSD != 1000 {
			t.Fatal(held, err)
		}
		time.Sleep(3 * time.Second)
		if age := marketcache.Now().Sub(held.Received); age < 2500*time.Millisecond {
			s.Errorf("a state of three seconds ago is %v old", age)
		}
		// One of the venue's machines is behind: the request is repeated at once.
		serve(func(n int) string {
			if n == 1 {
				return stateAt(newest.Add(-5*time.Second), 1)
			}
			return stateAt(newest.Add(time.Second), 1001)
		})
		if held, err = load(); err != nil || held.CrossAccountValueUSD != 1001 || asked.Load() != 2 {
			s.Errorf("%v %v, asked %d times", held, err, asked.Load())
		}
		// All machines are behind: the state is rejected and nothing is stored.
		serve(func(int) string { return stateAt(newest, 2) })
		_, err = load()
		if wait, ok := marketcache.RetryAfter(err); !errors.Is(err, marketcache.ErrVenue) || !ok ||
			wait > 2*time.Second || asked.Load() != 2 {
			s.Errorf("%v after %d questions", err, asked.Load())
		}
		if a, _, _ := s.cache.Account(&first, marketcache.Now(), marketcache.Forever); a != held {
			s.Errorf("%+v is held", a)
		}
		// A state with a future time or without a time is not stored, because it would block later
		// ones.
		for _, text := range []string{stateAt(time.Now().Add(time.Hour), 3), accountJSON("A", 2, 200)} {
			serve(func(int) string { return text })
			if a, err := load(); !errors.Is(err, marketcache.ErrVenue) {
				s.Errorf("%.40s: %v %v", text, a, err)
			}
		}
		// An unreadable position affects only this wallet, and the error says so.
		serve(func(int) string { return strings.Replace(stateAt(time.Now(), 4), `"szi":"2"`, `"szi":"NaN"`, 1) })
		if a, err := load(); !errors.Is(err, marketcache.ErrVenue) || !strings.Contains(fmt.Sprint(err),
			"position 1 A cannot be read") {
			s.Errorf("%v %v", a, err)
		}
		s.load(2, marketcache.NoAsset)
		serve(func(int) string { return stateAt(time.Now(), 5) })
		if a, err := load(); err != nil || a.CrossAccountValueUSD != 5 {
			s.Errorf("%v %v", a, err)
		}
		if st := s.f.Stats(); st.SetAside[asideOlder] != 1 || st.SetAside[asideWallet] != 3 {
			s.Errorf("set aside %v", st.SetAside)
		}
	})
}

// TestBackWithinTenSeconds: after an outage of any length, at any time after the start, prices are
// fresh ten seconds after the venue is back.
func TestBackWithinTenSeconds(t *testing.T) {
	takesLong(t)
	for _, away := range []time.Duration{5 * time.Second, 16 * time.Second, 40 * time.Second, 100 * time.Second,
		4 * time.Minute} {
		for _, silent := range []bool{false, true} { // true: the venue accepts connections and sends nothing on them
			t.Run(fmt.Sprint(away, silent), func(t *testing.T) {
				play(t, nil, func(s scene) {
					time.Sleep(40 * time.Second)
					s.v.script(func() { s.v.down, s.v.silent = !silent, silent })
					if !silent {
						s.v.cut()
					}
					time.Sleep(away)
					s.v.script(func() { s.v.down, s.v.silent = false, false })
					time.Sleep(10 * time.Second)
					s.fresh(2*time.Second, 0, 1, 2)
					s.connectsBounded()
				})
			})
		}
	}
}
