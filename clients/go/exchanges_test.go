package ballast

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// part is a piece of a scripted answer: clients/testdata/exchanges.json.
type part struct {
	Raw    *string        `json:"raw"`
	ID     string         `json:"id"`
	Status int            `json:"status"`
	Header string         `json:"header"`
	Body   *string        `json:"body"`
	Drop   string         `json:"drop"`
	Set    map[string]any `json:"set"`
	Pad    int            `json:"pad"`
	Cut    int            `json:"cut"`
	Drip   bool           `json:"drip"`
	Hang   bool           `json:"hang"`
}

type exchange struct {
	Name  string `json:"name"`
	Calls []struct {
		Parts []part   `json:"parts"`
		Want  []string `json:"want"`
	} `json:"calls"`
	Connections int     `json:"connections"`
	Timeout     float64 `json:"timeout"`
}

func load(t *testing.T, name string, into any) {
	text, err := os.ReadFile("../testdata/" + name)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// bytes returns a part as it is sent to the request with an id.
func (p part) bytes(id string, assessment map[string]any) string {
	if p.Raw != nil {
		return *p.Raw
	}
	assessment = maps.Clone(assessment)
	if p.ID == "other" {
		assessment["risk_score"] = 1
	}
	delete(assessment, p.Drop)
	maps.Copy(assessment, p.Set)
	text, _ := json.Marshal(assessment)
	if p.Body != nil {
		text = []byte(*p.Body)
	}
	body := strings.Repeat(" ", p.Pad) + string(text)
	head := fmt.Sprintf("HTTP/1.1 %d OK\r\nContent-Length: %d\r\n%s", cmp.Or(p.Status, 200), len(body), p.Header)
	ids := map[string][]string{"": {id}, "other": {"cli_other"}, "none": nil, "twice": {id, id}}[p.ID]
	for _, id := range ids {
		head += "X-Request-Id: " + id + "\r\n"
	}
	return head + "\r\n" + body
}

// TestExchanges: what a server may do to every client.
func TestExchanges(t *testing.T) {
	var script struct{ Cases []exchange }
	load(t, "exchanges.json", &script)
	var samples map[string]map[string]any
	load(t, "answers.json", &samples)
	for _, c := range script.Cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			c.run(t, samples["Assessment"])
		})
	}
}

func (c exchange) run(t *testing.T, assessment map[string]any) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	var mu sync.Mutex
	connections, asked := 0, 0
	next := func() []part {
		mu.Lock()
		defer mu.Unlock()
		asked++
		return c.Calls[min(asked, len(c.Calls))-1].Parts
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			connections++
			mu.Unlock()
			go answerAll(conn, next, assessment)
		}
	}()
	url := "http://" + listener.Addr().String()
	client := New(url, "")
	if c.Timeout > 0 {
		client.Timeout = time.Duration(c.Timeout * float64(time.Second))
	}
	for i, call := range c.Calls {
		start := time.Now()
		a, err := client.Validate(t.Context(), trade)
		got := ""
		var e *Error
		if errors.As(err, &e) {
			got = e.Error()
		} else if err == nil {
			got = strconv.FormatFloat(a.RiskScore, 'g', -1, 64)
		}
		ok := false
		for _, want := range call.Want {
			want = strings.ReplaceAll(want, "{url}", url)
			ok = ok || got == want || e != nil && strings.HasPrefix(got, want)
		}
		if !ok || time.Since(start) > 10*time.Second {
			t.Errorf("call %d: %q (%v) after %v, want one of %q", i, got, err, time.Since(start), call.Want)
		}
		time.Sleep(10 * time.Millisecond) // so that what comes too many has come
	}
	mu.Lock()
	defer mu.Unlock()
	if asked != len(c.Calls) || c.Connections > 0 && connections != c.Connections {
		t.Errorf("asked %d times for %d calls, on %d connections", asked, len(c.Calls), connections)
	}
}

// answerAll answers the requests of a connection.
func answerAll(conn net.Conn, next func() []part, assessment map[string]any) {
	defer conn.Close()
	reader := bufio.NewReader(conn)
	for {
		request, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		if _, err := reader.Discard(int(request.ContentLength)); err != nil {
			return
		}
		for _, p := range next() {
			text := p.bytes(request.Header.Get("X-Request-Id"), assessment)
			if p.Cut > 0 {
				text = text[:p.Cut]
			}
			if !p.Drip {
				fmt.Fprint(conn, text)
			}
			for i := 0; i < len(text) && p.Drip; i++ {
				if _, err := conn.Write([]byte{text[i]}); err != nil {
					return
				}
				time.Sleep(50 * time.Millisecond)
			}
			if p.Hang {
				conn.Read(make([]byte, 1)) // until the client closes it
			}
			if p.Cut > 0 || p.Hang {
				return
			}
		}
	}
}
