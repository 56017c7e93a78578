package risk

import (
	"crypto/sha256"
	"fmt"
	"reflect"
	"testing"

	mc "ballast/marketcache"
)

// The hash that is remembered is the one that is computed: of few fits and of many, after a
// fit, its name or the constants have changed, and for the same fits in another order.
func TestCalibrationHashRemembered(t *testing.T) {
	fit := func(id int, version string) AssetInput {
		name := fmt.Sprint("A", id)
		return AssetInput{Model: &mc.AssetModel{Asset: mc.AssetID(id), Name: name, Digest: sha256.Sum256([]byte(name + version))}}
	}
	e, s := NewEngine(DefaultAges()), NewScratch(1)
	seen := map[[32]byte]string{}
	hash := func(what string, in Input, is string) {
		t.Helper()
		for range 2 { // computed, then remembered
			s.In = in
			got := e.calibrationHash(s)
			if fresh := NewEngine(DefaultAges()); got != fresh.calibrationHash(s) {
				t.Errorf("%s: not the hash of these fits", what)
			}
			if other, have := seen[got]; have && other != is {
				t.Errorf("%s: the hash of %s", what, other)
			}
			seen[got] = is
		}
	}
	hash("one", Input{Target: fit(1, "")}, "one")
	hash("refitted", Input{Target: fit(1, "new")}, "refitted")
	renamed := fit(1, "")
	renamed.Model.Name = "B"
	hash("renamed", Input{Target: renamed}, "renamed")
	hash("other constants", Input{Target: fit(1, ""), ModelConstants: [32]byte{1}}, "other constants")
	hash("one again", Input{Target: fit(1, "")}, "one")
	hash("two", Input{Target: fit(1, ""), Held: []AssetInput{fit(2, "")}}, "two")
	hash("two the other way round", Input{Target: fit(2, ""), Held: []AssetInput{fit(1, "")}}, "two")
	hash("nothing", Input{}, "nothing")
	for _, n := range []int{memoFits - 1, memoFits, 3 * memoFits} {
		in := Input{Target: fit(0, "")}
		for i := range n {
			in.Held = append(in.Held, fit(i+1, ""))
		}
		hash(fmt.Sprint(n), in, fmt.Sprint(n))
		in.Held[n/2] = fit(n/2+1, "new")
		hash(fmt.Sprint(n, " refitted"), in, fmt.Sprint(n, " refitted"))
	}
}

// Assets by themselves never push each other out of the memo.
func TestLoneAssetsShareNoSlot(t *testing.T) {
	taken := map[uint64]int{}
	for id := range len(calibrationMemo{}) {
		slot := hashAssets([]*mc.AssetModel{{Asset: mc.AssetID(id)}}) % uint64(len(calibrationMemo{}))
		if other, have := taken[slot]; have {
			t.Fatalf("assets %d and %d share slot %d", other, id, slot)
		}
		taken[slot] = id
	}
}

// A new fit of an asset is seen by the next request of the same scratch, whatever is
// remembered of the last one.
func TestRefittedAsset(t *testing.T) {
	for _, n := range []int{0, 1, 3, rememberedLegs + 2} {
		c, now := testCache(t, n+1)
		e, s, owner := NewEngine(DefaultAges()), NewScratch(n), testWallet(n)
		trade := Trade{Asset: 0, Action: ActionLong, SizeUSD: 50_000, Leverage: 10}
		assess := func(e *Engine, s *Scratch) *Assessment {
			if lack := e.Fill(&s.In, c, &trade, owner, 0, now, testWallMs); lack.Lack != Complete {
				t.Fatalf("no photograph: %+v", lack)
			}
			e.Assess(s)
			return &s.Out
		}
		before := assess(e, s).VaR
		for refitted := range n + 1 {
			model := *c.Model()
			model.Assets = append([]*mc.AssetModel(nil), model.Assets...)
			m := testModel(mc.AssetID(refitted), model.Assets[refitted].Name, uint64(1000+refitted))
			for h := range m.Variance {
				m.Variance[h] *= 4
			}
			m.Digest = sha256.Sum256([]byte("refitted"))
			model.Assets[refitted] = m
			c.SetModel(&model)
			got, want := assess(e, s), assess(NewEngine(DefaultAges()), NewScratch(n))
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%d positions, asset %d fitted anew: not what a new engine says", n, refitted)
			}
			if refitted == 0 && got.VaR == before {
				t.Error("the fit makes no difference")
			}
		}
	}
}
