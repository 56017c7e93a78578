// Package load sends validations, batches and monitor calls to a running service at a constant
// rate, and measures the latency of the answers.
//
// Open loop (default): arrival i is due at start + i/rate, regardless of the service, and its
// latency counts from that time. While the service stalls, arrivals wait for a connection, and this
// wait is part of their latency: a stall of one second at 1,000 requests per second gives a
// thousand slow requests, not one (the error known as coordinated omission). Closed loop
// (Config.Closed): each connection sends its next request when the previous one is answered. The
// closed loop measures the capacity; its latencies do not describe a service with independent
// clients.
//
// Each connection has a goroutine, and sends one prepared request at a time; fasthttp reads the
// answers. In the open loop the connections take the arrivals in turn: one sleeps until the next
// arrival is due, on a timer of the kernel, because the runtime's own timers are up to a millisecond
// late. It needs Linux, and sends plain HTTP.
//
// Times inside are nanoseconds since the start of the run, on the monotonic clock.
package load
