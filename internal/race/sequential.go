package race

import "testing"

// Sequential leaves a long test in which nothing runs at the same time out of make race.
func Sequential(t *testing.T) {
	t.Helper()
	if Enabled && testing.Short() {
		t.Skip("nothing runs at the same time here")
	}
}
