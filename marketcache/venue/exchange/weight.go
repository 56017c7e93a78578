package exchange

// infoWeights are the weights of questions; that of others is 20.
var infoWeights = map[string]int{"allMids": 2, "l2Book": 2, "orderStatus": 2, "clearinghouseState": 2,
	"spotClearinghouseState": 2, "exchangeStatus": 2, "userRole": 60}

// rowsOf is how many rows of an answer weigh one more.
var rowsOf = map[string]int{"candleSnapshot": 60, "recentTrades": 20, "historicalOrders": 20, "userFills": 20,
	"userFillsByTime": 20, "fundingHistory": 20, "userFunding": 20, "userNonFundingLedgerUpdates": 20,
	"twapHistory": 20, "userTwapSliceFills": 20, "userTwapSliceFillsByTime": 20, "delegatorHistory": 20,
	"delegatorRewards": 20, "validatorStats": 20}

// InfoWeight returns the request weight of a question to POST /info whose answer has that many rows.
func InfoWeight(kind string, rows int) int {
	weight, known := infoWeights[kind]
	if !known {
		weight = 20
	}
	if each := rowsOf[kind]; each > 0 {
		weight += (rows + each - 1) / each
	}
	return weight
}
