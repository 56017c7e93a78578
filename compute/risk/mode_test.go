package risk

import (
	"testing"

	mc "ballast/marketcache"
)

// The margin mode is that of the open position, else the request's, else the wallet's setting, else cross.
// A request that contradicts, and a setting that was needed and not read, are flagged.
func TestMarginMode(t *testing.T) {
	cross := &mc.LeverageSetting{Leverage: 10, ModeKnown: true}
	isolated := &mc.LeverageSetting{Leverage: 10, Isolated: true, ModeKnown: true}
	noMode := &mc.LeverageSetting{Leverage: 10}
	none := &mc.LeverageSetting{}
	long := holding(0, "BTC", 1, testMark, 10)
	own := isolatedAt(long, 6_000)
	untold := own
	untold.Leverage = 0
	rows := []struct {
		name     string
		setting  *mc.LeverageSetting // nil: not read
		position *mc.Position
		action   Action
		asked    string // "": left out
		leverage float64
		want     Mode
		source   Source
		flag     Flag // FlagCount: none
	}{
		{"left out: the setting's", isolated, nil, ActionLong, "", 10, Isolated, SourceSetting, FlagCount},
		{"a setting without a mode", noMode, nil, ActionLong, "", 10, Cross, SourceDefault, FlagCount},
		{"the venue has no setting", none, nil, ActionLong, "", 0, Cross, SourceDefault, FlagCount},
		{"not read, mode left out", nil, nil, ActionLong, "", 10, Cross, SourceDefault, FlagSettingNotRead},
		{"not read, leverage left out", nil, nil, ActionLong, "isolated", 0, Isolated, SourceRequest,
			FlagSettingNotRead},
		{"not read, nothing left out", nil, nil, ActionLong, "isolated", 10, Isolated, SourceRequest, FlagCount},
		{"asked as set", isolated, nil, ActionShort, "isolated", 10, Isolated, SourceRequest, FlagCount},
		{"asked isolated, set cross", cross, nil, ActionShort, "isolated", 10, Isolated, SourceRequest,
			FlagMarginModeDiffers},
		{"asked cross, set isolated", isolated, nil, ActionLong, "cross", 10, Cross, SourceRequest,
			FlagMarginModeDiffers},
		{"asked isolated, set without a mode", noMode, nil, ActionLong, "isolated", 10, Isolated, SourceRequest,
			FlagCount},
		{"the position's, whatever is set", cross, &own, ActionLong, "", 10, Isolated, SourcePosition, FlagCount},
		{"the position's, nothing read", nil, &own, ActionShort, "", 0, Isolated, SourcePosition, FlagCount},
		{"the position's, whatever is asked", isolated, &long, ActionLong, "isolated", 10, Cross, SourcePosition,
			FlagMarginModeKept},
		{"of a flip too", nil, &own, ActionShort, "cross", 10, Isolated, SourcePosition, FlagMarginModeKept},
		{"of a close, without a word", nil, &own, ActionClose, "cross", 0, Isolated, SourcePosition, FlagCount},
		{"a position whose leverage is not told", cross, &untold, ActionLong, "", 0, Isolated, SourcePosition,
			FlagSettingNotRead},
		{"a close of it", nil, &untold, ActionClose, "", 0, Isolated, SourcePosition, FlagSettingNotRead},
		{"a close of nothing", nil, nil, ActionClose, "", 0, Cross, SourceDefault, FlagCount},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			s := newSituation(20_000, r.action, 90_000)
			s.in.Trade.Leverage, s.in.Trade.ModeGiven = r.leverage, r.asked != ""
			if r.asked == "isolated" {
				s.in.Trade.Mode = Isolated
			}
			s.in.Account.Settings = nil
			if r.setting != nil {
				s.in.Account.Settings = []mc.LeverageSetting{*r.setting}
			}
			if r.position != nil {
				s.holds(*r.position)
			}
			scratch := NewScratch(1)
			a := assessWith(t, NewEngine(DefaultAges()), scratch, &s.in)
			if got := scratch.view.plan.mode; got != r.want || a.Explanation.ModeSource != r.source {
				t.Errorf("%s from the %s, want %s from the %s", got, a.Explanation.ModeSource, r.want, r.source)
			}
			if asked := scratch.view.plan.asked; r.position == &untold && (asked != defaultLeverage ||
				a.Explanation.LeverageSource != SourceDefault || !scratch.Exposure().LeverageAssumed) {
				t.Errorf("leverage %v from the %s", asked, a.Explanation.LeverageSource)
			}
			for _, f := range []Flag{FlagMarginModeDiffers, FlagMarginModeKept, FlagSettingNotRead} {
				if a.Flags.Has(f) != (f == r.flag) {
					t.Errorf("flags %v", raised(&a.Flags))
				}
			}
		})
	}
}
