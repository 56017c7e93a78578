// Package load sends validations, batches and monitor calls to a running service at a
// constant rate, and measures how long the answers take.
//
// Open loop: arrival i is due at start + i/rate, whatever the service does, and its latency
// counts from then. When the service stalls, the arrivals of that time wait for a connection
// and their wait is part of their latency, so that a stall of a second at 1,000 requests a
// second is a thousand slow requests and not one (coordinated omission). The closed loop
// (Config.Closed) sends the next request when the last is answered: it finds the capacity,
// and its latencies say nothing about a service whose clients do not wait for each other.
//
// One thread does all the work on non-blocking sockets, with requests that were written
// beforehand, so that the generator costs little of the machine it shares with the service:
// about two system calls a request. It needs Linux. Plain HTTP only, one request at a time on
// a connection, answers with a Content-Length.
//
// Times inside are nanoseconds since the start of the run, on the monotonic clock.
package load
