package main

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

const (
	alertRules     = "../../deploy/prometheus/alerts.yml"
	dashboards     = "../../deploy/grafana/dashboards/*.json"
	operationsPage = "../../docs/operations.md"
)

// metricsPage holds a parsed page of metrics: for each family the values of each label.
type metricsPage map[string]map[string][]string

// readMetrics parses a page of metrics and checks it against the Prometheus conventions.
func readMetrics(t *testing.T, text []byte) metricsPage {
	t.Helper()
	problems, err := promlint.New(bytes.NewReader(text)).Lint()
	if err != nil || len(problems) > 0 {
		t.Errorf("lint: %v %v", problems, err)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	page := metricsPage{}
	for name, family := range families {
		labels := map[string][]string{"instance": nil, "job": nil} // labels that Prometheus adds
		if family.Type.String() == "HISTOGRAM" {
			labels["le"] = nil
			for _, suffix := range []string{"_bucket", "_sum", "_count"} {
				page[name+suffix] = labels
			}
		}
		for _, metric := range family.Metric {
			for _, pair := range metric.Label {
				labels[pair.GetName()] = append(labels[pair.GetName()], pair.GetValue())
			}
		}
		page[name] = labels
		for _, need := range []string{"# HELP " + name + " ", "# TYPE " + name + " "} {
			if n := bytes.Count(text, []byte("\n"+need)) + bytes.Count(text[:len(need)], []byte(need)); n != 1 {
				t.Errorf("%d times %s", n, need)
			}
		}
	}
	page["up"] = map[string][]string{"job": nil, "instance": nil} // a metric that Prometheus adds
	return page
}

var (
	metricName = regexp.MustCompile(`\b(?:ballast|process|go)_[a-z0-9_]+|\bup\b`)
	selector   = regexp.MustCompile(`([a-z0-9_]+)\{([^{}]*)\}`)
	matcher    = regexp.MustCompile(`([a-z]+)(=|!=|=~|!~)"([^"]*)"`)
	grouping   = regexp.MustCompile(`\bby \(([^)]*)\)`)
	legend     = regexp.MustCompile(`\{\{(\w+)\}\}`)
)

// explain returns an error for every name in a PromQL expression that is not on the page.
func (page metricsPage) explain(expr string) (wrong []string) {
	known := map[string]bool{}
	// A label may begin like a metric's name: labels are checked below.
	for _, name := range metricName.FindAllString(
		grouping.ReplaceAllString(regexp.MustCompile(`\{[^{}]*\}`).ReplaceAllString(expr, ""), ""), -1) {
		labels, ok := page[name]
		if !ok {
			wrong = append(wrong, "no metric "+name)
		}
		for label := range labels {
			known[label] = true
		}
	}
	for _, s := range selector.FindAllStringSubmatch(expr, -1) {
		for _, m := range matcher.FindAllStringSubmatch(s[2], -1) {
			values, ok := page[s[1]][m[1]]
			if !ok {
				wrong = append(wrong, s[1]+" has no label "+m[1])
			}
			if values == nil {
				continue // a label that Prometheus adds
			}
			for _, want := range strings.Split(m[3], "|") {
				if !slices.ContainsFunc(values, regexp.MustCompile("^(?:"+want+")$").MatchString) {
					wrong = append(wrong, fmt.Sprintf("no %s with %s=%q", s[1], m[1], want))
				}
			}
		}
	}
	for _, g := range grouping.FindAllStringSubmatch(expr, -1) {
		for _, label := range strings.Split(g[1], ", ") {
			if !known[label] {
				wrong = append(wrong, "nothing has the label "+label+" to group by")
			}
		}
	}
	return wrong
}

// TestE2EWhatAnOperatorSees: the metrics page of a replica with all shared features enabled keeps
// the Prometheus conventions. Every metric and label that the alert rules, the dashboards, docs/operations.md
// and docs/replicas.md use is on that page, and every alert has a section in docs/operations.md.
func TestE2EWhatAnOperatorSees(t *testing.T) {
	text := livePage(t)
	if !bytes.Contains(text, []byte(`ballast_build_info{version="`+version+`",commit="`+commit+`",`)) {
		t.Errorf("no build:\n%.400s", text)
	}
	page := readMetrics(t, text)

	rules := contents(t, alertRules)
	operations := contents(t, operationsPage)
	alerts := regexp.MustCompile(
		`(?s)- alert: (\w+)\n\s+expr: >-\n(.*?)\n {8}(?:for|labels):(.*?)runbook_url: "(.*?)"\n`).FindAllStringSubmatch(
		rules, -1)
	if len(alerts) < 10 || len(alerts) != strings.Count(rules, "- alert:") {
		t.Fatalf("%d alerts are understood", len(alerts))
	}
	for _, a := range alerts {
		name, expr, runbook := a[1], a[2], a[4]
		if runbook != "{{ $externalLabels.runbooks }}#"+strings.ToLower(name) || !strings.Contains(operations,
			"\n### "+name+"\n") {
			t.Errorf("%s: no section at %s", name, runbook)
		}
		for _, wrong := range page.explain(expr) {
			t.Errorf("%s: %s", name, wrong)
		}
	}
	for _, name := range metricName.FindAllString(operations, -1) {
		if strings.HasPrefix(name, "ballast_") && page[name] == nil {
			t.Errorf("%s: no metric %s", operationsPage, name)
		}
	}
	replicas := contents(t, "../../docs/replicas.md")
	for _, name := range regexp.MustCompile("`(ballast_[a-z_]+)`").FindAllStringSubmatch(replicas, -1) {
		if page[name[1]] == nil {
			t.Errorf("docs/replicas.md: no metric %s", name[1])
		}
	}
	for _, heading := range regexp.MustCompile(`(?m)^### (Ballast\w+)$`).FindAllStringSubmatch(operations, -1) {
		if !strings.Contains(rules, "- alert: "+heading[1]+"\n") {
			t.Errorf("%s: there is no alert %s", operationsPage, heading[1])
		}
	}
	files, err := filepath.Glob(dashboards)
	if err != nil || len(files) == 0 {
		t.Fatal("no dashboards", err)
	}
	for _, file := range files {
		holdDashboard(t, file, page)
	}
}

// holdDashboard checks a dashboard's queries against the page of metrics.
func holdDashboard(t *testing.T, file string, page metricsPage) {
	t.Helper()
	text := contents(t, file)
	var d struct {
		Panels []struct {
			ID      int
			Title   string
			Type    string
			Targets []struct{ Expr, LegendFormat string }
		}
		Templating struct {
			List []struct{ Name, Definition string }
		}
	}
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		t.Fatal(err)
	}
	queries, ids := 0, map[int]bool{}
	for _, p := range d.Panels {
		if ids[p.ID] {
			t.Errorf("two panels are number %d", p.ID)
		}
		ids[p.ID] = true
		for _, target := range p.Targets {
			queries++
			for _, wrong := range page.explain(target.Expr) {
				t.Errorf("%s: %s", p.Title, wrong)
			}
			for _, l := range legend.FindAllStringSubmatch(target.LegendFormat, -1) {
				by := grouping.FindStringSubmatch(target.Expr)
				if by == nil && l[1] != "instance" || by != nil && !slices.Contains(strings.Split(by[1], ", "), l[1]) {
					t.Errorf("%s: the legend names %s, which %s does not give", p.Title, l[1], target.Expr)
				}
			}
		}
	}
	for _, v := range d.Templating.List {
		m := regexp.MustCompile(`^label_values\((\w+), (\w+)\)$`).FindStringSubmatch(v.Definition)
		if v.Definition != "" && (m == nil || page[m[1]] == nil) {
			t.Errorf("variable %s: %s", v.Name, v.Definition)
		}
	}
	if queries < 30 {
		t.Errorf("%s: %d queries are understood", file, queries)
	}
}

