package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"ballast/compute/risk"
	"ballast/internal/store"
	"ballast/server/journal"
	"ballast/server/photo"
)

// lost is the exit status of `ballast replay` when a photograph is missing or damaged.
const lost = 10

// Validate rejects a call that does not say which answers, or says it twice.
func (c *replayCmd) Validate() error {
	span := c.From.given || c.To.given
	switch {
	case c.RequestID != "" && span:
		return errors.New("--request-id, --from, --to: either one request or a span of time")
	case c.RequestID == "" && !span:
		return errors.New("want --request-id ID, or --from TIME, --to TIME or both")
	case c.From.given && c.To.given && c.From.ms >= c.To.ms:
		return errors.New("--from: want a time before --to")
	}
	return c.dataFlag.Validate()
}

// Run computes answers again and prints how they differ from what was sent.
func (c *replayCmd) Run() error {
	db, err := openExisting(c.DataDir)
	if err != nil {
		return err
	}
	defer db.Close()
	r := replay{kept: journal.NewPhotographs(db), replayer: photo.NewReplayer(), result: replayResult{
		EngineVersion: risk.EngineVersion, Differences: []replayDifference{}, Lost: []replayLoss{}}}
	if err := c.each(db, &r); err != nil {
		return err
	}
	if c.JSON {
		err = printJSON(os.Stdout, &r.result)
	} else {
		err = r.result.print(os.Stdout)
	}
	switch {
	case err != nil:
		return err
	case r.result.sameVersion():
		return exitStatus(1)
	case len(r.result.Lost) > 0 || r.result.Unreadable > 0:
		return exitStatus(lost)
	}
	return nil
}

// each computes every answer again that the call names.
func (c *replayCmd) each(db *store.Main, r *replay) (err error) {
	decisions := journal.Reader{Store: db}
	if c.RequestID == "" {
		r.result.Unreadable, err = decisions.Each(c.From.time(), c.To.time(), func(d *journal.Decision) bool {
			r.again(d)
			return true
		})
		return err
	}
	ctx, stop := untilInterrupted()
	defer stop()
	all, err := decisions.Find(ctx, c.RequestID, "")
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return fmt.Errorf("no decision with request id %.64q: it was not recorded, or is older than what is kept",
			c.RequestID)
	}
	for _, d := range all {
		if r.again(d); !d.Photographed && d.Kind != journal.Gate {
			r.lose(d, errors.New("it was not photographed: the service ran without --journal full"))
		}
	}
	return nil
}

// replay computes answers again.
type replay struct {
	kept     *journal.Photographs
	replayer *photo.Replayer
	result   replayResult
}

// replayResult is what --json prints.
type replayResult struct {
	EngineVersion string             `json:"engine_version"` // of this program
	Replayed      int                `json:"replayed"`
	Same          int                `json:"same"`
	Differences   []replayDifference `json:"differences"`
	Lost          []replayLoss       `json:"lost"`
	// NotPhotographed are decisions without a photograph: those of the gate that were not assessed, and those
	// without --journal full.
	NotPhotographed int `json:"not_photographed"`
	Unreadable      int `json:"unreadable_blocks"` // of up to 256 decisions
}

// replayDifference is an answer that this program computes otherwise.
type replayDifference struct {
	RequestID     string        `json:"request_id"`
	Index         int           `json:"index"`
	EngineVersion string        `json:"engine_version"` // of the answer
	Before        photo.Verdict `json:"before"`
	After         photo.Verdict `json:"after"`
	Moved         []string      `json:"moved"` // members of the answer
	Error         string        `json:"error,omitempty"`
}

// replayLoss is an answer that cannot be computed again.
type replayLoss struct {
	RequestID string `json:"request_id"`
	Index     int    `json:"index"`
	Reason    string `json:"reason"`
}

func (r *replay) lose(d *journal.Decision, why error) {
	r.result.Lost = append(r.result.Lost, replayLoss{d.RequestID, d.Index, why.Error()})
}

// again computes the answer of a decision again.
func (r *replay) again(d *journal.Decision) {
	if !d.Photographed {
		r.result.NotPhotographed++
		return
	}
	p, err := r.kept.Of(d)
	if err != nil {
		r.lose(d, err)
		return
	}
	r.result.Replayed++
	found := replayDifference{RequestID: d.RequestID, Index: d.Index, EngineVersion: p.Inputs.Engine, Moved: []string{}}
	if d.RiskScore != nil {
		found.Before = photo.Verdict{RiskScore: *d.RiskScore, Recommendation: d.Recommendation}
	}
	answer, err := r.replayer.Answer(p)
	if err != nil {
		found.Error = err.Error()
		r.result.Differences = append(r.result.Differences, found)
		return
	}
	difference, err := photo.Compare(p.Answer, answer)
	switch {
	case err != nil:
		r.lose(d, err)
	case difference == nil:
		r.result.Same++
	default:
		found.Before, found.After = difference.Before, difference.After
		found.Moved = append(found.Moved, difference.Moved...)
		r.result.Differences = append(r.result.Differences, found)
	}
}

// sameVersion reports whether an answer differs that the same version of the engine has given.
func (r *replayResult) sameVersion() bool {
	for i := range r.Differences {
		if r.Differences[i].EngineVersion == r.EngineVersion {
			return true
		}
	}
	return false
}

func (r *replayResult) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if len(r.Differences) > 0 {
		fmt.Fprintln(w, "REQUEST\tINDEX\tENGINE\tSCORE BEFORE\tAFTER\tVERDICT BEFORE\tAFTER\tMOVED")
	}
	for i := range r.Differences {
		d := &r.Differences[i]
		moved := strings.Join(d.Moved, " ")
		if moved == "" {
			moved = "the order of the members"
		}
		if d.Error != "" {
			moved = d.Error
		}
		fmt.Fprintf(w, "%s\t%d\t%s\t%.2f\t%.2f\t%s\t%s\t%s\n", d.RequestID, d.Index, d.EngineVersion,
			d.Before.RiskScore, d.After.RiskScore, d.Before.Recommendation, d.After.Recommendation, moved)
	}
	for _, l := range r.Lost {
		fmt.Fprintf(w, "%s\t%d\t%s\n", l.RequestID, l.Index, l.Reason)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "%d answers computed again by engine %s: %d are the same, %d differ\n", r.Replayed,
		r.EngineVersion, r.Same, len(r.Differences))
	if n := len(r.Lost); n > 0 {
		fmt.Fprintf(out, "%d photographs are missing or damaged\n", n)
	}
	if r.Unreadable > 0 {
		fmt.Fprintf(out, "%d blocks of up to 256 decisions cannot be read\n", r.Unreadable)
	}
	if r.NotPhotographed > 0 {
		fmt.Fprintf(out, "%d decisions have no photograph: those of the gate that were not assessed, and those "+
			"without --journal full\n", r.NotPhotographed)
	}
	return nil
}
