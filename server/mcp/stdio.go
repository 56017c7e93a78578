package mcp

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"sync"

	"ballast/server/api"
)

const (
	maxLine   = 1 << 20 // of a message
	maxAtOnce = 32      // messages being answered
)

// Run answers messages over standard input and output, one a line, until the input ends or ctx does. A line that
// is no message gets an error and ends nothing.
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var one sync.Mutex
	write := func(r Reply) {
		one.Lock()
		defer one.Unlock()
		if r.Body != nil && !r.unasked {
			if _, err := out.Write(append(r.Body, '\n')); err != nil {
				stop(err)
			}
		}
	}
	lines := make(chan []byte)
	ended := make(chan error, 1)
	go func() { ended <- scan(ctx, in, lines) }()
	version := "" // of the protocol, once initialize has agreed on it
	var answering sync.WaitGroup
	room := make(chan struct{}, maxAtOnce)
	for {
		select {
		case line := <-lines:
			messages, batch := Read(line, version)
			if !batch && messages[0].method == "initialize" { // decides how later lines are read
				r := s.answerAll(ctx, version, messages, false)
				version = cmp.Or(agreed(r), version)
				write(r)
				continue
			}
			room <- struct{}{}
			answering.Go(func() {
				write(s.answerAll(ctx, version, messages, batch))
				<-room
			})
		case err := <-ended:
			answering.Wait()
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// agreed returns the version in an answer to initialize, "" for an error.
func agreed(r Reply) string {
	var answer struct {
		Result struct{ ProtocolVersion string }
	}
	json.Unmarshal(r.Body, &answer)
	return answer.Result.ProtocolVersion
}

// scan sends the lines of in that are not empty.
func scan(ctx context.Context, in io.Reader, lines chan<- []byte) error {
	r := bufio.NewReaderSize(in, maxLine)
	for {
		line, err := r.ReadSlice('\n')
		for errors.Is(err, bufio.ErrBufferFull) { // too long: its beginning alone is no JSON
			_, err = r.ReadSlice('\n')
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			select {
			case lines <- bytes.Clone(line):
			case <-ctx.Done():
				return nil
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
	}
}

// answerAll returns the answer to the messages of a line.
func (s *Server) answerAll(ctx context.Context, version string, messages []Message, batch bool) Reply {
	var replies []Reply
	for _, m := range messages {
		header := m.header(version)
		m.version = header.Get("Mcp-Protocol-Version")
		r, ok := s.Answer(ctx, header, m)
		if !ok {
			r = m.Refuse(&Answer{Status: http.StatusInternalServerError,
				Body: api.AppendError(nil, api.CodeInternal, "an error of this program")})
		}
		replies = append(replies, r)
	}
	if batch {
		return Join(replies)
	}
	return replies[0]
}

// header returns the headers with which the message would come over HTTP.
func (m *Message) header(version string) http.Header {
	var params struct {
		Name string
		URI  string
		Meta struct {
			Version string `json:"io.modelcontextprotocol/protocolVersion"`
		} `json:"_meta"`
	}
	json.Unmarshal(m.params, &params) // what does not fit is refused later
	if params.Meta.Version != "" {
		version = params.Meta.Version
	}
	header := http.Header{}
	if version == "" {
		return header
	}
	header.Set("Mcp-Protocol-Version", version)
	header.Set("Mcp-Method", m.method)
	header.Set("Mcp-Name", params.Name+params.URI)
	return header
}
