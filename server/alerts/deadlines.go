package alerts

import (
	"os"
	"time"

	"github.com/fasthttp/websocket"
)

const (
	pingInterval = 15 * time.Second
	// Sockets that connect at the same time get their first pings spread over pingSpread.
	firstPing  = 5 * time.Second
	pingSpread = 9 * time.Second
	// missedPings is the number of pings without a pong after which a socket is dropped when the
	// next ping is due: 30 s after the first unanswered ping.
	missedPings = 2
	configWait  = 30 * time.Second // for the first valid configuration
	writeWait   = 5 * time.Second  // for a client to accept written bytes
	closeWait   = 2 * time.Second  // for a client to answer a close frame
)

// setReadDeadline sets the read deadline to the next time at which expired has something to do.
func (s *socket) setReadDeadline() {
	for {
		lingers := s.lingers.Load()
		at := s.pingAt
		if s.configBy != 0 {
			at = min(at, s.configBy)
		}
		if lingers != 0 {
			at = min(at, lingers+int64(closeWait))
		}
		_ = s.conn.SetReadDeadline(s.hub.started.Add(time.Duration(at)))
		if s.lingers.Load() == lingers { // otherwise a writer has set an earlier deadline meanwhile
			return
		}
	}
}

// expired pings and enforces the deadlines that have passed. It returns an error when the socket has
// ended. After a long stop of the process it pings only once, because the client could not have answered
// the pings that were due during the stop. The reader waits for it.
func (s *socket) expired() error {
	now := s.hub.now()
	if lingers := s.lingers.Load(); lingers != 0 && now-lingers >= int64(closeWait) {
		return os.ErrDeadlineExceeded
	}
	if s.configBy != 0 && now >= s.configBy {
		s.configBy = 0
		s.close(websocket.ClosePolicyViolation, "no valid configuration within 30 s")
	}
	if now >= s.pingAt {
		if s.unanswered == missedPings {
			return os.ErrDeadlineExceeded
		}
		s.unanswered++
		s.pingAt = now + int64(pingInterval)
		s.send(pingPacket)
	}
	s.setReadDeadline()
	return nil
}
