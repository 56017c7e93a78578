package gate

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"ballast/marketcache/venue/exchange"
)

// kindOf returns the type of a question, "" of a body that is none.
func kindOf(body []byte) string {
	var q struct{ Type string }
	_ = json.Unmarshal(body, &q) // the venue says what is wrong with it
	return q.Type
}

// Info asks the venue a client's question and writes its answer to r. When the weight for questions is spent, the
// answer is the venue's to too many requests.
func (g *Gate) Info(r *fasthttp.Response, body []byte) error {
	kind := kindOf(body)
	weight := exchange.InfoWeight(kind, 0)
	if wait := g.take(weight); wait > 0 {
		TooMany(r, wait)
		return nil
	}
	if _, err := g.send(r, "/info", body, g.Timeout); err != nil {
		return err
	}
	rows := bytes.Count(r.Body(), []byte{'{'}) // objects in rows count as rows
	if more := exchange.InfoWeight(kind, rows) - weight; more > 0 && g.Budget != nil {
		g.Budget.Spent(more)
	}
	return nil
}

// TooMany answers as the venue does to too many requests.
func TooMany(r *fasthttp.Response, wait time.Duration) {
	r.SetStatusCode(fasthttp.StatusTooManyRequests)
	r.Header.SetContentType("text/html")
	r.Header.Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	r.SetBodyString("<html>\r\n<head><title>429 Too Many Requests</title></head>\r\n<body>\r\n" +
		"<center><h1>429 Too Many Requests</h1></center>\r\n</body>\r\n</html>\r\n")
}
