package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// decisionTables hold recorded decisions. They may fill the file: damage in them costs what it hits, and the file is
// opened all the same.
const decisionTables = `
CREATE TABLE IF NOT EXISTS decision_blocks (
	id INTEGER PRIMARY KEY, first_ms INTEGER NOT NULL, last_ms INTEGER NOT NULL, count INTEGER NOT NULL,
	bytes INTEGER NOT NULL, marks BLOB NOT NULL, data BLOB NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS decision_blocks_last ON decision_blocks (last_ms);
CREATE TABLE IF NOT EXISTS photographs (
	request_id TEXT NOT NULL, place INTEGER NOT NULL, block INTEGER NOT NULL, data BLOB NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS photographs_request ON photographs (request_id);
CREATE INDEX IF NOT EXISTS photographs_block ON photographs (block);
CREATE TABLE IF NOT EXISTS photograph_parts (digest BLOB PRIMARY KEY, data BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS photograph_uses (digest BLOB PRIMARY KEY, block INTEGER NOT NULL) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS photograph_uses_block ON photograph_uses (block);`

// unchecked are the tables of decisionTables, by name.
const unchecked = "'decision_blocks', 'photographs', 'photograph_parts', 'photograph_uses'"

// DecisionBlock is some hundred decisions that are kept together. The newer block has the larger ID.
type DecisionBlock struct {
	ID              int64
	FirstMs, LastMs int64 // times of its decisions, ms since 1970
	Count           int
	// Marks has 4 bytes for each request id and wallet in the block, so that a search opens few blocks.
	Marks []byte
	Data  []byte
}

// Size is how many bytes the block counts in the sums, without photographs.
func (b *DecisionBlock) Size() int { return len(b.Data) + len(b.Marks) }

// Photograph is what an answer was computed from. Place is the decision's index in its request.
type Photograph struct {
	RequestID string
	Place     int
	Block     int64 // the block of the decision
	Data      []byte
	Parts     []PhotographPart // what it shares with others
}

// PhotographPart is kept once for all photographs that have it, for as long as one of them is.
type PhotographPart struct {
	Digest [32]byte      // SHA-256 of what Data returns
	Data   func() []byte // is called when the part is not kept yet
}

// DecisionSums describe all recorded decisions.
type DecisionSums struct {
	NewestID int64 // of a block, 0: there is none
	OldestMs int64 // 0: there is none
	Bytes    int64 // of blocks, photographs and their parts
}

// DecisionSums reads the sums.
func (m *Main) DecisionSums() (s DecisionSums, err error) {
	var blocks, parts float64
	db := m.opened.Load().db
	err = errors.Join(
		db.QueryRow("SELECT coalesce(max(id), 0), coalesce(min(first_ms), 0), total(bytes) FROM decision_blocks").
			Scan(&s.NewestID, &s.OldestMs, &blocks),
		db.QueryRow("SELECT total(length(data)) FROM photograph_parts").Scan(&parts))
	s.Bytes = int64(blocks + parts)
	return s, err
}

// PutDecisions writes blocks, in place of those with the same ID, and photographs; all is on disk when it returns. It
// uses the connection that watches for changes of others, so that Changed does not report what the service itself
// records each second. It returns how many bytes of parts it has added.
func (m *Main) PutDecisions(blocks []DecisionBlock, photographs []Photograph) (parts int, err error) {
	err = m.writeWatching(func(tx *sql.Tx) (err error) {
		sizes := map[int64]int{}
		for i := range photographs {
			p := &photographs[i]
			_, err := tx.Exec("INSERT INTO photographs (request_id, place, block, data) VALUES (?, ?, ?, ?)",
				p.RequestID, p.Place, p.Block, p.Data)
			if err != nil {
				return err
			}
			sizes[p.Block] += len(p.Data)
		}
		if parts, err = putParts(tx, photographs); err != nil {
			return err
		}
		put, err := tx.Prepare(`INSERT INTO decision_blocks (id, first_ms, last_ms, count, bytes, marks, data)
			VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET first_ms = excluded.first_ms,
			last_ms = excluded.last_ms, count = excluded.count, marks = excluded.marks, data = excluded.data,
			bytes = excluded.bytes + bytes - length(marks) - length(data)`)
		if err != nil {
			return err
		}
		defer put.Close()
		for i := range blocks {
			b := &blocks[i]
			size := b.Size() + sizes[b.ID]
			if _, err := put.Exec(b.ID, b.FirstMs, b.LastMs, b.Count, size, b.Marks, b.Data); err != nil {
				return err
			}
		}
		return nil
	})
	return parts, err
}

