package text

import "strconv"

// Size is a number of bytes for people: "700 MB", "4.1 GB". A GB has 1000 MB, as on
// disks.
func Size(n int64) string {
	units := []string{"bytes", "kB", "MB", "GB", "TB", "PB"}
	size, unit := float64(n), 0
	for ; size >= 999.5 && unit < len(units)-1; unit++ {
		size /= 1000
	}
	digits := 0
	if unit >= 3 && size < 99.95 {
		digits = 1
	}
	return strconv.FormatFloat(size, 'f', digits, 64) + " " + units[unit]
}
