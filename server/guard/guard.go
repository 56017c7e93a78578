package guard

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Config says what a Guard does. Map and Ask are required.
type Config struct {
	Map    *Map
	Ask    Ask
	Wallet string // of calls that name none
	Block  Block  // BlockAbort
	// FailOpen passes calls on while the service cannot be asked; otherwise they are refused.
	FailOpen bool
	// PassUnknown passes calls of tools on that neither the map nor the server's own list says anything about.
	PassUnknown bool
	Timeout     time.Duration     // of a question to the service (20 s)
	Log         func(line string) // of each refusal; nil: nobody
}

const (
	// maxLine is the longest message of a client, bytes.
	maxLine = 4 << 20
	// maxWaiting is how many calls may wait for a verdict.
	maxWaiting = 64
	// settles is how long a trade counts as not yet in the account after its call was answered: longer than a wallet's
	// data count as fresh.
	settles = 5 * time.Second
	// forgotten is how long a call without an answer counts.
	forgotten = time.Minute
)

// Guard is one client's way to one server. Create it with New, and call Run once.
type Guard struct {
	cfg    Config
	assets map[int64]string // tickers by number; of the goroutine that judges

	toServer, toClient lineWriter
	queue              chan *job

	mu sync.Mutex // guards what follows
	// listing are the ids of requests for the list of tools that have no answer yet.
	listing map[string]bool
	// reads are the tools that the server's own list marks as read-only, false for those that it does not.
	reads   map[string]bool
	waiting map[string]*job // calls that wait for a verdict, by id
	passed  []*passedTrades
}

// job is a line with calls that wait for their verdict.
type job struct {
	line      []byte
	messages  []message
	batch     bool
	checks    []check
	cancelled bool // guarded by Guard.mu
}

// check is what must hold before a line is passed on.
type check struct {
	tool     string
	trades   []trade // of one wallet
	wallet   string
	leverage float64 // > 0: a new leverage, and no trades
}

// passedTrades are trades that were passed on and may not show in the account yet.
type passedTrades struct {
	wallet string
	trades []trade
	ids    map[string]bool // of the calls that are not answered yet
	until  time.Time
}

// New returns a guard.
func New(cfg Config) *Guard {
	cfg.Block = cmp.Or(cfg.Block, BlockAbort)
	cfg.Timeout = cmp.Or(cfg.Timeout, 20*time.Second)
	if cfg.Log == nil {
		cfg.Log = func(string) {}
	}
	return &Guard{cfg: cfg, assets: map[int64]string{}, queue: make(chan *job, maxWaiting),
		listing: map[string]bool{}, reads: map[string]bool{}, waiting: map[string]*job{}}
}

// Run passes lines on until the server's output ends. When the client's input ends, it closes the server's after the
// calls that wait have their verdict.
func (g *Guard) Run(ctx context.Context, in io.Reader, out io.Writer, serverIn io.WriteCloser,
	serverOut io.Reader) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	g.toServer.w, g.toClient.w = serverIn, out
	judged := make(chan struct{})
	go func() {
		defer close(judged)
		for j := range g.queue {
			g.decide(ctx, j)
		}
	}()
	go func() {
		readLines(in, g.fromClient)
		close(g.queue)
		<-judged
		serverIn.Close()
	}()
	return readLines(serverOut, g.fromServer)
}

// fromClient handles a line of the client.
func (g *Guard) fromClient(line []byte) error {
	if len(line) > maxLine {
		return g.fail(jsonrpc.CodeInvalidRequest, "a message of more than 4 MiB: it was not passed on; "+
			"send less at once")
	}
	if len(bytes.TrimSpace(line)) == 0 {
		return nil
	}
	messages, batch, err := readLine(line)
	if err != nil {
		return g.fail(jsonrpc.CodeParseError, err.Error())
	}
	j := &job{line: line, messages: messages, batch: batch}
	for i := range messages {
		if why := g.look(j, &messages[i]); why != "" {
			g.refuse(j, why)
			return nil
		}
	}
	if len(j.checks) == 0 {
		return g.pass(j)
	}
	g.mu.Lock()
	for i := range messages {
		if id := messages[i].id; id != nil {
			g.waiting[keyOf(id)] = j
		}
	}
	g.mu.Unlock()
	select {
	case g.queue <- j:
	default:
		g.forget(j)
		g.refuse(j, "too many calls wait for their verdict: wait for the answers")
	}
	return nil
}

