package contract

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
)

var health = `{"status":"ok","ready":true,"version":"1","engine_version":"2.0.0","uptime_s":1,` +
	`"venue":{"name":"sim","kind":"simulated","connected":true,"last_message_age_ms":null,"clock_skew_ms":0,` +
	`"notice":null,"last_error":null,"reconnects":0,"wallet_streams":null},` +
	`"assets":{"listed":1,"fresh":1,"calibrated":1,"with_history":1},` +
	`"feed":{"leader":null,"here":true,"weight_per_minute":null},` +
	`"journal":{"mode":"off","strict":false,"recorded":0,"dropped":0,"unreadable_blocks":0,"oldest":null,"bytes":0,` +
	`"last_error":null},` +
	`"ages":{"oldest_s":null,"limit_s":null,"wallets":{"oldest_s":null,"limit_s":2},"last_hour":[` +
	strings.Repeat("null,", 59) + `null]},"answers":{"assessed":0,"overloaded":0,"stale":0},` +
	`"warmup":{"open_interest_share":1,"share_with_history":1,"ready_in_s":0,"complete_in_s":null},` +
	`"kill_switch":{"on":false,"since":null},"policies":{"count":0,"revision":0,"trouble":null},` +
	`"alerts":{"connections":0,"subscriptions":0},"watches":{"count":0,"here":true,"failing":0,"waiting":0,"dead":0,` +
	`"trouble":false}}`

func TestCheck(t *testing.T) {
	header := func(pairs ...string) http.Header {
		h := http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {"a"}}
		for i := 0; i < len(pairs); i += 2 {
			h.Set(pairs[i], pairs[i+1])
		}
		return h
	}
	without := header()
	without.Del("X-Request-Id")
	for _, row := range []struct {
		name   string
		method string
		target string
		status int
		header http.Header
		body   string
		wrong  string // "": nothing is wrong
	}{
		{"as documented", "GET", "/health?x=y", 200, header(), health, ""},
		{"head", "HEAD", "/health", 200, header(), "", ""},
		{"another field", "GET", "/health", 200, header(), strings.Replace(health, `"ready"`, `"more":1,"ready"`, 1),
			"additional properties 'more'"},
		{"another field inside", "GET", "/health", 200, header(), strings.Replace(health, `"name"`, `"more":1,"name"`,
			1), "additional properties 'more'"},
		{"a field is missing", "GET", "/health", 200, header(), strings.Replace(health, `"ready":true,`, "", 1),
			"missing property 'ready'"},
		{"another type", "GET", "/health", 200, header(), strings.Replace(health, `"uptime_s":1`, `"uptime_s":"1"`, 1),
			"/uptime_s"},
		{"another value", "GET", "/health", 200, header(), strings.Replace(health, `"ok"`, `"fine"`, 1), "/status"},
		{"out of range", "GET", "/health", 200, header(), strings.Replace(health, `"uptime_s":1`, `"uptime_s":-1`, 1),
			"/uptime_s"},
		{"not JSON", "GET", "/health", 200, header(), "ok", "invalid character"},
		{"another status", "GET", "/health", 204, header(), "", "status 204 is not documented"},
		{"a header that is not documented", "GET", "/health", 200, header("X-More", "1"), health, "X-More"},
		{"a header is missing", "GET", "/health", 200, without, health, "X-Request-Id is missing"},
		{"a header of other answers", "GET", "/health", 200, header("Ratelimit-Limit", "1"), health,
			"Ratelimit-Limit is not documented"},
		{"a header out of range", "GET", "/health", 200, header("X-Request-Id", "a b"), health, "X-Request-Id"},
		{"another content type", "GET", "/health", 200, header("Content-Type", "text/html"), health, "text/html"},
		{"a content type without a body", "POST", "/mcp", 202, header(), "", "Content-Type that is not documented"},
		{"no route", "GET", "/nope", 404, header(), `{"error":"not_found","detail":"x"}`, ""},
		{"no route that answers", "GET", "/nope", 200, header(), health, "status 200"},
		{"another code", "GET", "/nope", 404, header(), `{"error":"gone","detail":"x"}`, "/error"},
		{"another method", "POST", "/health", 405, header("Allow", "GET, HEAD"),
			`{"error":"method_not_allowed","detail":"x"}`, ""},
		{"a refused connection", "", "", 503, header("Retry-After", "1"), `{"error":"overloaded","detail":"x"}`, ""},
	} {
		err := new(Recorder).Check(row.method, row.target, row.status, row.header, []byte(row.body))
		switch {
		case row.wrong == "" && err != nil:
			t.Errorf("%s: %v", row.name, err)
		case row.wrong != "" && (err == nil || !strings.Contains(err.Error(), row.wrong)):
			t.Errorf("%s: %v, want %s", row.name, err, row.wrong)
		}
	}
}

