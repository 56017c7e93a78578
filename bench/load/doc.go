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
// One thread does all the work on non-blocking sockets with prepared requests, so that the
// generator uses little of the machine that it shares with the service: about two system calls per
// request. It needs Linux. It sends plain HTTP, one request at a time per connection, and expects
// answers with a Content-Length.
//
// Times inside are nanoseconds since the start of the run, on the monotonic clock.
package load
