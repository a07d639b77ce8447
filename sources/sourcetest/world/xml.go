package world

import (
	"bytes"
	"fmt"
	"strings"
)

// XMLQuirks are what real servers do to their XML. The zero value is XML as it
// should be, but for control characters, which are left in as they are.
type XMLQuirks struct {
	BareAmpersands bool // "&" stands as it is outside CDATA; each film has one in its picture's URL
	From           bool // players are named by the attribute from in place of flag
	LineBreaks     bool // CR and LF stand between links in place of "#"
}

// xml is the answer as MacCMS writes it: name, note, actor, director, dd and
// des are CDATA, and nothing else is.
func (c *catalogue) xml(a answer) []byte {
	var b bytes.Buffer
	b.WriteString(`<?xml version="1.0" encoding="utf-8"?>` + "\n")
	fmt.Fprintf(&b, `<rss version="5.1"><list page="%d" pagecount="%d" pagesize="%d" recordcount="%d">`, a.page, a.pages, a.size, a.total)
	for _, r := range a.rows {
		c.video(&b, r, a.detail)
	}
	b.WriteString("</list>")
	if !a.detail {
		b.WriteString("<class>")
		for i, t := range a.types {
			fmt.Fprintf(&b, `<ty id="%d">%s</ty>`, i+1, c.text(t))
		}
		b.WriteString("</class>")
	}
	b.WriteString("</rss>")
	return b.Bytes()
}

func (c *catalogue) video(b *bytes.Buffer, r row, detail bool) {
	fmt.Fprintf(b, "<video><last>%s</last><id>%d</id><tid>%d</tid>", modified().Format("2006-01-02 15:04:05"), r.id, r.typeID)
	fmt.Fprintf(b, "<name>%s</name><type>%s</type>", cdata(r.Name), c.text(r.Type))
	if !detail {
		fmt.Fprintf(b, "<dt>%s</dt><note>%s</note></video>", c.text(r.froms(",")), cdata(r.Remarks))
		return
	}
	fmt.Fprintf(b, "<pic>%s</pic><lang>%s</lang><area></area><year>%s</year><state>0</state>",
		c.text(fmt.Sprintf("http://pictures.example.com/%d.jpg?w=270&h=400", r.id)), c.text(r.Lang), r.year())
	fmt.Fprintf(b, "<note>%s</note><actor>%s</actor><director>%s</director><dl>", cdata(r.Remarks), cdata(""), cdata(""))
	name, separator := "flag", "#"
	if c.config.XML.From {
		name = "from"
	}
	if c.config.XML.LineBreaks {
		separator = "\r\n"
	}
	for _, g := range r.Groups {
		fmt.Fprintf(b, `<dd %s="%s">%s</dd>`, name, c.text(g.From), cdata(g.links(separator)))
	}
	fmt.Fprintf(b, "</dl><des>%s</des></video>", cdata("<p>"+r.Name+"</p>"))
}

// text is s outside CDATA.
func (c *catalogue) text(s string) string {
	if !c.config.XML.BareAmpersands {
		s = strings.ReplaceAll(s, "&", "&amp;")
	}
	return strings.NewReplacer("<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace(s)
}

func cdata(s string) string {
	return "<![CDATA[" + strings.ReplaceAll(s, "]]>", "]]]]><![CDATA[>") + "]]>"
}
