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
		// fasthttp keeps one goroutine that updates the Date header. The goroutines of its worker
		// pool end a moment after the listener is closed.
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.updateServerDate.func1"),
		goleak.IgnoreAnyFunction("github.com/valyala/fasthttp.(*workerPool).Start.func2"),
	)
}
