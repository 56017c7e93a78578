package exchange

import "testing"

func TestInfoWeight(t *testing.T) {
	for request, want := range map[struct {
		kind string
		rows int
	}]int{
		{"meta", 0}: 20, {"l2Book", 0}: 2, {"userRole", 0}: 60, {"candleSnapshot", 5000}: 104,
		{"fundingHistory", 500}: 45,
	} {
		if got := InfoWeight(request.kind, request.rows); got != want {
			t.Errorf("%v: %d, want %d", request, got, want)
		}
	}
}
