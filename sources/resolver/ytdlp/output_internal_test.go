package ytdlp

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
)

func TestParse(t *testing.T) {
	tests := []struct {
		name, output string
		want         sources.Stream // zero: unsupported
	}{
		{
			"file", `{"url":"https://h/a.mp4","ext":"mp4","protocol":"https","http_headers":{"referer":"https://p/","User-Agent":"M","Accept-Encoding":"br","a b":"c","X":"1\r\n2","N":1}}`,
			sources.Stream{URL: "https://h/a.mp4", MIME: "video/mp4", Headers: map[string]string{"Referer": "https://p/", "User-Agent": "M", "N": ""}},
		},
		{"hls", `{"url":"https://h/a.m3u8","ext":"mp4","protocol":"m3u8_native"}`, sources.Stream{URL: "https://h/a.m3u8", MIME: "application/vnd.apple.mpegurl"}},
		{
			"dash", `{"url":"https://h/base/","manifest_url":"https://h/a.mpd","protocol":"http_dash_segments"}`,
			sources.Stream{URL: "https://h/a.mpd", MIME: "application/dash+xml"},
		},
		{"playlist", `{"_type":"playlist","entries":[null,{"url":"https://h/1.webm","ext":"webm"},{"url":"https://h/2"}]}`, sources.Stream{}},
		{"playlist of one", `{"_type":"playlist","entries":[{"url":"https://h/1.webm","ext":"webm"}]}`, sources.Stream{URL: "https://h/1.webm", MIME: "video/webm"}},
		{
			"the best of the formats", `{"url":null,"formats":[
				{"url":"https://h/low.mp4","ext":"mp4","protocol":"https"},
				{"url":"https://h/high.mp4","ext":"mp4","protocol":"https","vcodec":"h264","acodec":"aac"},
				{"url":"https://h/silent.mp4","ext":"mp4","protocol":"https","vcodec":"h264","acodec":"none"},
				{"url":"https://h/board","protocol":"mhtml"}, 7]}`,
			sources.Stream{URL: "https://h/high.mp4", MIME: "video/mp4"},
		},
		{"other types", `{"url":7,"ext":[],"protocol":{},"http_headers":[],"formats":{},"entries":1}`, sources.Stream{}},
		{"rtmp", `{"url":"rtmp://h/a","protocol":"rtmp"}`, sources.Stream{}},
		{"file of this machine", `{"url":"file:///etc/passwd"}`, sources.Stream{}},
		{"null", `null`, sources.Stream{}},
		{"no JSON", `Traceback`, sources.Stream{}},
		{"nothing", ``, sources.Stream{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parse([]byte(tt.output))
			if tt.want.URL == "" {
				if sources.ClassOf(err) != sources.ClassUnsupported {
					t.Errorf("got %+v, %v", got, err)
				}
				return
			}
			if diff := cmp.Diff(tt.want, got); err != nil || diff != "" {
				t.Errorf("%v (-want +got):\n%s", err, diff)
			}
		})
	}
}

func TestClassify(t *testing.T) {
	const link = "https://h/login.html?token=s3cr3t-s3cr3t"
	tests := []struct {
		messages string
		class    sources.Class
		message  string
	}{
		{"ERROR: Unsupported URL: " + link + "\n", sources.ClassUnsupported, "Unsupported URL: https://h/login.html?token=REDACTED"},
		{
			"ERROR: [generic] None: Unable to download webpage: HTTP Error 404: Not Found (caused by <HTTPError 404>); please report this issue on x\n",
			sources.ClassDeadLink, "[generic] None: Unable to download webpage: HTTP Error 404: Not Found",
		},
		{"ERROR: [youtube] abc: Video unavailable. This video has been removed by the uploader", sources.ClassDeadLink, "[youtube] abc: Video unavailable. This video has been removed by the uploader"},
		{"ERROR: Unable to download webpage: HTTP Error 503: Service Unavailable", sources.ClassHosterFault, "Unable to download webpage: HTTP Error 503: Service Unavailable"},
		{"ERROR: Unable to download webpage " + link + ": <urlopen error [Errno 111] Connection refused> (caused by URLError())", sources.ClassHosterFault, "Unable to download webpage https://h/login.html?token=REDACTED: <urlopen error [Errno 111] Connection refused>"},
		{"ERROR: The read operation timed out", sources.ClassHosterFault, "The read operation timed out"},
		{"ERROR: This video is not available in your country", sources.ClassUnsupported, "This video is not available in your country"},
		{"ERROR: Private video. Sign in if you've been granted access", sources.ClassUnsupported, "Private video. Sign in if you've been granted access"},
		{"Traceback (most recent call last):\n  File \"x\"\nKeyError: 'a'\n", sources.ClassUnsupported, "Traceback (most recent call last):"},
		{"ERROR: \x1b[31mred", sources.ClassUnsupported, "red"},
		{"", sources.ClassUnsupported, "it failed and did not say why"},
	}
	for _, tt := range tests {
		t.Run(tt.messages, func(t *testing.T) {
			class, message := classify(tt.messages, link)
			if class != tt.class || message != tt.message {
				t.Errorf("got %s %q, want %s %q", class, message, tt.class, tt.message)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`{"url":"https://h/a"}`, `{"formats":[{"url":"http://h/"}]}`, `{"entries":[{"entries":[]}]}`, `null`, `{`, `{"http_headers":{"a":"b\n"}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, output []byte) {
		s, err := parse(output)
		if err == nil && s.URL == "" || err != nil && sources.ClassOf(err) != sources.ClassUnsupported {
			t.Errorf("%q gives %+v, %v", output, s, err)
		}
	})
}
