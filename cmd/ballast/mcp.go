package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"ballast/server/mcp"
)

// Validate rejects flags that do not fit together.
func (c *mcpCmd) Validate() error {
	switch {
	case c.Server == "" && c.KeyFile != "":
		return errors.New("--key-file: without --server a simulated venue answers; name the running service, e.g. " +
			"--server http://127.0.0.1:8080")
	case c.Server != "" && c.KeyFile == "":
		return errors.New("--server: want --key-file, the file that holds the API key")
	case c.Server != "":
		return checkServer(c.Server)
	}
	return nil
}

// Run serves MCP on standard input and output until the input ends. Its tools ask the service at
// --server, or a service on a simulated venue that it starts itself.
func (c *mcpCmd) Run() error {
	cfg := mcp.Config{Version: version}
	base, key := strings.TrimRight(c.Server, "/"), ""
	if base == "" {
		fmt.Fprintln(os.Stderr,
			"ballast mcp: no --server: SIMULATED VENUE inside this process, nothing in its answers is real")
		stop, url, demoKey, err := startDemo()
		if err != nil {
			return err
		}
		defer stop()
		base, key = url, demoKey
	} else {
		var err error
		if key, err = readKey(c.KeyFile); err != nil {
			return err
		}
	}
	cfg.Ask = overHTTP(base, key)
	ctx, stop := untilInterrupted()
	defer stop()
	if err := mcp.New(cfg).Run(ctx, os.Stdin, os.Stdout); err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}

// overHTTP returns a function that sends requests to the service or venue at base.
func overHTTP(base, key string) mcp.Ask {
	client := http.Client{Timeout: 30 * time.Second}
	return func(ctx context.Context, _ http.Header, target string, body []byte) (mcp.Answer, error) {
		method := http.MethodGet
		if body != nil {
			method = http.MethodPost
		}
		req, err := http.NewRequestWithContext(ctx, method, base+target, bytes.NewReader(body))
		if err != nil {
			return mcp.Answer{}, err
		}
		if key != "" {
			req.Header.Set("Authorization", "Bearer "+key)
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := client.Do(req)
		if err != nil {
			return mcp.Answer{}, err
		}
		defer resp.Body.Close()
		answer, err := readAnswer(resp.Body)
		return mcp.Answer{Status: resp.StatusCode, RetryAfter: resp.Header.Get("Retry-After"),
			RequestID: resp.Header.Get("X-Request-Id"), Body: answer}, err
	}
}
