package load

import (
	"strconv"
	"strings"
)

// maxVariants bounds the number of different prepared requests of a kind.
const maxVariants = 4096

// Parameters of the requests: one request for every combination of these with the wallets and
// assets.
var (
	actions = []string{"long", "short"}
	sizes   = []int{1_000, 5_000, 25_000, 100_000} // USD
)

// leverage of every trade. Without it the service would need the wallet's own setting. Every asset
// allows 3.
const leverage = 3

// batchVariants is the number of different batches prepared for each wallet.
const batchVariants = 8

// request is the text of one HTTP request.
type request struct {
	kind Kind
	text []byte
}

// writeRequests prepares all requests that a run may send.
func writeRequests(c *Config, t target) (all [kindCount][]request) {
	trade := func(i int) string {
		pick := func(n int) int { r := i % n; i /= n; return r }
		asset, action, size := c.Assets[pick(len(c.Assets))], actions[pick(len(actions))], sizes[pick(len(sizes))]
		return `"asset":"` + asset + `","action":"` + action + `","size":` + strconv.Itoa(size) + `,"leverage":` +
			strconv.Itoa(leverage)
	}
	trades := len(c.Assets) * len(actions) * len(sizes)
	combinations := trades * len(c.Wallets)
	n := min(combinations, maxVariants)
	for i := range n {
		at := i * combinations / n // spreads the choice evenly when there are more combinations than maxVariants
		body := `{` + trade(at%trades) + `,"wallet":"` + c.Wallets[at/trades] + `"`
		all[Validate] = append(all[Validate], c.post(t, Validate, "/v1/validate", body+`}`))
		all[MonteCarlo] = append(all[MonteCarlo], c.post(t, MonteCarlo, "/v1/validate", body+`,"monte_carlo":true}`))
	}
	for w, wallet := range c.Wallets {
		for v := range batchVariants {
			var list []string
			for i := range c.BatchSize {
				list = append(list, `{`+trade((w+v*7+i)%trades)+`}`)
			}
			body := `{"wallet":"` + wallet + `","trades":[` + strings.Join(list, ",") + `]}`
			all[Batch] = append(all[Batch], c.post(t, Batch, "/v1/validate/batch", body))
		}
		all[Monitor] = append(all[Monitor],
			request{kind: Monitor, text: []byte(c.head(t, "GET", "/v1/monitor/"+wallet) + "\r\n")})
	}
	return all
}

func (c *Config) head(t target, method, path string) string {
	head := method + " " + t.prefix + path + " HTTP/1.1\r\nHost: " + t.host + "\r\n"
	if c.Key != "" {
		head += "Authorization: Bearer " + c.Key + "\r\n"
	}
	return head
}

func (c *Config) post(t target, kind Kind, path, body string) request {
	return request{kind: kind, text: []byte(c.head(t, "POST", path) +
		"Content-Type: application/json\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body)}
}
