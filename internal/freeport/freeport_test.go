package freeport

import (
	"net"
	"strconv"
	"testing"
)

func TestFind(t *testing.T) {
	for range 20 {
		port, err := Find()
		if err != nil {
			t.Fatal(err)
		}
		if port < first || port >= first+count {
			t.Errorf("port %d", port)
		}
		ln, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port))
		if err != nil {
			t.Error(err)
			continue
		}
		defer ln.Close()
	}
}
