package gate

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"
)

// infoWeights are the request weights of questions; that of others is 20.
var infoWeights = map[string]int{"allMids": 2, "l2Book": 2, "orderStatus": 2, "clearinghouseState": 2,
	"spotClearinghouseState": 2, "exchangeStatus": 2, "userRole": roleWeight}

const infoWeight = 20

// rowsOf is how many rows of an answer weigh one more.
var rowsOf = map[string]int{"candleSnapshot": 60, "recentTrades": 20, "historicalOrders": 20, "userFills": 20,
	"userFillsByTime": 20, "fundingHistory": 20, "userFunding": 20, "userNonFundingLedgerUpdates": 20,
	"twapHistory": 20, "userTwapSliceFills": 20, "userTwapSliceFillsByTime": 20, "delegatorHistory": 20,
	"delegatorRewards": 20, "validatorStats": 20}

// question is the type of a question. A body that is none has no type.
type question struct {
	Type string `json:"type"`
}

func questionOf(body []byte) (q question) {
	_ = json.Unmarshal(body, &q) // the venue says what is wrong with it
	return q
}

// weight is that of the question without the rows of its answer.
func (q question) weight() int {
	if w, ok := infoWeights[q.Type]; ok {
		return w
	}
	return infoWeight
}

// surcharge is the weight of the rows of an answer. Objects in rows count as rows.
func (q question) surcharge(answer []byte) int {
	each := rowsOf[q.Type]
	if each == 0 {
		return 0
	}
	return (bytes.Count(answer, []byte{'{'}) + each - 1) / each
}

// Info asks the venue a client's question and writes its answer to r. When the weight for questions is spent, the
// answer is the venue's to too many requests.
func (g *Gate) Info(r *fasthttp.Response, body []byte) error {
	q := questionOf(body)
	if wait := g.take(q.weight()); wait > 0 {
		TooMany(r, wait)
		return nil
	}
	if _, err := g.send(r, "/info", body, g.Timeout); err != nil {
		return err
	}
	if more := q.surcharge(r.Body()); more > 0 && g.Budget != nil {
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
