package exchange

// UserOutcome splits USDC into the sides of an outcome or merges them again. One of its parts is there.
type UserOutcome struct {
	HasSplit         bool
	Split            OutcomeAmount
	HasMerge         bool
	Merge            OutcomeAmount
	HasMergeQuestion bool
	MergeQuestion    QuestionAmount
	HasNegate        bool
	Negate           Negation
}

func (a *UserOutcome) Type() string { return "userOutcome" }
func (a *UserOutcome) Class() Class { return Funds }

func (a *UserOutcome) fields(v visitor) {
	v.object("splitOutcome", (*split)(&a.Split), maybe(&a.HasSplit))
	v.object("mergeOutcome", &a.Merge, maybe(&a.HasMerge))
	v.object("mergeQuestion", &a.MergeQuestion, maybe(&a.HasMergeQuestion))
	v.object("negateOutcome", &a.Negate, maybe(&a.HasNegate))
}

func (a *UserOutcome) check() (name, problem, mend string) {
	n := 0
	for _, has := range []bool{a.HasSplit, a.HasMerge, a.HasMergeQuestion, a.HasNegate} {
		if has {
			n++
		}
	}
	if n != 1 {
		return "splitOutcome", "does not stand alone",
			"write one of splitOutcome, mergeOutcome, mergeQuestion, negateOutcome"
	}
	return "", "", ""
}

// OutcomeAmount is an amount of an outcome.
type OutcomeAmount struct {
	Outcome   uint64
	HasAmount bool // otherwise everything; a split always has it
	Amount    string
}

func (o *OutcomeAmount) fields(v visitor) {
	v.uint64("outcome", &o.Outcome, must)
	v.amount("amount", &o.Amount, orNull(&o.HasAmount))
}

// split is an OutcomeAmount that is never everything.
type split OutcomeAmount

func (o *split) fields(v visitor) {
	o.HasAmount = true
	v.uint64("outcome", &o.Outcome, must)
	v.amount("amount", &o.Amount, must)
}

// QuestionAmount is an amount of all outcomes of a question.
type QuestionAmount struct {
	Question  uint64
	HasAmount bool // otherwise everything
	Amount    string
}

func (q *QuestionAmount) fields(v visitor) {
	v.uint64("question", &q.Question, must)
	v.amount("amount", &q.Amount, orNull(&q.HasAmount))
}

// Negation turns one outcome of a question into the others.
type Negation struct {
	Question uint64
	Outcome  uint64
	Amount   string
}

func (n *Negation) fields(v visitor) {
	v.uint64("question", &n.Question, must)
	v.uint64("outcome", &n.Outcome, must)
	v.amount("amount", &n.Amount, must)
}
