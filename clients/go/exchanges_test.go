package ballast

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"reflect"
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
	JSON   map[string]any `json:"json"`
	Drop   string         `json:"drop"`
	Set    map[string]any `json:"set"`
	Pad    int            `json:"pad"`
	Cut    int            `json:"cut"`
	Drip   bool           `json:"drip"`
	Hang   bool           `json:"hang"`
	End    bool           `json:"end"`
}

type exchange struct {
	Name  string `json:"name"`
	Calls []struct {
		Change  bool           `json:"change"`
		Answers [][]part       `json:"answers"`
		Want    []string       `json:"want"`
		Error   map[string]any `json:"error"`
		Waits   float64        `json:"waits"`
	} `json:"calls"`
	Connections int     `json:"connections"`
	Timeout     float64 `json:"timeout"`
	Attempts    int     `json:"attempts"`
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
	if p.JSON != nil {
		text, _ = json.Marshal(p.JSON)
	}
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

// scriptedServer gives the answers of a case, one for each request.
type scriptedServer struct {
	answers            [][]part
	mu                 sync.Mutex
	connections, asked int
	id                 string // of the last request
}

// next returns the answer to the request with an id; the last one again and again.
func (s *scriptedServer) next(id string) []part {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	s.id = id
	return s.answers[min(s.asked, len(s.answers))-1]
}

func (s *scriptedServer) serve(listener net.Listener, assessment map[string]any) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.connections++
		s.mu.Unlock()
		go answerAll(conn, s.next, assessment)
	}
}

func (c exchange) run(t *testing.T, assessment map[string]any) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	var s scriptedServer
	for _, call := range c.Calls {
		s.answers = append(s.answers, call.Answers...)
	}
	go s.serve(listener, assessment)
	url := "http://" + listener.Addr().String()
	client := New(url, "")
	client.Timeout = cmp.Or(time.Duration(c.Timeout*float64(time.Second)), client.Timeout)
	client.Attempts = cmp.Or(c.Attempts, client.Attempts)
	for i, call := range c.Calls {
		start := time.Now()
		got, e := score(t, client, call.Change)
		ok := false
		for _, want := range call.Want {
			want = strings.ReplaceAll(want, "{url}", url)
			ok = ok || got == want || e != nil && strings.HasPrefix(got, want)
		}
		if took := time.Since(start).Seconds(); !ok || took > 10 || took < call.Waits {
			t.Errorf("call %d: %q after %v s, want one of %q", i, got, took, call.Want)
		}
		s.mu.Lock()
		if call.Error != nil && (e == nil || !reflect.DeepEqual(e.members(s.id), call.Error)) {
			t.Errorf("call %d: %+v, want %v", i, e, call.Error)
		}
		s.mu.Unlock()
		if e != nil && e.Status == 0 && e.Unwrap() == nil {
			t.Errorf("call %d: %v has no cause", i, e)
		}
		time.Sleep(10 * time.Millisecond) // so that what comes too many has come
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked != len(s.answers) || c.Connections > 0 && s.connections != c.Connections {
		t.Errorf("asked %d times, want %d, on %d connections", s.asked, len(s.answers), s.connections)
	}
}

// score asks, and returns the risk score or the error.
func score(t *testing.T, client *Client, change bool) (string, *Error) {
	a, err := new(Assessment), error(nil)
	if change {
		_, err = client.PutPolicy(t.Context(), "0x", PolicyRules{}, 7)
	} else {
		a, err = client.Validate(t.Context(), trade)
	}
	if err != nil {
		return err.Error(), failure(t, err)
	}
	return strconv.FormatFloat(a.RiskScore, 'g', -1, 64), nil
}

// members returns what an error has beside code and detail, by the names of the contract.
func (e *Error) members(id string) map[string]any {
	text, _ := json.Marshal(e)
	members := map[string]any{}
	json.Unmarshal(text, &members)
	delete(members, "error")
	delete(members, "detail")
	members["status"] = float64(e.Status)
	if e.RequestID == id {
		members["request_id"] = "own"
	}
	if e.RetryAfter != nil {
		members["retry_after"] = e.RetryAfter.Seconds()
	}
	return members
}

// answerAll answers the requests of a connection.
func answerAll(conn net.Conn, next func(id string) []part, assessment map[string]any) {
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
		id := request.Header.Get(requestID)
		for _, p := range next(id) {
			if p.End {
				return
			}
			text := p.bytes(id, assessment)
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
