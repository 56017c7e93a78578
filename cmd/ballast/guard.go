package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"ballast/server/guard"
)

type guardCmd struct {
	Command []string `arg:"" placeholder:"COMMAND" help:"${help_guard_command}"`

	Map     string        `required:"" placeholder:"FILE" help:"${help_guard_map}"`
	Server  string        `required:"" help:"Base URL of the running service that judges."`
	KeyFile string        `required:"" placeholder:"FILE" help:"${help_key_file}"`
	Wallet  string        `default:"" help:"Address of the account that the server trades for."`
	Block   string        `default:"abort" enum:"abort,caution,policy" help:"${help_guard_block}"`
	Fail    string        `default:"closed" enum:"closed,open" help:"${help_guard_fail}"`
	Unknown string        `default:"refuse" enum:"refuse,pass" help:"${help_guard_unknown}"`
	Timeout time.Duration `default:"20s" help:"Longest time that a verdict may take."`
}

// Validate rejects flags that cannot be used.
func (c *guardCmd) Validate() error {
	_, badWallet := parseWallet(c.Wallet)
	problems := []error{checkServer(c.Server), badWallet}
	if c.Timeout <= 0 {
		problems = append(problems, fmt.Errorf("--timeout %v: want more than 0", c.Timeout))
	}
	return errors.Join(problems...)
}

// readMap reads the map of tools: a file, or one of the program's own by its name.
func (c *guardCmd) readMap() (*guard.Map, error) {
	text := guard.EmbeddedMap(c.Map)
	if text == nil {
		var err error
		if text, err = readFile(c.Map); err != nil {
			return nil, fmt.Errorf("--map: %w; maps of the program itself: %s", err,
				strings.Join(guard.Embedded(), ", "))
		}
	}
	m, err := guard.ParseMap(text)
	if err != nil {
		return nil, fmt.Errorf("--map %s: %w", c.Map, err)
	}
	if m.NeedsWallet() && c.Wallet == "" {
		return nil, errors.New("--wallet: the tools name no account; give the address that the server trades for")
	}
	return m, nil
}

// Run starts the server and passes lines on until it ends. It ends with the server's exit status.
func (c *guardCmd) Run() error {
	m, err := c.readMap()
	if err != nil {
		return err
	}
	key, err := readKey(c.KeyFile)
	if err != nil {
		return err
	}
	ask := overHTTP(strings.TrimRight(c.Server, "/"), key)
	g := guard.New(guard.Config{
		Map: m, Wallet: strings.ToLower(c.Wallet), Block: guard.Block(c.Block), FailOpen: c.Fail == "open",
		PassUnknown: c.Unknown == "pass", Timeout: c.Timeout,
		Ask: func(ctx context.Context, target string, body []byte) (int, []byte, error) {
			a, err := ask(ctx, http.Header{}, target, body)
			return a.Status, a.Body, err
		},
		Log: func(line string) { fmt.Fprintf(os.Stderr, "ballast guard: %s\n", strings.ReplaceAll(line, "\n", " ")) },
	})
	child := exec.Command(c.Command[0], c.Command[1:]...)
	child.Stderr = os.Stderr
	in, err := child.StdinPipe()
	if err != nil {
		return err
	}
	out, err := child.StdoutPipe()
	if err != nil {
		return err
	}
	if err := child.Start(); err != nil {
		return fmt.Errorf("the server does not start: %w", err)
	}
	defer passSignals(child.Process)()
	bad := g.Run(context.Background(), os.Stdin, os.Stdout, &lastInput{in, child.Process}, out)
	if err := child.Wait(); err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			return exitStatus(statusOf(exit))
		}
		return err
	}
	return bad
}

// statusOf is the exit status of a program, as a shell has it for one that a signal has ended.
func statusOf(exit *exec.ExitError) int {
	if status, is := exit.Sys().(syscall.WaitStatus); is && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return exit.ExitCode()
}

// passSignals passes the signals that end a program on to another one, until stop is called.
func passSignals(to *os.Process) (stop func()) {
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		for s := range signals {
			if to.Signal(s) != nil {
				to.Kill()
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(signals)
	}
}

// patience is how long a server may go on after its input has ended, and then after SIGTERM.
const patience = 10 * time.Second

// lastInput is the input of a server, which must end soon after it.
type lastInput struct {
	io.WriteCloser
	server *os.Process
}

// Close ends the input.
func (l *lastInput) Close() error {
	time.AfterFunc(patience, func() { l.server.Signal(syscall.SIGTERM) })
	time.AfterFunc(2*patience, func() { l.server.Kill() })
	return l.WriteCloser.Close()
}
