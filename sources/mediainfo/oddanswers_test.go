package mediainfo_test

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"xship/sources"
)

// capped answers each range by at most most bytes of data.
func capped(data []byte, most int, total string) answer {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "video/mp4")
		first, last := 0, len(data)-1
		spec, ranged := strings.CutPrefix(r.Header.Get("Range"), "bytes=")
		if a, b, ok := strings.Cut(spec, "-"); ok {
			first, _ = strconv.Atoi(a)
			if n, err := strconv.Atoi(b); err == nil {
				last = min(last, n)
			}
		}
		if !ranged {
			_, _ = w.Write(data)
			return
		}
		last = min(last, first+most-1)
		if first > last {
			w.Header().Set("Content-Range", "bytes */"+total)
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
			return
		}
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%s", first, last, total))
		w.Header().Set("Content-Length", strconv.Itoa(last-first+1))
		w.WriteHeader(http.StatusPartialContent)
		_, _ = w.Write(data[first : last+1])
	}
}

// coded says that the answer of a is encoded.
func coded(coding string, a answer) answer {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", coding)
		a(w, r)
	}
}

// whole200 answers 200 with everything, whatever is asked for.
func whole200(contentType string, data []byte) answer {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.Header().Set("Content-Length", strconv.Itoa(len(data)))
		_, _ = w.Write(data)
	}
}

// openOnly refuses ranges with an end by code.
func openOnly(code int, data []byte) answer {
	film := sends("video/mp4", data)
	return func(w http.ResponseWriter, r *http.Request) {
		if asked := r.Header.Get("Range"); asked != "" && !strings.HasSuffix(asked, "-") {
			w.WriteHeader(code)
			return
		}
		film(w, r)
	}
}

