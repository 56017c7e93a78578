package jsonscan

import "bytes"

// fewNames is the number of names, over all open objects, that are compared one by one. Further names
// go into maps, so that a hostile body costs linear time.
const fewNames = 16

// nameStack detects repeated names in one object. It has a frame for each open object or array.
type nameStack struct {
	few    [fewNames][]byte
	n      int // names in few
	depth  int
	frames [MaxDepth]nameFrame
}

type nameFrame struct {
	from int                 // index in few of the object's first name
	many map[string]struct{} // the object's names beyond few; nil if there are none
}

func (t *nameStack) open() {
	t.frames[t.depth] = nameFrame{from: t.n}
	t.depth++
}

func (t *nameStack) close() {
	t.depth--
	t.n = t.frames[t.depth].from
}

// add records a name of the innermost object; false if the object already has it.
func (t *nameStack) add(name []byte) bool {
	f := &t.frames[t.depth-1]
	for _, other := range t.few[f.from:t.n] {
		if bytes.Equal(name, other) {
			return false
		}
	}
	if t.n < fewNames {
		t.few[t.n] = name
		t.n++
		return true
	}
	if f.many == nil {
		f.many = make(map[string]struct{})
	}
	if _, twice := f.many[string(name)]; twice {
		return false
	}
	f.many[string(name)] = struct{}{}
	return true
}
