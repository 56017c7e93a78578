//go:build service

package ballast

// Tests the client against a service on the simulated venue: go test -tags service -args -url URL -key KEY.

import (
	"flag"
	"fmt"
	"io"
	"math"
	"net"
	"strings"
	"sync"
	"testing"
	"time"
)

const (
	calm       = "0xba11a57000000000000000000000000000000001"
	endangered = "0xba11a57000000000000000000000000000000006"
)

var (
	serviceURL = flag.String("url", "", "address of the service")
	serviceKey = flag.String("key", "", "API key")
	order      = ValidationRequest{Asset: "BTC", Action: ActionLong, Size: 50000, Leverage: 10, Wallet: calm,
		MonteCarlo: true}
)

func service() *Client { return New(*serviceURL, *serviceKey) }

func TestServiceValidate(t *testing.T) {
	a, err := service().Validate(t.Context(), order, Explain)
	if err != nil {
		t.Fatal(err)
	}
	if a.Meta.Venue != VenueSimulated || len(a.Stress) != 13 || a.MonteCarlo == nil || a.Explanation == nil ||
		math.Abs(a.Explanation.RawScore-a.RiskScore) > 1e-4 {
		t.Errorf("%+v", a)
	}
	short, err := service().ValidateCompact(t.Context(), order)
	if err != nil || !strings.Contains(short.Summary, " ") {
		t.Errorf("%+v %v", short, err)
	}
}

func TestServicePlan(t *testing.T) {
	plan := BatchRequest{Wallet: calm, Trades: []BatchTrade{{Asset: "BTC", Action: ActionLong, Size: 1000},
		{Asset: "btc", Action: ActionLong, Size: 1000}}}
	a, err := service().Plan(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	if r := a.Results; len(r) != 2 || r[0].Assessment == nil || r[0].Rejected != nil || r[1].Assessment != nil ||
		r[1].Rejected.Meta.Error != "invalid asset: btc" {
		t.Errorf("%+v", r)
	}
	short, err := service().PlanCompact(t.Context(), plan)
	if err != nil || short.Results[0].Assessment.Summary == "" || short.Results[1].Rejected == nil {
		t.Errorf("%+v %v", short, err)
	}
}

func TestServiceMonitorAndMarkets(t *testing.T) {
	report, err := service().Monitor(t.Context(), endangered)
	if err != nil || len(report.Positions) == 0 || report.Positions[0].Recommendation != RecommendationAbort {
		t.Errorf("%+v %v", report, err)
	}
	if short, err := service().MonitorCompact(t.Context(), calm); err != nil || short.Wallet != calm {
		t.Errorf("%+v %v", short, err)
	}
	if all, err := service().Markets(t.Context()); err != nil || len(all.Assets) == 0 {
		t.Errorf("%+v %v", all, err)
	}
	if one, err := service().Market(t.Context(), "BTC"); err != nil || *one.MarkPrice <= 0 {
		t.Errorf("%+v %v", one, err)
	}
}

func TestServiceErrors(t *testing.T) {
	bad := order
	bad.Asset = "btc"
	_, err := service().Validate(t.Context(), bad)
	if e := failure(t, err); e.Status != 400 || e.Code != "validation_error" || e.Field != "asset" || e.Got != "btc" ||
		!strings.Contains(fmt.Sprint(e.Suggestion), "BTC") || !strings.HasPrefix(e.RequestID, "cli_") {
		t.Errorf("%#v", e)
	}
	_, err = service().Validate(t.Context(), ValidationRequest{Asset: "BTC", Action: ActionLong})
	if e := failure(t, err); len(e.Problems) != 2 {
		t.Errorf("%#v", e)
	}
	_, err = New(*serviceURL, "blst_wrong").Markets(t.Context())
	if e := failure(t, err); e.Status != 401 || e.Code != "invalid API key" {
		t.Errorf("%#v", e)
	}
}

// A cut connection is reported as a Lost event, and the client reconnects.
func TestServiceAlerts(t *testing.T) {
	front := newFront(t, strings.TrimPrefix(*serviceURL, "http://"))
	everything := 101.0
	options := AlertOptions{Thresholds: &AlertConfigThresholds{MinLiquidationDistancePct: &everything},
		URLs: []string{"http://" + front.Addr().String()}}
	var lostCount, alertCount int
	watched := false
	timeout := time.AfterFunc(time.Minute, func() { panic("the alerts do not come") })
	defer timeout.Stop()
	for event, err := range service().Alerts(t.Context(), []string{endangered}, options) {
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case event.Watching != "":
			watched = true
			if _, err := service().Monitor(t.Context(), endangered); err != nil {
				t.Fatal(err)
			}
		case event.Lost != "":
			watched = false
			lostCount++
		case event.Alert.Wallet != endangered || !watched:
			t.Errorf("%+v, watched: %v", event.Alert, watched)
		case lostCount == 0:
			front.cut()
		default:
			alertCount++
		}
		if alertCount > 0 {
			break
		}
	}
	if lostCount == 0 {
		t.Error("the gap is not reported")
	}
}

func TestServiceAlertsRefused(t *testing.T) {
	tooHigh := int64(300)
	for _, row := range []struct {
		options AlertOptions
		status  int
		code    string
	}{
		{AlertOptions{Thresholds: &AlertConfigThresholds{MaxRiskScore: &tooHigh}}, 0, "invalid_config"},
		{AlertOptions{URLs: []string{*serviceURL + "/elsewhere"}}, 404, "refused"},
	} {
		for event, err := range service().Alerts(t.Context(), []string{endangered}, row.options) {
			if e := failure(t, err); e.Status != row.status || e.Code != row.code {
				t.Errorf("%+v %v", event, err)
			}
		}
	}
}

// front is a TCP proxy before the service whose connections can be cut.
type front struct {
	net.Listener
	mu    sync.Mutex
	conns []net.Conn
}

func newFront(t *testing.T, service string) *front {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f := &front{Listener: listener}
	t.Cleanup(func() {
		f.Close()
		f.cut()
	})
	go func() {
		for {
			client, err := f.Accept()
			if err != nil {
				return
			}
			behind, err := net.Dial("tcp", service)
			if err != nil {
				client.Close()
				continue
			}
			f.mu.Lock()
			f.conns = append(f.conns, client, behind)
			f.mu.Unlock()
			go io.Copy(client, behind)
			go io.Copy(behind, client)
		}
	}()
	return f
}

func (f *front) cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.conns {
		c.Close()
	}
	f.conns = nil
}