func oddAnswers(t *testing.T) []odd {
	ok, dead, fault, unsupported := sources.ClassOK, sources.ClassDeadLink, sources.ClassHosterFault, sources.ClassUnsupported
	mp4, plain, ts := readMedia(t, "faststart.mp4"), readMedia(t, "plain.mp4"), readMedia(t, "aac.ts")
	film := sends("video/mp4", mp4)
	hops := func(n int) func(*testing.T) http.Handler {
		h := hoster{"/end": film, "/file": redirect("/1")}
		for i := 1; i < n; i++ {
			h["/"+strconv.Itoa(i)] = redirect("/" + strconv.Itoa(i+1))
		}
		h["/"+strconv.Itoa(n)] = film
		return fixed(h)
	}
	head := func(lines string, body []byte) answer {
		return raw("HTTP/1.1 200 OK\r\n" + lines + fmt.Sprintf("Content-Length: %d\r\nConnection: close\r\n\r\n", len(body)) + string(body))
	}
	return []odd{
		{name: "coding: aws-chunked with plain bytes", serve: one(coded("aws-chunked", film)), want: ok},
		{name: "coding: identity", serve: one(coded("identity", film)), want: ok},
		{name: "coding: IDENTITY, identity", serve: one(coded("IDENTITY, identity", film)), want: ok},
		{name: "coding: none", serve: one(coded("none", film)), want: ok},
		{name: "coding: utf-8", serve: one(coded("utf-8", film)), want: ok},
		{name: "coding: binary", serve: one(coded("binary", film)), want: ok},
		{name: "coding: empty", serve: one(coded("", film)), want: ok},
		{name: "coding: an unknown word with plain bytes", serve: one(coded("x-cdn", film)), want: ok},
		{name: "coding: gzip of media", serve: one(coded("gzip", whole200("video/mp4", gzipped(mp4)))), want: ok},
		{name: "coding: gzip that is none", spins: true, serve: one(coded("gzip", film)), want: fault, why: "what is no gzip and says so, no player reads"},
		{name: "coding: deflate that is none", spins: true, serve: one(coded("deflate", film)), want: fault, why: "what is no deflate and says so, no player reads"},
		{name: "coding: br of something", serve: one(coded("br", whole200("video/mp4", random(9000)))), want: unsupported, why: "a coding that xship did not ask for and cannot read"},
		{name: "coding: gzip cut short", serve: one(coded("gzip", cut(gzipped(mp4), 900).ServeHTTP)), want: fault, why: "the body ends before its length"},

		{name: "range: capped at 4096", serve: one(capped(mp4, 4096, strconv.Itoa(len(mp4)))), want: ok, why: "ffmpeg does not ask for the rest; RFC 9110 lets a server answer so"},
		{name: "range: capped at 4096, movie box at the end", serve: one(capped(plain, 4096, strconv.Itoa(len(plain)))), want: ok, why: "ffmpeg does not ask for the rest; RFC 9110 lets a server answer so"},
		{name: "range: capped at 512, total unknown", serve: one(capped(ts, 512, "*")), want: ok, why: "ffmpeg does not ask for the rest; RFC 9110 lets a server answer so"},
		{name: "range: total unknown", serve: one(capped(mp4, 1<<30, "*")), want: ok, why: "ffmpeg does not seek in it"},
		{name: "range: a wrong total", serve: one(capped(mp4, 1<<30, strconv.Itoa(len(mp4)-1))), want: ok},
		{name: "range: not known, 200", serve: one(whole200("video/mp4", mp4)), want: ok},
		{name: "range: 206 without Content-Range", serve: one(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "video/mp4")
			w.Header().Set("Content-Length", strconv.Itoa(len(mp4)))
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(mp4)
		}), want: ok},
		{name: "range: 200 with Content-Range", serve: one(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-%d/%d", len(mp4)-1, len(mp4)))
			_, _ = w.Write(mp4)
		}), want: ok},
		{name: "range: refused by 416", serve: one(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Range") != "" && r.Header.Get("Range") != "bytes=0-" {
				w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
				return
			}
			whole200("video/mp4", mp4)(w, r)
		}), want: ok},
		{name: "range: any is refused by 416", serve: one(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Range") != "" {
				w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
				return
			}
			whole200("video/mp4", mp4)(w, r)
		}), want: ok, why: "ffmpeg always asks for a range; without one the file comes"},
		{name: "range: any is refused by 406", serve: one(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Range") != "" {
				w.WriteHeader(http.StatusNotAcceptable)
				return
			}
			whole200("video/mp4", mp4)(w, r)
		}), want: ok, why: "ffmpeg always asks for a range; without one the file comes"},
		{name: "range: one with an end is refused by 400", serve: one(openOnly(http.StatusBadRequest, mp4)), want: ok},
		{name: "range: one with an end is refused by 403", serve: one(openOnly(http.StatusForbidden, mp4)), want: ok},
		{name: "range: one with an end is refused by 404", serve: one(openOnly(http.StatusNotFound, mp4)), want: ok},
		{name: "range: one with an end is refused by 500", serve: one(openOnly(http.StatusInternalServerError, plain)), want: ok},
		{name: "range: one with an end is refused by 501", serve: one(openOnly(http.StatusNotImplemented, ts)), want: ok},
		{name: "range: one with an end is refused by 503", serve: one(openOnly(http.StatusServiceUnavailable, mp4)), want: ok},
		{name: "range: in several parts", serve: one(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Range") != "" {
				inParts(w, mp4)
				return
			}
			whole200("video/mp4", mp4)(w, r)
		}), want: ok, why: "ffmpeg takes the head of a part for media; without a range the file comes"},
		{name: "range: in several parts, and nothing else", serve: one(func(w http.ResponseWriter, _ *http.Request) { inParts(w, mp4) }), want: fault, why: "RFC 9110 forbids it, and no player reads it"},
		{name: "range: refused by 403", serve: one(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Range") != "" {
				w.WriteHeader(http.StatusForbidden)
				return
			}
			whole200("video/mp4", mp4)(w, r)
		}), want: fault, why: "players ask for ranges, and are refused"},
		{name: "range: another than asked for", serve: one(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes 100-%d/%d", len(mp4)-1, len(mp4)))
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(mp4[100:])
		}), want: fault, why: "what was asked for cannot be had"},
		{name: "range: upper case unit", serve: one(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", fmt.Sprintf("Bytes 0-%d/%d", len(mp4)-1, len(mp4)))
			w.Header().Set("Content-Length", strconv.Itoa(len(mp4)))
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(mp4)
		}), want: ok},
		{name: "range: Content-Range with equals sign", serve: one(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Range", fmt.Sprintf("bytes=0-%d/%d", len(mp4)-1, len(mp4)))
			w.Header().Set("Content-Length", strconv.Itoa(len(mp4)))
			w.WriteHeader(http.StatusPartialContent)
			_, _ = w.Write(mp4)
		}), want: ok},

		{name: "cookie: needed at the same address", serve: one(func(w http.ResponseWriter, r *http.Request) {
			if _, err := r.Cookie("pass"); err != nil {
				http.SetCookie(w, &http.Cookie{Name: "pass", Value: "1"})
				http.Redirect(w, r, r.URL.Path, http.StatusFound)
				return
			}
			film(w, r)
		}), want: ok, why: "ffmpeg remembers the redirect, and goes round"},
		{name: "cookie: two, on two hops", serve: fixed(hoster{
			"/file": func(w http.ResponseWriter, r *http.Request) {
				http.SetCookie(w, &http.Cookie{Name: "a", Value: "1", Path: "/"})
				http.Redirect(w, r, "/two", http.StatusFound)
			},
			"/two": func(w http.ResponseWriter, r *http.Request) {
				http.SetCookie(w, &http.Cookie{Name: "b", Value: "2", Path: "/"})
				http.Redirect(w, r, "/end", http.StatusFound)
			},
			"/end": func(w http.ResponseWriter, r *http.Request) {
				_, a := r.Cookie("a")
				if _, b := r.Cookie("b"); a != nil || b != nil {
					http.Error(w, "no", http.StatusForbidden)
					return
				}
				film(w, r)
			},
		}), want: ok},
		{name: "redirects: five", serve: hops(5), want: ok},
		{name: "redirects: eight", serve: hops(8), want: ok},
		{name: "redirects: without end", serve: one(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/file", http.StatusFound) }), want: fault, why: "it leads nowhere"},
		{name: "redirects: relative", path: "/a/b/file", serve: fixed(hoster{"/a/b/file": redirect("../end"), "/a/end": film}), want: ok},
		{name: "redirects: with a space", serve: fixed(hoster{"/file": redirectRaw("/the end.mp4"), "/the end.mp4": film}), want: ok},
		{name: "redirects: with a raw percent sign", serve: fixed(hoster{"/file": redirectRaw("/100% end.mp4"), "/100% end.mp4": film}), want: ok, why: "ffmpeg hands the percent sign on as it is, and the server of this test refuses it"},
		{name: "redirects: to a page", path: "/film.mp4", serve: fixed(hoster{"/film.mp4": redirect("/login"), "/login": sends("text/html", []byte("<html><title>Login</title><form>"))}), want: fault, why: "a page where media should be"},
		{name: "redirects: to nowhere", serve: one(redirect("http://127.0.0.1:9/file")), want: fault, why: "nobody is there"},
		{name: "redirects: to an impossible port", serve: one(redirect("http://127.0.0.1:99999/file")), want: unsupported, why: "an address that nobody can dial"},
		{name: "redirects: to another scheme", serve: one(redirect("rtmp://127.0.0.1/file")), want: unsupported, why: "an address that xship does not dial"},

		{name: "header: a line without colon", serve: one(head("Content-Type: video/mp4\r\nthis is no header\r\n", mp4)), want: ok},
		{name: "header: a name with a space", serve: one(head("Content-Type: video/mp4\r\nX Bad Name: 1\r\n", mp4)), want: ok},
		{name: "header: an empty name", serve: one(head("Content-Type: video/mp4\r\n: 1\r\n", mp4)), want: ok},
		{name: "header: bytes that are not ASCII", serve: one(head("Content-Type: video/mp4\r\nX-Name: \xc4\xfa\xba\r\n", mp4)), want: ok},
		{name: "header: a folded line", serve: one(head("Content-Type: video/mp4\r\nX-Long: a\r\n b\r\n", mp4)), want: ok},
		{name: "header: two equal lengths", serve: one(head("Content-Type: video/mp4\r\n"+fmt.Sprintf("Content-Length: %d\r\n", len(mp4)), mp4)), want: ok},
		{name: "header: LF line ends", serve: one(raw("HTTP/1.1 200 OK\nContent-Type: video/mp4\nConnection: close\n\n" + string(mp4))), want: ok, why: "ffmpeg wants a length or chunks"},
		{name: "header: HTTP/1.0 without length", serve: one(raw("HTTP/1.0 200 OK\r\nContent-Type: video/mp4\r\n\r\n" + string(mp4))), want: ok, why: "ffmpeg wants a length or chunks"},
		{name: "header: ICY", serve: one(raw("ICY 200 OK\r\nContent-Type: audio/mpeg\r\n\r\n" + string(readMedia(t, "odd/bare.mp3")))), want: ok, why: "ffmpeg wants a length or chunks"},
		{name: "header: no status text", serve: one(raw("HTTP/1.1 200\r\nContent-Type: video/mp4\r\nConnection: close\r\n\r\n" + string(mp4))), want: ok, why: "ffmpeg wants a length or chunks"},
		{name: "no HTTP", serve: one(raw("SSH-2.0-OpenSSH_9.2\r\n")), want: fault, why: "no answer of HTTP"},
		{name: "closes at once", serve: one(raw("")), want: fault, why: "no answer"},
		{name: "body: longer than announced", serve: one(raw(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: %d\r\nConnection: close\r\n\r\n", len(mp4)) + string(mp4) + "more")), want: ok},
		{name: "body: chunked", serve: one(func(w http.ResponseWriter, _ *http.Request) {
			_ = http.NewResponseController(w).Flush()
			_, _ = w.Write(mp4)
		}), want: ok},
		{name: "body: chunked, broken off", serve: one(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(ts[:3000])
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}), want: fault, why: "the body ends before its last chunk"},
		{name: "body: never comes", hangs: true, serve: one(func(w http.ResponseWriter, r *http.Request) {
			_ = http.NewResponseController(w).Flush()
			hang(r)
		}), want: fault, why: "no answer in time"},
		{name: "answer: never comes", hangs: true, serve: one(func(_ http.ResponseWriter, r *http.Request) { hang(r) }), want: fault, why: "no answer in time"},
		{name: "status: 404", serve: one(status(404)), want: dead, why: "gone"},
		{name: "status: 410", serve: one(status(410)), want: dead, why: "gone"},
		{name: "status: 403", serve: one(status(403)), want: fault, why: "refused"},
		{name: "status: 429", serve: one(status(429)), want: fault, why: "refused"},
		{name: "status: 451", serve: one(status(451)), want: fault, why: "refused"},
		{name: "status: 500", serve: one(status(500)), want: fault, why: "the hoster fails"},
		{name: "status: 503", serve: one(status(503)), want: fault, why: "the hoster fails"},
		{name: "status: 404 with the film", serve: one(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write(mp4)
		}), want: dead, why: "gone, it says"},
		{name: "status: 204", serve: one(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }), want: fault, why: "nothing came"},
		{name: "status: 203 with the film", serve: one(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(len(mp4)))
			w.WriteHeader(http.StatusNonAuthoritativeInfo)
			_, _ = w.Write(mp4)
		}), want: ok},
		{name: "address: a raw percent sign", path: "/100% Film.mp4", serve: one(film), want: ok, why: "the server of this test refuses what ffmpeg sends unescaped"},
		{name: "address: raw pipes", path: "/v/a|b/fast.mp4", serve: fixed(hoster{"/v/a|b/fast.mp4": film}), want: ok},
		{name: "address: a raw pipe in the query", path: "/v.mp4?fl=cut,14,|hls2", serve: fixed(hoster{"/v.mp4": func(w http.ResponseWriter, r *http.Request) {
			if r.URL.RawQuery != "fl=cut,14,%7Chls2" && r.URL.RawQuery != "fl=cut,14,|hls2" {
				http.NotFound(w, r)
				return
			}
			film(w, r)
		}}), want: ok},
		{name: "body: slow", serve: one(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", strconv.Itoa(len(mp4)))
			for piece := range 8 {
				from, to := piece*len(mp4)/8, (piece+1)*len(mp4)/8
				_, _ = w.Write(mp4[from:to])
				_ = http.NewResponseController(w).Flush()
				time.Sleep(20 * time.Millisecond)
			}
		}), want: ok},
	}
}

// hang answers nothing until its client goes.
func hang(r *http.Request) {
	<-r.Context().Done()
	panic(http.ErrAbortHandler)
}

func redirect(to string) answer {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		http.Redirect(w, r, to, http.StatusFound)
	}
}

// redirectRaw redirects to what need not be a URL.
func redirectRaw(to string) answer {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	}
}

// inParts answers a single range as if several had been asked for.
func inParts(w http.ResponseWriter, data []byte) {
	w.Header().Set("Content-Type", "multipart/byteranges; boundary=THIS")
	w.WriteHeader(http.StatusPartialContent)
	_, _ = fmt.Fprintf(w, "--THIS\r\nContent-Type: video/mp4\r\nContent-Range: bytes 0-%d/%d\r\n\r\n%s\r\n--THIS--\r\n", len(data)-1, len(data), data)
}
