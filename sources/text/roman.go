package text

import "strings"

// MostRoman is the last number that is written in Roman numerals behind a name. Beyond
// it letters are rather those of a word.
const MostRoman = 20

// Roman is n, from 1 to MostRoman, in Roman numerals.
func Roman(n int) string {
	ones := [...]string{"", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX"}
	return strings.Repeat("X", n/10) + ones[n%10]
}

// RomanNumber reads a Roman numeral from I to XX in lower case; 0 is none.
func RomanNumber[T string | []byte](word T) int {
	const longest = len("xviii")
	if len(word) == 0 || len(word) > longest {
		return 0
	}
	tens := 0
	for tens < len(word) && word[tens] == 'x' {
		tens++
	}
	n := 10 * tens
	if tens < len(word) {
		ones := romanOnes(string(word[tens:]))
		if ones == 0 {
			return 0
		}
		n += ones
	}
	if n > MostRoman {
		return 0
	}
	return n
}

// romanOnes reads a numeral from I to IX.
func romanOnes(word string) int {
	switch word {
	case "i":
		return 1
	case "ii":
		return 2
	case "iii":
		return 3
	case "iv":
		return 4
	case "v":
		return 5
	case "vi":
		return 6
	case "vii":
		return 7
	case "viii":
		return 8
	case "ix":
		return 9
	}
	return 0
}

// IsVersion tells whether s is the version of a release that stands right behind the
// number of an episode: "v2".
func IsVersion(s string) bool {
	return (len(s) == 2 || len(s) == 3) && s[0]|0x20 == 'v' && Number(s[1:]) >= 0
}
