package match

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"xship/sources/text"
)

// uncounted stand behind the number of what is no episode.
const uncounted = "季部章卷天次名届代个個条條人位年月日周週区區回声聲道分秒弹彈话頁页辑輯層层"

// closer accepts what stands behind the number of an episode; issue tells that it is 期.
func (p *parser) closer() (closed, issue bool) {
	r, size := utf8.DecodeRuneInString(p.rest())
	switch r {
	case '集', '话', '話', '回', '期', '화', '회':
		p.i += size
		return true, r == '期'
	}
	return false, false
}

// easternJoint accepts what joins a further number to one: span of the end of a run.
func (p *parser) easternJoint() (span, ok bool) {
	r, size := utf8.DecodeRuneInString(p.rest())
	switch r {
	case '-', '–', '—', '~', '〜', '至', '到':
		span = true
	case '、', ',', '&', '+', '和', '_', '/':
	default:
		return false, false
	}
	p.i += size
	return span, true
}

// eastern accepts "第01集", "第1-2集", "第1集-第2集", "第1、2集", "第二集", "第15 title"
// and "01集".
func (p *parser) eastern(r *EpisodeRange) bool {
	from := p.i
	if !p.easternMark(r) {
		p.i = from
		return false
	}
	return true
}

func (p *parser) easternMark(r *EpisodeRange) bool {
	marked := p.rune("第제")
	p.skip(" ")
	start := p.i
	n, ok := p.easternNumber(marked)
	if !ok {
		return false
	}
	width, digits := p.i-start, text.IsDigit(p.s[start])
	if easternDecimal(p.rest()) {
		p.odd = true
		return false
	}
	r.First, r.Last = n, n
	if marked {
		p.skip(" ")
	}
	before := p.i
	closed, issue := p.closer()
	if !issue || marked {
		closed = p.easternTail(r, marked) || closed
	}
	switch {
	case p.odd:
		return false
	case issue && (isYear(n) || !marked && width == 4):
		p.odd, p.form = true, formIssue
		return false
	case closed && goesOnAsWord(p.rest()):
		return false
	case closed:
		if !marked {
			p.form = formBareCount
		}
		return true
	}
	p.i = before
	return marked && digits && p.openEnd()
}

// goesOnAsWord tells whether rest makes a word of the closer before it: 第1回合, 第3集团.
func goesOnAsWord(rest string) bool {
	switch r, _ := utf8.DecodeRuneInString(rest); r {
	case '合', '团', '團', '间', '間', '题', '題', '忆', '憶', '剧', '劇', '待', '末':
		return true
	}
	return false
}

// easternTail extends r by the end of a run or by the next episodes: "-2集", "、2集".
func (p *parser) easternTail(r *EpisodeRange, marked bool) (closed bool) {
	for range maxTail {
		start := p.i
		p.skip(" ")
		span, ok := p.easternJoint()
		if !ok {
			p.i = start
			break
		}
		p.skip(" ")
		second := p.rune("第제")
		n, ok := p.easternNumber(marked || second)
		before := p.i
		ends, issue := p.closer()
		goesOn := !ends && (strings.HasPrefix(p.rest(), "、") || strings.HasPrefix(p.rest(), "_"))
		if !ok || !ends && !goesOn {
			p.i = start
			break
		}
		if issue && !marked || span && n < r.Last || !span && n != r.Last+1 {
			p.odd = true
			return false
		}
		r.Last = n
		if p.i = before; ends {
			p.closer()
			closed = true
		}
	}
	return closed
}

// easternDecimal tells whether rest goes on a number in Chinese: ".5集", "点五集".
func easternDecimal(rest string) bool {
	p := parser{s: rest}
	if !p.rune(".点") {
		return false
	}
	_, ok := p.counting()
	p.skip(" ")
	closed, _ := p.closer()
	return ok && closed
}

// easternNumber accepts a number; without 第 only digits count, because 一集 is
// also a plain word.
func (p *parser) easternNumber(marked bool) (int, bool) {
	if marked {
		return p.counting()
	}
	n, _, ok := p.digits(4)
	return n, ok
}

// openEnd tells whether a number behind 第 is that of an episode though nothing closes
// it: "第15", "第15 以剑为刀". What is counted otherwise is none.
func (p *parser) openEnd() bool {
	rest := p.rest()
	if decimalFollows(rest) || partGoesOn(rest) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(rest)
	if rest != "" && !strings.ContainsRune(" .:：、[(【", next) && (p.i == 0 || p.s[p.i-1] != ' ') {
		return false
	}
	noun, _ := utf8.DecodeRuneInString(strings.TrimLeft(rest, " .:、"))
	return !unicode.IsDigit(noun) && !strings.ContainsRune(uncounted, noun)
}
