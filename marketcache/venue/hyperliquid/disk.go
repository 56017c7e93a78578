package hyperliquid

import (
	"maps"
	"slices"
	"strings"
	"time"

	"ballast/internal/store"
	"ballast/internal/supervise"
	"ballast/marketcache"
	"ballast/marketcache/feed"
)

// Save updates the histories on disk of cfg's venue from a cache that another process's feed fills.
// No feed with this configuration may be running.
func Save(cache *marketcache.Cache, cfg Config) error {
	if cfg.DataDir == "" {
		return nil
	}
	cfg = cfg.withDefaults()
	archive, _, err := openArchive(cfg)
	if err != nil {
		return err
	}
	defer archive.Close()
	return feed.NewStore(archive, cache.Limits(), supervise.New(cfg.Logger)).SaveCache(cache)
}

// openArchive opens the saved data of cfg's venue. A damaged file is set aside.
func openArchive(cfg Config) (archive *store.History, damaged bool, err error) {
	archive, aside, err := store.OpenHistory(cfg.DataDir, cfg.Name)
	if aside != "" {
		cfg.Logger.Warn("the history on disk is damaged and read again from the venue", "set_aside", aside)
	}
	return archive, aside != "", err
}

// openStore opens the saved data of the venue and its log of spent weight. spentIsKnown: the log has what previous
// processes have spent.
func (f *Feed) openStore() (log *feed.BudgetLog, spentIsKnown bool) {
	if f.cfg.DataDir == "" {
		return nil, false
	}
	archive, damaged, err := openArchive(f.cfg)
	if err != nil {
		f.log.Warn("no history is kept", "error", err)
		return nil, false
	}
	f.archive, f.store = archive, feed.NewStore(archive, f.cache.Limits(), f.supervisor)
	if log, err = feed.OpenBudgetLog(archive, f.cfg.Budget); err != nil {
		f.log.Warn("spent request weight is not kept", "error", err)
	}
	return log, log != nil && !damaged
}

// saveEvery is the interval at which the universe is saved when its assets have not changed.
const saveEvery = time.Hour

// saveMeta saves an accepted universe answer. The caller holds f.tables.
func (f *Feed) saveMeta(dex string, body []byte, changed bool) {
	now := marketcache.Now()
	if saved, is := f.metaSaved[dex]; f.store == nil || !changed && is && now.Sub(saved) < saveEvery {
		return
	}
	f.metaSaved[dex] = now
	f.store.SaveTable(universeTable(dex), body)
}

// universeTable returns the name of the table with a dex's universe.
func universeTable(dex string) string {
	if dex == "" {
		return "universe"
	}
	return "universe " + dex
}

// restore reads the universe and every listed asset's history from disk.
func (f *Feed) restore() {
	tables := f.store.Tables()
	if !f.restoreMeta(universeTable(""), tables[universeTable("")]) {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		if strings.HasPrefix(name, universeTable("")+" ") {
			f.restoreMeta(name, tables[name])
		}
	}
	f.ranks.Store(feed.Rank(f.cache))
	began := time.Now()
	f.history.RestoreAll()
	f.log.Info("histories read from disk", "assets", len(f.cache.Universe().Assets), "took",
		time.Since(began).Round(time.Millisecond))
}

// restoreMeta applies one dex's saved universe, if the dex is followed.
func (f *Feed) restoreMeta(table string, body []byte) (restored bool) {
	if body == nil {
		return false
	}
	m, _, ok := parseMetaAndContexts(body, nil)
	if !ok {
		f.log.Warn("universe on disk is not one and not used", "table", table)
		return false
	}
	for i := range m.assets {
		if m.assets[i].readable { // all assets of a table are of the same dex
			m.dex = dexOf(m.assets[i].name)
			break
		}
	}
	if universeTable(m.dex) != table || !f.dexes.follows(m.dex) {
		return false
	}
	if _, _, err := f.universe.apply(m); err != nil {
		f.log.Warn("universe on disk is not used", "table", table, "error", err)
		return false
	}
	return true
}
