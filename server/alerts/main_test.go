package alerts

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if addr := os.Getenv(idleClients); addr != "" {
		os.Exit(beIdleClients(addr))
	}
	goleak.VerifyTestMain(m,
		// fasthttp keeps one goroutine for the Date header, and its pool of workers ends
		// its own a moment after the listener.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
	)
}