func TestUnseen(t *testing.T) {
	var r Recorder
	const field, code = "/components/schemas/Health/properties/status",
		"/components/responses/NotFound/content/application~1json/schema/properties/error=not_found"
	before := r.Unseen()
	if !slices.Contains(before, field) || !slices.Contains(before, code) ||
		slices.Contains(before, "/components/schemas/ValidationRequest/properties/asset") {
		t.Fatal("the list of what must occur lacks an answer's field or error, or has a request's field")
	}
	h := http.Header{"Content-Type": {"application/json"}, "X-Request-Id": {"a"}}
	if err := r.Check("GET", "/health", 200, h, []byte(health)); err != nil {
		t.Fatal(err)
	}
	if err := r.Check("GET", "/nope", 404, h, []byte(`{"error":"not_found","detail":"x"}`)); err != nil {
		t.Fatal(err)
	}
	if err := r.CheckMessage([]byte(`{"subscribed":"0x00000000000000000000000000000000000000aa"}`)); err != nil {
		t.Fatal(err)
	}
	after := r.Unseen()
	for _, seen := range []string{field, code, "/components/schemas/Subscribed/properties/subscribed",
		"/components/headers/X-Request-Id"} {
		if slices.Contains(after, seen) || !slices.Contains(before, seen) {
			t.Errorf("%s has occurred but is listed as unseen, or was not listed before", seen)
		}
	}
	more := `{"subscribed":"0x00000000000000000000000000000000000000aa","more":1}`
	if err := r.CheckMessage([]byte(more)); err == nil {
		t.Error("a message with an undocumented field was accepted")
	}
}

// Each answer of JSON has an example, which is as documented, and each body of a request. "make examples" writes
// those of answers. Mocks answer with the examples: also with those of errors.
func TestExamples(t *testing.T) {
	for _, pointer := range []string{"/paths/~1health/get/responses/503", "/components/responses/BadRequest",
		"/components/responses/NotFound", "/components/responses/RateLimited", "/components/responses/Unavailable",
		"/components/responses/Unauthorized"} {
		text, err := json.Marshal(openAPI.at(pointer + "/content/application~1json/example"))
		if err == nil {
			err = openAPI.checkBody(pointer, "application/json", text, map[string]bool{})
		}
		if err != nil {
			t.Errorf("%s: %.600v", pointer, err)
		}
	}
	for path, item := range openAPI.tree["paths"].(map[string]any) {
		for method := range item.(map[string]any) {
			operation := "/paths/" + escape(path) + "/" + method
			const ofJSON = "/content/application~1json"
			if body := asObject(openAPI.at(operation + "/requestBody" + ofJSON)); method == "post" &&
				body["example"] == nil {
				t.Errorf("%s: no example of a request", path)
			}
			content := asObject(openAPI.at(operation + "/responses/200" + ofJSON))
			if content == nil || path == "/mcp" {
				continue
			}
			text, err := json.Marshal(content["example"])
			if err == nil {
				err = openAPI.checkBody(operation+"/responses/200", "application/json", text, map[string]bool{})
			}
			if err != nil {
				t.Errorf("%s %s: %.600v", method, path, err)
			}
		}
	}
}
