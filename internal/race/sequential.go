package race

import "testing"

// Sequential skips a long test under make race: its code runs in one goroutine, so there is no race to find.
func Sequential(t *testing.T) {
	t.Helper()
	if Enabled && testing.Short() {
		t.Skip("nothing runs at the same time here")
	}
}
