package text

import (
	"strconv"
	"strings"
)

// formula are the characters that a formula of a spreadsheet begins with.
const formula = "=+@-＝＋＠－"

// ForSheet is a cell of free text as a spreadsheet takes it for text. A formula there may
// read files and call programs, and the text of sites is hostile.
func ForSheet(cell string) string {
	if !isFormula(cell) {
		return cell
	}
	if _, err := strconv.ParseFloat(cell, 64); err == nil {
		return cell
	}
	return "'" + cell
}

// FromSheet is the text of which ForSheet made a cell.
func FromSheet(cell string) string {
	if text, quoted := strings.CutPrefix(cell, "'"); quoted && isFormula(text) {
		return text
	}
	return cell
}

func isFormula(cell string) bool { return cell != "" && strings.ContainsRune(formula, []rune(cell)[0]) }
