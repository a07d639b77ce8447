package term

import (
	"charm.land/huh/v2"
	"charm.land/lipgloss/v2"
)

// menuTheme is how menus look. Nothing is asked of the terminal, which may not answer:
// text has its own colours, and what stands out is bold or faint, in the one of the
// sixteen colours besides that terminals keep readable on light and on dark grounds.
func menuTheme(bool) *huh.Styles {
	plain, bold, faint := lipgloss.NewStyle(), lipgloss.NewStyle().Bold(true), lipgloss.NewStyle().Faint(true)
	marked := bold.Foreground(lipgloss.Magenta)
	s := huh.ThemeBase(false)
	s.Focused.Base = s.Focused.Base.BorderForeground(lipgloss.Magenta)
	s.Focused.Title = bold
	s.Focused.Description = plain
	s.Focused.SelectSelector = marked.SetString("> ")
	s.Focused.SelectedOption = marked
	s.Focused.UnselectedOption, s.Focused.Option = plain, plain
	s.Focused.TextInput.Cursor = marked
	s.Focused.TextInput.Prompt = marked
	s.Focused.TextInput.Text = plain
	s.Focused.TextInput.Placeholder = faint
	s.Blurred = s.Focused
	s.Help.ShortKey, s.Help.FullKey = bold, bold
	s.Help.ShortDesc, s.Help.FullDesc = plain, plain
	s.Help.ShortSeparator, s.Help.FullSeparator, s.Help.Ellipsis = faint, faint, faint
	return s
}
