// Command nethttp is a yardstick for compare: the usual way to write such a service, with net/http
// and encoding/json. It decodes each request and encodes an answer of the same shape as a
// validation, without risk arithmetic.
package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"

	"ballast/bench/yardstick/sample"
	"ballast/server/spec/types"
)

func main() {
	sample.Serve("nethttp", func(ln net.Listener) error {
		h, err := newHandler()
		if err != nil {
			return err
		}
		return http.Serve(ln, h)
	})
}

// request is the body of POST /v1/validate.
type request struct {
	Asset      string  `json:"asset"`
	Action     string  `json:"action"`
	Size       float64 `json:"size"`
	Leverage   float64 `json:"leverage"`
	Wallet     string  `json:"wallet"`
	Mode       string  `json:"mode"`
	MonteCarlo bool    `json:"monte_carlo"`
}

// newHandler returns a handler that answers with the sample, with asset and size taken from the
// request.
func newHandler() (http.Handler, error) {
	var template types.Assessment
	if err := json.Unmarshal(sample.JSON, &template); err != nil {
		return nil, err
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost { // a readiness check
			fmt.Fprint(w, "ok")
			return
		}
		var trade request
		if err := json.NewDecoder(r.Body).Decode(&trade); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		answer := template // the slices are shared and only read
		answer.Meta.Asset = trade.Asset
		answer.Sizing.SuggestedSizeUSD = trade.Size
		body, err := json.Marshal(&answer)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		w.Write(body)
	}), nil
}