// livePage runs a service with every feature that has metrics enabled, sends some requests, and
// returns the page of metrics.
func livePage(t *testing.T) []byte {
	t.Helper()
	dir := t.TempDir()
	natsURL := startNATS(t).url()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	writeCertificate(t, certFile, keyFile, 1, time.Now().Add(24*time.Hour))
	key := issue(t, "a@example.com", "--nats-url", natsURL)
	s := &remote{key: key.Key, process: start(t, "ballast", "serve", "--listen", "127.0.0.1:0", "--venue",
		startVenue(t, "--assets", "12"), "--venue-budget", "0", "--feed", "shared", "--data-dir",
		filepath.Join(dir, "data"), "--nats-url", natsURL, "--tls-cert", certFile, "--tls-key", keyFile,
		"--access-log", "1")}
	s.url = s.find(t, `serving url=(https://\S+)`)[1]
	s.drain()

	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	defer client.CloseIdleConnections()
	ask := func(method, path, body string) (int, []byte) {
		t.Helper()
		resp, err := client.Do(s.request(method, path, body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, text
	}
	ask("GET", "/health", "")
	if status, _ := ask("POST", "/v1/validate", trade("BTC", "long", 1000, crossWallet)); status != 503 &&
		status != 200 {
		t.Errorf("before it is ready: %d", status)
	}
	eventually(t, "ready", 60*time.Second, func() bool {
		status, _ := ask("GET", "/readyz", "")
		return status == 200
	})
	if status, text := ask("POST", "/v1/validate", trade("BTC", "long", 1000, crossWallet)); status != 200 {
		t.Errorf("%d %s", status, text)
	}
	ask("GET", "/v1/monitor/"+crossWallet, "")
	status, text := ask("GET", "/metrics", "")
	if status != 200 {
		t.Fatalf("%d %s", status, text)
	}

	time.Sleep(4 * readinessPoll)
	checkLog(t, s.end(t), key)
	return text
}

// checkLog: the log has one line when the service becomes ready and one for each request, and no key or
// wallet.
func checkLog(t *testing.T, log string, key issued) {
	t.Helper()
	for _, want := range []string{"msg=ready url=https://", "keys=1", "msg=request ", "endpoint=validate status=200",
		"endpoint=monitor", "key=" + key.ID} {
		if !strings.Contains(log, want) {
			t.Errorf("the log has no %s:\n%s", want, log)
		}
	}
	for _, secret := range []string{key.Key, crossWallet, crossWallet[2:]} {
		if strings.Contains(log, secret) {
			t.Errorf("the log has %s", secret)
		}
	}
}

// TestExplain: every wrong name in an expression is found.
func TestExplain(t *testing.T) {
	page := readMetrics(t, []byte(`# HELP ballast_calls_total Of calls.
# TYPE ballast_calls_total counter
ballast_calls_total{code="x"} 1
ballast_calls_total{code="y"} 1
# HELP ballast_wait_seconds Of waiting.
# TYPE ballast_wait_seconds histogram
ballast_wait_seconds_bucket{kind="z",le="1"} 1
ballast_wait_seconds_bucket{kind="z",le="+Inf"} 1
ballast_wait_seconds_sum{kind="z"} 1
ballast_wait_seconds_count{kind="z"} 1
`))
	for expr, want := range map[string]string{
		`sum by (instance, code) (rate(ballast_calls_total{code=~"x|y",instance="i"}[5m])) > 0 and up == 1`:   "",
		`histogram_quantile(0.9, sum by (le, kind) (rate(ballast_wait_seconds_bucket{kind="z",le="1"}[5m])))`: "",
		`rate(ballast_calls[5m])`:                   "no metric ballast_calls",
		`rate(ballast_wait_seconds_max[5m])`:        "no metric ballast_wait_seconds_max",
		`ballast_calls_total{status="x"}`:           "ballast_calls_total has no label status",
		`ballast_calls_total{code=~"x|w"}`:          `no ballast_calls_total with code="w"`,
		`ballast_calls_total{code="x.*y"}`:          `no ballast_calls_total with code="x.*y"`,
		`sum by (kind) (ballast_calls_total)`:       "nothing has the label kind to group by",
		`sum by (le) (ballast_wait_seconds_bucket)`: "",
	} {
		if got := strings.Join(page.explain(expr), "; "); got != want {
			t.Errorf("%s: %q, want %q", expr, got, want)
		}
	}
}

// TestLogLinesOfOperations: every log line that docs/operations.md explains exists in the code.
func TestLogLinesOfOperations(t *testing.T) {
	page := contents(t, operationsPage)
	_, section, _ := strings.Cut(page, "\n## What the log says\n")
	section, _, _ = strings.Cut(section, "\n## ")
	var source strings.Builder
	for _, dir := range []string{".", "../../server", "../../marketcache"} {
		err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
				var text []byte
				text, err = os.ReadFile(path)
				source.Write(text)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	lines := 0
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*) \\|").FindAllStringSubmatch(section, -1) {
		for _, line := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			lines++
			if !strings.Contains(source.String(), `"`+line[1]) {
				t.Errorf("nothing logs %q", line[1])
			}
		}
	}
	if lines < 15 {
		t.Errorf("%d lines are understood", lines)
	}
}
