package transport

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// check compares the counts with the lists.
func (c *connections) check(t *testing.T, conns []*Conn) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	open, keyed, sockets, held, listed := 0, 0, 0, 0, 0
	for _, conn := range conns {
		if conn.uncounted {
			continue
		}
		open++
		if conn.key != "" {
			keyed++
		}
		if conn.keylessSocket {
			sockets++
		}
		if conn.key == "" && conn.in != nil {
			listed++
		}
	}
	for _, l := range c.keyless {
		listed -= l.Len()
	}
	for _, h := range c.keys {
		held += h.len()
	}
	if int(c.open.Load()) != open || c.keyed != keyed || held != keyed || c.keylessSockets != sockets || listed != 0 {
		t.Fatalf("%d open of %d, %d keyed of %d, %d held, %d sockets of %d, %d too many keyless", c.open.Load(), open,
			c.keyed, keyed, held, c.keylessSockets, sockets, listed)
	}
	if open > c.limits.MaxConns || keyed+sockets > c.limits.maxSettled() {
		t.Fatalf("%d open, %d keyed, %d sockets", open, keyed, sockets)
	}
}

// Connections of few keys and addresses come, show keys, lose them, become alert sockets and end, in any order: what
// is counted is what is there, within the limits, and every new connection has a place.
// Injects the fault key-flood of docs/faults.md.
func TestConnectionsAreCounted(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		limits := Limits{MaxConns: 8 + r.IntN(40), MaxKeylessConnsPerIP: 3 + r.IntN(9), MaxKeylessSockets: 4,
			MaxKeylessSocketsPerIP: 2}
		tr := New(Config{Limits: limits})
		var conns []*Conn
		for range 1500 {
			live := slices.DeleteFunc(slices.Clone(conns), func(c *Conn) bool { return c.uncounted })
			if len(live) < 3 || r.IntN(3) == 0 {
				c := accept(t, tr, r.IntN(5))
				conns = append(conns, c)
				if c.uncounted {
					t.Fatal("a new connection has no place")
				}
				continue
			}
			switch c := live[r.IntN(len(live))]; r.IntN(8) {
			case 0:
				c.Close()
			case 1:
				if c.key != "" || c.BecomeKeylessSocket() == HasRoom {
					c.Release()
				}
			case 2:
				c.Show("")
			case 3:
				gone := fmt.Sprint(r.IntN(4))
				tr.DropKeys(func(key string) bool { return key == gone })
			default:
				c.reading.Store(r.IntN(4) > 0)
				c.Show(fmt.Sprint(r.IntN(4)))
			}
			tr.conns.check(t, conns)
		}
	}
}

// Where all are open, keys share the connections evenly: one that has fewer than another gets one of the other's,
// one that has the most gets none but its own. Injects the fault key-flood of docs/faults.md.
func TestKeysShareConnections(t *testing.T) {
	const most, settled = 80, 70
	tr := New(Config{Limits: upTo(most)})
	show := func(n int, key string) *Conn {
		c := accept(t, tr, n)
		c.reading.Store(true)
		c.Show(key)
		return c
	}
	counts := func(want map[string]int) {
		t.Helper()
		for key, n := range want {
			if h := tr.conns.keys[key]; h == nil && n > 0 || h != nil && h.len() != n {
				t.Errorf("%s: %+v, want %d", key, h, n)
			}
		}
	}
	for range 3 * most {
		show(1, "greedy")
	}
	counts(map[string]int{"greedy": settled})
	for range 20 {
		if c := show(2, "few"); c.key != "few" {
			t.Fatalf("refused: %v", c.Refusal)
		}
	}
	counts(map[string]int{"greedy": settled - 20, "few": 20})
	for range 3 * most {
		show(3, "also greedy")
		show(1, "greedy")
	}
	counts(map[string]int{"greedy": 25, "few": 20, "also greedy": 25})
	for _, c := range tr.conns.of("greedy") {
		c.reading.Store(false)
	}
	if c := show(1, "greedy"); c.Refusal != TooManyConnsOfKey || c.key != "" || tr.Refused(TooManyConnsOfKey) != 1 {
		t.Errorf("%v, %q", c.Refusal, c.key)
	}
	tr.DropKeys(func(key string) bool { return key != "few" })
	for range settled - 20 {
		show(2, "few")
	}
	counts(map[string]int{"greedy": 0, "few": settled, "also greedy": 0})
	for n := range settled {
		show(2, fmt.Sprint("key", n))
	}
	if c := show(2, "one more"); c.Refusal != TooManyConns {
		t.Errorf("%v", c.Refusal)
	}
}

// of returns the connections of a key.
func (c *connections) of(key string) (conns []*Conn) {
	for e := c.keys[key].requests.Front(); e != nil; e = e.Next() {
		conns = append(conns, e.Value.(*Conn))
	}
	return conns
}
