package risk

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	mc "ballast/marketcache"
)

// notModel lists numeric constants that affect no figure of an answer, or that only define a unit,
// with the reason.
var notModel = map[string]string{
	"limitSlack":      "how a figure is compared with an operator's limit",
	"leastValueUSD":   "how a figure is compared with an operator's limit",
	"bpsPerUnit":      "unit",
	"pctPerUnit":      "unit",
	"hoursPerDay":     "unit",
	"hoursPerYear":    "unit",
	"ScenarioCount":   "length of a table that is in the digest itself",
	"hourMs":          "unit",
	"centsPerUSD":     "unit",
	"noTarget":        "no asset's id",
	"squeezeScenario": "an index of the table",
	"edgeTolerance":   "how a shortcut ends: the result does not depend on it",
	"maxMoveRounds":   "how a search ends: the result does not depend on it",
	"lookEvery":       "how often the clock is read: an answer in time does not depend on it",
	"soonReached":     "where a shortcut begins: the result depends on it by less than 1e-20",
	"neverReached":    "how a sum ends: the result depends on it by less than 1e-18",
	"maxFigures":      "a rule of the venue on a price, which changes no figure of a request without an order",
	"maxDecimals":     "likewise",
	"maxPriceShare":   "likewise",
	"restingTimes":    "likewise",
	"maxEdgeRounds":   "how a shortcut ends: the result does not depend on it",
	"maxNarrowRounds": "how a search ends: the result does not depend on it",
	"narrowEnough":    "where a search becomes bisection: the result does not depend on it",
	"shownHalf":       "half of the last digit of an answer",
	"CurvePoints":     "length of a list that is drawn",
	"curveTimes":      "how far a curve is drawn",
	"maxRungs":        "length of a list that is drawn",
	"reduceSteps":     "the resolution of an answer",
	"firstCents":      "where a search begins: the result does not depend on it",
	"maxDepositCents": "where a search is given up",
	"firstDeposit":    "where a search begins: the result does not depend on it",
	"lotSlack":        "slack for the rounding of floats",
}

// sources returns the files of the package, without tests.
func sources(t *testing.T) map[string]*ast.File {
	t.Helper()
	paths, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]*ast.File{}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		if files[path], err = parser.ParseFile(token.NewFileSet(), path, nil, 0); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// packageConstants returns the names of the package's numeric constants without iota groups, and
// the names used in Constants().
func packageConstants(t *testing.T) (declared, listed map[string]bool) {
	t.Helper()
	declared, listed = map[string]bool{}, map[string]bool{}
	for _, file := range sources(t) {
		for _, d := range file.Decls {
			d, ok := d.(*ast.GenDecl)
			switch {
			case !ok:
			case d.Tok == token.CONST:
				numericConstants(d, declared)
			case d.Tok == token.VAR && d.Specs[0].(*ast.ValueSpec).Names[0].Name == "constants":
				ast.Inspect(d.Specs[0], func(n ast.Node) bool {
					if id, ok := n.(*ast.Ident); ok {
						listed[id.Name] = true
					}
					return true
				})
			}
		}
	}
	return declared, listed
}

func numericConstants(d *ast.GenDecl, into map[string]bool) {
	for _, s := range d.Specs {
		spec := s.(*ast.ValueSpec)
		for i, name := range spec.Names {
			if i >= len(spec.Values) {
				continue // repeats the expression above, as in an iota group
			}
			numeric, iota := false, false
			ast.Inspect(spec.Values[i], func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.BasicLit:
					numeric = numeric || n.Kind == token.INT || n.Kind == token.FLOAT
				case *ast.Ident:
					iota = iota || n.Name == "iota"
				}
				return true
			})
			if numeric && !iota {
				into[name.Name] = true
			}
		}
	}
}

