package alerts

import (
	"ballast/internal/jsonscan"
	"ballast/internal/printable"
	"ballast/server/api"
)

// The bounds of WatchConfig.EveryS, and its default.
const (
	MinEveryS     = 10
	MaxEveryS     = 24 * 60 * 60
	defaultEveryS = 10
)

// WatchConfig is the body with which a key sets a watch.
type WatchConfig struct {
	EveryS      int // seconds between two monitor calls
	Thresholds  Thresholds
	URL, Secret string // of the webhook; no URL: there is none
}

// The known fields of a watch and of its webhook, as paths.
var (
	watchFields   = []string{"every_s", "thresholds", "webhook"}
	webhookFields = []string{"webhook.url", "webhook.secret"}
)

// watchReader reads one WatchConfig.
type watchReader struct {
	configReader
	watch WatchConfig
}

// DecodeWatch reads a WatchConfig as strictly as the configuration of a socket is read. code is that of an error, ""
// if there is none.
func DecodeWatch(body []byte) (c WatchConfig, code, detail string, how api.Mending) {
	r := watchReader{watch: WatchConfig{EveryS: defaultEveryS}}
	r.config.Thresholds = DefaultThresholds()
	r.scan.Reset(body)
	r.scan.Object(r.field)
	r.scan.End()
	switch {
	case !r.scan.OK():
		return WatchConfig{}, api.CodeInvalidJSON, r.scan.Problem(), api.Mending{Field: r.scan.Field()}
	case r.fault != nil:
		how := r.fault.how
		if how.Field == "" {
			how.Field = r.fault.field
		}
		if want := r.fault.want; want != "" {
			how.Got, how.Allowed, how.Suggestion = api.Got(r.fault.got), &api.Allowed{Type: want}, r.fault.meant()
		}
		return WatchConfig{}, api.CodeValidation, r.fault.detail, how
	}
	r.watch.Thresholds = r.config.Thresholds
	return r.watch, "", "", api.Mending{}
}

// meant returns what a value of another type was probably meant as.
func (f *configFault) meant() any {
	if url, is := api.Got(f.got).(string); is && f.field == "webhook" && f.got[0] == '"' {
		return `an object, as {"url":` + string(api.AppendString(nil, url)) + `}`
	}
	return api.Meant(f.got, f.want)
}

func (r *watchReader) field(name []byte) {
	switch kind := r.scan.NextKind(); {
	case kind == jsonscan.Object && string(name) == "thresholds":
		r.scan.Object(r.threshold)
		return
	case kind == jsonscan.Object && string(name) == "webhook":
		r.scan.Object(r.webhook)
		if r.watch.URL == "" {
			r.refuse("webhook.url", "missing field: webhook.url")
		}
		return
	}
	var v jsonscan.Value
	if !r.scan.Value(&v) {
		return
	}
	switch string(name) {
	case "every_s":
		r.setEvery(&v)
	case "thresholds", "webhook":
		if v.Kind != jsonscan.Null {
			r.refuseType(string(name), "object", "must be an object", v.Raw)
		}
	default:
		r.unknown(printable.Name(name), watchFields)
	}
}

func (r *watchReader) setEvery(v *jsonscan.Value) {
	whole := int(max(0, min(v.Number, MaxEveryS+1)))
	switch {
	case v.Kind == jsonscan.Null:
	case v.Kind == jsonscan.Number && v.Number == float64(whole) && whole >= MinEveryS && whole <= MaxEveryS:
		r.watch.EveryS = whole
	default:
		before := r.fault
		r.refuseField("every_s", "must be an integer from 10 to 86400, seconds, got "+printable.Text(v.Raw))
		if before == nil {
			r.fault.how = api.Mending{Field: "every_s", Got: api.Got(v.Raw), Suggestion: api.Meant(v.Raw, "integer"),
				Allowed: &api.Allowed{Type: "integer", Min: MinEveryS, Max: MaxEveryS}}
			if v.Kind == jsonscan.Number {
				r.fault.how.Suggestion = max(MinEveryS, min(whole, MaxEveryS))
			}
		}
	}
}

// webhook reads a member of the webhook. What a URL or a secret must be is checked later.
func (r *watchReader) webhook(name []byte) {
	var v jsonscan.Value
	if !r.scan.Value(&v) {
		return
	}
	into := map[string]*string{"url": &r.watch.URL, "secret": &r.watch.Secret}[string(name)]
	switch {
	case into == nil:
		r.unknown("webhook."+printable.Name(name), webhookFields)
	case v.Kind == jsonscan.String && len(v.Text) > 0:
		*into = string(v.Text)
	case v.Kind != jsonscan.Null:
		r.refuseType("webhook."+string(name), "string", "must be a text that is not empty", v.Raw)
	}
}