// putParts stores the parts of photographs that are not stored yet and returns their size. It notes the newest block
// that needs each part: the part goes with it.
func putParts(tx *sql.Tx, photographs []Photograph) (added int, err error) {
	noted := map[[32]byte]int64{}
	for i := range photographs {
		p := &photographs[i]
		for k := range p.Parts {
			part := &p.Parts[k]
			block, again := noted[part.Digest]
			if again && block >= p.Block {
				continue
			}
			noted[part.Digest] = p.Block
			_, err := tx.Exec(`INSERT INTO photograph_uses (digest, block) VALUES (?, ?)
				ON CONFLICT (digest) DO UPDATE SET block = max(block, excluded.block)`, part.Digest[:], p.Block)
			if err != nil {
				return added, err
			}
			kept := again
			if !again {
				err = tx.QueryRow("SELECT count(*) FROM photograph_parts WHERE digest = ?", part.Digest[:]).Scan(&kept)
			}
			if err == nil && !kept {
				data := part.Data()
				added += len(data)
				_, err = tx.Exec("INSERT INTO photograph_parts (digest, data) VALUES (?, ?)", part.Digest[:], data)
			}
			if err != nil {
				return added, err
			}
		}
	}
	return added, nil
}

// DropDecisions removes the oldest blocks: those whose decisions are all older than a time, and those beyond a number
// of bytes; with them the photographs that no other block needs. It returns how many blocks it has removed, and the
// sums of the rest.
func (m *Main) DropDecisions(beforeMs, maxBytes int64) (removed int, left DecisionSums, err error) {
	if left, err = m.DecisionSums(); err != nil {
		return 0, left, err
	}
	last, removed, err := m.dropUpTo(beforeMs, left.Bytes-maxBytes)
	if err != nil || removed == 0 {
		return 0, left, err
	}
	err = m.writeWatching(func(tx *sql.Tx) error {
		for _, rows := range []string{"photographs WHERE block <= ?",
			"photograph_parts WHERE digest IN (SELECT digest FROM photograph_uses WHERE block <= ?)",
			"photograph_uses WHERE block <= ?", "decision_blocks WHERE id <= ?"} {
			if _, err := tx.Exec("DELETE FROM "+rows, last); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		left, err = m.DecisionSums()
	}
	return removed, left, err
}

// dropUpTo returns the newest block to remove and how many that are; tooMany is by how many bytes there is too much.
func (m *Main) dropUpTo(beforeMs, tooMany int64) (last int64, count int, err error) {
	rows, err := m.opened.Load().db.Query("SELECT id, last_ms, bytes FROM decision_blocks ORDER BY id")
	if err != nil {
		return 0, 0, err
	}
	defer rows.Close()
	for rows.Next() {
		var id, lastMs, size int64
		if err := rows.Scan(&id, &lastMs, &size); err != nil {
			return 0, 0, err
		}
		if lastMs >= beforeMs && tooMany <= 0 {
			break
		}
		last, count, tooMany = id, count+1, tooMany-size
	}
	return last, count, rows.Err()
}

// DecisionHeads returns up to limit blocks without their data that have decisions of the times from fromMs to toMs
// (exclusive): newest first those up to an ID, or with ascending oldest first those from an ID on.
func (m *Main) DecisionHeads(id, fromMs, toMs int64, ascending bool, limit int) (heads []DecisionBlock, err error) {
	side, order := "<=", "DESC"
	if ascending {
		side, order = ">=", "ASC"
	}
	err = eachRow(m.opened.Load().db, fmt.Sprintf(`SELECT id, first_ms, last_ms, count, marks FROM decision_blocks
		WHERE id %s ? AND last_ms >= ? AND first_ms < ? ORDER BY id %s LIMIT ?`, side, order),
		[]any{id, fromMs, toMs, limit}, func(scan scanner) error {
			var b DecisionBlock
			err := scan(&b.ID, &b.FirstMs, &b.LastMs, &b.Count, &b.Marks)
			heads = append(heads, b)
			return err
		})
	return heads, err
}

// DecisionData returns the data of a block; is is false if there is no such block.
func (m *Main) DecisionData(id int64) (data []byte, is bool, err error) {
	there, err := found(m.opened.Load().db.QueryRow("SELECT data FROM decision_blocks WHERE id = ?", id).Scan(&data))
	return data, there, err
}

// PhotographsOf returns the photographs of the decisions with a request id and an index in the request, without their
// parts, newest first: clients may give an id twice.
func (m *Main) PhotographsOf(requestID string, place int) (all [][]byte, err error) {
	err = eachRow(m.opened.Load().db,
		"SELECT data FROM photographs WHERE request_id = ? AND place = ? ORDER BY rowid DESC",
		[]any{requestID, place}, func(scan scanner) error {
			var data []byte
			err := scan(&data)
			all = append(all, data)
			return err
		})
	return all, err
}

// PhotographPart returns a part by its digest, nil if there is none.
func (m *Main) PhotographPart(digest [32]byte) (data []byte, err error) {
	row := m.opened.Load().db.QueryRow("SELECT data FROM photograph_parts WHERE digest = ?", digest[:])
	_, err = found(row.Scan(&data))
	return data, err
}

// writeWatching is write on the connection that watches for changes.
func (m *Main) writeWatching(f func(*sql.Tx) error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.writeOn(f, func(file *mainFile) (*sql.Tx, error) {
		watch, err := file.watching(context.Background())
		if err != nil {
			return nil, err
		}
		return watch.BeginTx(context.Background(), nil)
	})
}