// A constant that is not in Constants could change without changing the calibration hash.
func TestConstantsAreComplete(t *testing.T) {
	declared, listed := packageConstants(t)
	if len(declared) < 80 {
		t.Fatalf("only %d constants found: the search of the source does not work", len(declared))
	}
	for name := range declared {
		switch why := notModel[name]; {
		case why == "" && !listed[name]:
			t.Errorf("const %s is not in Constants()", name)
		case why != "" && listed[name]:
			t.Errorf("const %s is in Constants() although it is only %s", name, why)
		}
	}
	for name := range notModel {
		if !declared[name] {
			t.Errorf("%s is listed in notModel but does not exist", name)
		}
	}
	names := map[string]bool{}
	for _, c := range Constants() {
		if names[c.Name] {
			t.Errorf("%s is listed twice", c.Name)
		}
		names[c.Name] = true
	}
	if n := len(declared) - len(notModel); n > len(names) {
		t.Errorf("%d constants, %d names", n, len(names))
	}
}

func TestWeightsSumToOne(t *testing.T) {
	sum := 0.0
	for _, w := range Weights {
		sum += w
	}
	same(t, "weights", sum, 1)
}

func TestConstantsDigestDependsOnTables(t *testing.T) {
	before := ConstantsDigest()
	if before != ConstantsDigest() {
		t.Fatal("the digest is not stable")
	}
	Scenarios[3].Hours++
	changed := ConstantsDigest()
	Scenarios[3].Hours--
	if changed == before {
		t.Error("a scenario changed and the digest did not")
	}
	curveDrag[1].Y++
	changed = ConstantsDigest()
	curveDrag[1].Y--
	if changed == before || ConstantsDigest() != before {
		t.Error("a curve changed and the digest did not")
	}
}

// The hash changes with every parameter that contributes to the answer, and with nothing else.
func TestCalibrationHash(t *testing.T) {
	e := NewEngine(DefaultAges())
	hash := func(change func(s *situation)) mc.CalibrationHash {
		s := newSituation(20_000, ActionLong, 50_000)
		s.holds(holding(1, "ETH", 2, 3000, 10))
		s.holds(holding(2, "SOL", -10, 100, 10))
		change(s)
		return assessWith(t, e, NewScratch(2), &s.in).ModelVersion.CalibrationHash
	}
	same := func(*situation) {}
	base := hash(same)
	if base != hash(same) {
		t.Fatal("the hash is not stable")
	}
	for name, change := range map[string]func(s *situation){
		"digest of the target":   func(s *situation) { s.in.Target.Model.Digest[7]++ },
		"digest of a held asset": func(s *situation) { s.in.Held[1].Model.Digest[31]++ },
		"constants of the fits":  func(s *situation) { s.in.ModelConstants[0]++ },
		"one more asset":         func(s *situation) { s.holds(holding(3, "XRP", 10, 1, 10)) },
		"one asset less": func(s *situation) {
			s.in.Held, s.in.Account.Positions = s.in.Held[:1], s.in.Account.Positions[:1]
		},
		"name of an asset's fit": func(s *situation) { s.in.Held[0].Model.Name = "ETC" },
		"digests of two swapped": func(s *situation) {
			a, b := s.in.Held[0].Model, s.in.Held[1].Model
			a.Digest, b.Digest = b.Digest, a.Digest
		},
	} {
		if hash(change) == base {
			t.Errorf("%s: the hash did not change", name)
		}
	}
	for name, change := range map[string]func(s *situation){
		"price":   func(s *situation) { s.in.Target.Market.Context.MarkPrice *= 1.01 },
		"size":    func(s *situation) { s.in.Trade.SizeUSD *= 2 },
		"account": func(s *situation) { s.in.Account.CrossAccountValueUSD *= 2 },
		"order of positions": func(s *situation) {
			p, h := s.in.Account.Positions, s.in.Held
			p[0], p[1], h[0], h[1] = p[1], p[0], h[1], h[0]
		},
		"calibration name": func(s *situation) { s.in.ModelName = "other" },
	} {
		if hash(change) != base {
			t.Errorf("%s: the hash changed", name)
		}
	}
	if e.constants[3]++; hash(same) == base {
		t.Error("constants of the engine: the hash did not change")
	}
}