// look notes what a message asks for. It returns why its line is refused at once, "" if it is not.
func (g *Guard) look(j *job, m *message) (why string) {
	switch m.method {
	case "tools/list":
		if m.id != nil {
			g.mu.Lock()
			g.listing[keyOf(m.id)] = true
			g.mu.Unlock()
		}
	case "notifications/cancelled":
		g.mu.Lock()
		if waiting := g.waiting[keyOf(m.params["requestId"])]; waiting != nil {
			waiting.cancelled = true
		}
		g.mu.Unlock()
	case "tools/call":
		c, err := readCall(m)
		if err == nil {
			why, err = g.lookAtCall(j, &c)
		}
		if err != nil {
			why = err.Error()
		}
		if why != "" {
			why = refusalOf(c.name, why)
		}
	}
	return why
}

// lookAtCall adds the checks that a call needs. It returns why the call is refused, "" if it is not.
func (g *Guard) lookAtCall(j *job, c *call) (why string, err error) {
	t := g.cfg.Map.Tools[c.name]
	if t == nil {
		return g.unknown(c.name), nil
	}
	switch t.Does {
	case Refused:
		return t.Why, nil
	case Margin:
		if adds, err := boolean(c.arguments, t.Adds, t.AddsByDefault); err != nil || !adds {
			return "taking margin out is not judged here: a person may do it at the venue, or through the gate", err
		}
	case Leverage:
		check := check{tool: c.name}
		if check.wallet, err = t.walletOf(c.arguments, g.cfg.Wallet); err != nil {
			return "", err
		}
		text, err := number(c.arguments, t.Leverage)
		if err != nil || json.Unmarshal([]byte(text), &check.leverage) != nil || check.leverage <= 0 {
			return "argument " + t.Leverage + " must be a leverage, such as 5", err
		}
		j.checks = append(j.checks, check)
	case Opens:
		trades, err := t.trades(c.arguments, g.cfg.Wallet)
		if err != nil {
			return "", err
		}
		for _, opened := range trades {
			j.add(c.name, opened)
		}
	}
	return "", nil
}

// add adds a trade to the checks, with the others of its wallet.
func (j *job) add(tool string, opened trade) {
	for i := range j.checks {
		if c := &j.checks[i]; c.leverage == 0 && c.wallet == opened.wallet {
			c.trades = append(c.trades, opened)
			return
		}
	}
	j.checks = append(j.checks, check{tool: tool, wallet: opened.wallet, trades: []trade{opened}})
}

// unknown returns why a call of a tool that the map does not name is refused, "" if it is not.
func (g *Guard) unknown(name string) string {
	g.mu.Lock()
	reads, listed := g.reads[name]
	g.mu.Unlock()
	if reads || g.cfg.PassUnknown {
		return ""
	}
	because := "the server does not mark it as read-only"
	if !listed {
		because = "no list of the server's tools has named it yet"
	}
	return "the map of tools does not say what it does, and " + because + ": it could open a position. Whoever runs " +
		"the guard adds it to the map, as {does: reads} if it trades nothing, or starts it with --unknown pass"
}

// refusalOf is the text of a refused call.
func refusalOf(tool, why string) string {
	return "Ballast refused " + tool + ", nothing was sent: " + why
}

// decide judges a line and passes it on or refuses it.
func (g *Guard) decide(ctx context.Context, j *job) {
	defer g.forget(j)
	for i := range j.checks {
		c := &j.checks[i]
		var why string
		var err error
		if c.leverage > 0 {
			why, err = g.judgeLeverage(ctx, c.wallet, c.leverage)
		} else {
			why, err = g.judge(ctx, c.wallet, g.unsettled(c.wallet), c.trades)
		}
		var later unjudged
		switch {
		case err == nil:
		case errors.As(err, &later) && g.cfg.FailOpen:
			g.cfg.Log("passed " + c.tool + " without a verdict: " + err.Error())
		case errors.As(err, &later):
			why = "it could not be judged: " + strings.TrimRight(err.Error(), ".") +
				". Try again in some seconds; closing and reducing pass"
		default:
			why = "it could not be judged: " + err.Error()
		}
		if why != "" {
			g.refuse(j, refusalOf(c.tool, why))
			return
		}
	}
	g.pass(j)
}

