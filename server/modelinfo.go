package server

import (
	"encoding/hex"
	"encoding/json"

	"github.com/valyala/fasthttp"

	"ballast/compute/risk"
	"ballast/server/api"
)

// band is a recommendation and the highest score for it.
type band struct {
	Recommendation string  `json:"recommendation"`
	ScoreUpTo      float64 `json:"score_up_to"`
}

// flagRule is a flag and the rule that raises it.
type flagRule struct {
	Name     string `json:"name"`
	Severity string `json:"severity"`
	Raised   string `json:"raised_when"`
	Meaning  string `json:"meaning"`
	Unit     string `json:"unit"` // of value and threshold in an explanation, "" for none
}

// constantModelInfo returns the part of /v1/model-info that never changes.
func constantModelInfo() []byte {
	constants := map[string]float64{}
	for _, c := range risk.Constants() {
		constants[c.Name] = c.Value
	}
	var guess risk.Terms // of a score whose open-interest cap is estimated
	(&risk.ScoreInput{}).Compose(&guess)
	weights, withoutOI := map[string]float64{}, map[string]float64{}
	for c := range risk.ComponentCount {
		weights[c.String()], withoutOI[c.String()] = risk.Weights[c], guess.Weights[c]
	}
	var flags [risk.FlagCount]flagRule
	for f := range risk.FlagCount {
		info := risk.FlagTable[f]
		flags[f] = flagRule{info.Name, info.Severity.String(), info.Raised, info.Meaning, info.Unit}
	}
	fixed, err := json.Marshal(struct {
		Weights   map[string]float64                `json:"weights"`
		WithoutOI map[string]float64                `json:"weights_without_oi"`
		Bands     [3]band                           `json:"bands"`
		CloseCap  float64                           `json:"close_score_cap"`
		Scenarios [risk.ScenarioCount]risk.Scenario `json:"scenarios"`
		Flags     [risk.FlagCount]flagRule          `json:"flags"`
		Curves    []risk.Curve                      `json:"curves"`
		Constants []risk.Constant                   `json:"constants"`
	}{
		Weights: weights, WithoutOI: withoutOI,
		Bands: [3]band{
			{risk.Proceed.String(), constants["proceed_up_to"]},
			{risk.ProceedWithCaution.String(), constants["caution_up_to"]},
			{risk.Abort.String(), constants["max_score"]},
		},
		CloseCap: constants["reduce_cap"], Scenarios: risk.Scenarios, Flags: flags, Curves: risk.Curves(),
		Constants: risk.Constants(),
	})
	if err != nil {
		panic("BUG: model info does not encode: " + err.Error())
	}
	return fixed
}

// modelInfoHandler answers GET /v1/model-info.
func (s *Server) modelInfoHandler(x *exchange) {
	m := s.cfg.Cache.Model()
	w := api.NewWriter(nil)
	w.Text(`{"engine_version":`, risk.EngineVersion)
	w.Text(`,"calibration_name":`, m.Name)
	w.Text(`,"calibration_hash":`, hex.EncodeToString(m.Digest[:]))
	w.Integer(`,"calibrated_assets":`, m.Calibrated)
	if len(m.Parameters) > 0 {
		w.Raw(`,"calibration_constants":`)
		w.Append(m.Parameters)
	}
	w.Raw(`,`)
	w.Append(s.modelInfo[1:])
	x.reply(fasthttp.StatusOK, typeJSON, w.Bytes())
}
