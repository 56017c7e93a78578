package main

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"ballast/bench/yardstick/sample"
	"ballast/server/spec/types"
)

func TestAnswer(t *testing.T) {
	h, err := newHandler()
	if err != nil {
		t.Fatal(err)
	}
	ask := func(body string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("POST", "/v1/validate", strings.NewReader(body)))
		return w
	}
	w := ask(`{"asset":"ETH","action":"long","size":1234,"leverage":3,"wallet":"0x"}`)
	var a types.Assessment
	if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Code != 200 || a.Meta.Asset != "ETH" ||
		a.Sizing.SuggestedSizeUSD != 1234 || len(a.Stress) != 13 {
		t.Errorf("answer to a validation: error %v, status %d, body %s", err, w.Code, w.Body)
	}
	if n := w.Body.Len(); n < len(sample.JSON)*98/100 || n > len(sample.JSON)*102/100 {
		t.Errorf("answer has %d bytes, want about the %d of the sample", n, len(sample.JSON))
	}
	if w := ask("nonsense"); w.Code != 400 {
		t.Errorf("status %d for a body that is not JSON, want 400", w.Code)
	}
}