// pass passes a line on, unless the client has cancelled it.
func (g *Guard) pass(j *job) error {
	g.toServer.mu.Lock() // so that a cancellation that comes later is passed on later
	defer g.toServer.mu.Unlock()
	if !g.count(j) {
		return nil
	}
	_, err := g.toServer.w.Write(j.line)
	return err
}

// count counts the trades of a line that is passed on. It reports false if the client has cancelled the line.
func (g *Guard) count(j *job) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if j.cancelled {
		return false
	}
	for i := range j.checks {
		if c := &j.checks[i]; len(c.trades) > 0 {
			p := &passedTrades{wallet: c.wallet, trades: c.trades, ids: map[string]bool{},
				until: time.Now().Add(forgotten)}
			for k := range j.messages {
				if id := j.messages[k].id; id != nil {
					p.ids[keyOf(id)] = true
				}
			}
			g.passed = append(g.passed, p)
		}
	}
	return true
}

// unsettled returns the trades of a wallet that may not show in the account yet.
func (g *Guard) unsettled(wallet string) (trades []trade) {
	g.mu.Lock()
	defer g.mu.Unlock()
	now, kept := time.Now(), g.passed[:0]
	for _, p := range g.passed {
		if now.Before(p.until) {
			kept = append(kept, p)
			if p.wallet == wallet {
				trades = append(trades, p.trades...)
			}
		}
	}
	g.passed = kept
	return trades
}

// forget ends the wait of a line.
func (g *Guard) forget(j *job) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := range j.messages {
		if id := keyOf(j.messages[i].id); g.waiting[id] == j {
			delete(g.waiting, id)
		}
	}
}

// refuse answers the requests of a line that is not passed on. What the client has cancelled gets no answer.
func (g *Guard) refuse(j *job, why string) {
	g.cfg.Log(why)
	g.mu.Lock()
	cancelled := j.cancelled
	g.mu.Unlock()
	var answers []answer
	for i := range j.messages {
		if m := &j.messages[i]; m.id != nil && m.method != "" && !cancelled {
			answers = append(answers, m.refusal(why))
		}
	}
	if len(answers) == 0 {
		return
	}
	if j.batch {
		g.reply(answers)
	} else {
		g.reply(answers[0])
	}
}

// fail answers a message whose id cannot be read.
func (g *Guard) fail(code int64, text string) error {
	g.cfg.Log("not passed on: " + text)
	return g.reply(answer{Version: "2.0", ID: json.RawMessage("null"),
		Error: &jsonrpc.Error{Code: code, Message: "Ballast: " + text}})
}

// reply writes an answer of the guard's own.
func (g *Guard) reply(a any) error {
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return g.toClient.line(append(text, '\n'))
}

// fromServer handles a line of the server: it passes as it is.
func (g *Guard) fromServer(line []byte) error {
	g.noteAnswers(line)
	return g.toClient.line(line)
}

// noteAnswers notes the answers that a line of the server has for requests that wait for one.
func (g *Guard) noteAnswers(line []byte) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.listing) == 0 && len(g.passed) == 0 {
		return
	}
	type response struct {
		ID     json.RawMessage
		Result json.RawMessage
	}
	responses := make([]response, 1)
	if line = bytes.TrimSpace(line); len(line) > 0 && line[0] == '[' {
		json.Unmarshal(line, &responses)
	} else {
		json.Unmarshal(line, &responses[0])
	}
	for _, r := range responses {
		id := keyOf(r.ID)
		for _, p := range g.passed {
			if p.ids[id] {
				p.until = time.Now().Add(settles)
			}
		}
		if g.listing[id] {
			delete(g.listing, id)
			g.noteTools(r.Result)
		}
	}
}

// noteTools notes which tools of a list are marked as read-only.
func (g *Guard) noteTools(result json.RawMessage) {
	var list struct {
		Tools []struct {
			Name        string
			Annotations struct{ ReadOnlyHint bool }
		}
	}
	json.Unmarshal(result, &list)
	for _, t := range list.Tools {
		g.reads[t.Name] = t.Annotations.ReadOnlyHint
	}
}
