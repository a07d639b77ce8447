package mediainfo

import (
	"encoding/hex"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
)

func TestLanguageCode(t *testing.T) {
	for in, want := range map[string]string{
		"deu": "de", "ger": "de", "dut": "nl", "cze": "cs", "eng": "en", "fre": "fr", "fra": "fr", "chi": "zh", "zho": "zh", "cmn": "zh", "en-US": "en", "pt_BR": "pt",
		"zh-Hans": "zh", "DE": "de", "und": "", "": "", "zxx": "", "mul": "mul", "yue": "yue", "qaa": "qaa", "xyzzy-plugh": "", "\x1b[31m": "",
	} {
		if got := languageCode(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestManifestCodec(t *testing.T) {
	tests := []struct {
		in, want string
		kind     codecKind
		dolby    bool
	}{
		{"avc1.640028", "h264", codecVideo, false},
		{" hvc1.1.6.L93.B0", "hevc", codecVideo, false},
		{"dvh1.05.06", "hevc", codecVideo, true},
		{"dav1.10.09", "av1", codecVideo, true},
		{"av01.0.05M.08", "av1", codecVideo, false},
		{"vp09.00.10.08", "vp9", codecVideo, false},
		{"mp4a.40.2", "aac", codecAudio, false},
		{"mp4a.40.34", "mp3", codecAudio, false},
		{"mp4a.6B", "mp3", codecAudio, false},
		{"mp4a.a6", "eac3", codecAudio, false},
		{"ec-3", "eac3", codecAudio, false},
		{"fLaC", "flac", codecAudio, false},
		{"Opus", "opus", codecAudio, false},
		{"stpp.ttml.im1t", "ttml", codecText, false},
		{"wvtt", "webvtt", codecText, false},
		{"zzzz.1", "zzzz", codecOther, false},
		{"", "", codecOther, false},
	}
	for _, tt := range tests {
		codec, kind, dolby := manifestCodec(tt.in)
		if codec != tt.want || kind != tt.kind || dolby != tt.dolby {
			t.Errorf("%q: got %q, %d, %v", tt.in, codec, kind, dolby)
		}
	}
}

func TestAudioConfigurations(t *testing.T) {
	aac := func(b []byte) int {
		f, _ := aacConfig(b)
		return f.channels
	}
	tests := []struct {
		name  string
		parse func([]byte) int
		hex   string
		want  int
	}{
		{"AAC-LC stereo", aac, "1190", 2},
		{"AAC-LC 5.1", aac, "11b0", 6},
		{"AAC-LC 7.1", aac, "11b8", 8},
		{"HE-AAC v2 has two channels in one", aac, "eb8a0800", 2},
		{"too short", aac, "11", 0},
		{"AC-3 5.1", dac3Channels, "103dc0", 6},
		{"AC-3 stereo", dac3Channels, "101000", 2},
		{"E-AC-3 5.1", dec3Channels, "1400200f00", 6},
		{"E-AC-3 7.1: the pair behind", dec3Channels, "1400200f0202", 8},
		{"E-AC-3 cut", dec3Channels, "1400", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b, err := hex.DecodeString(tt.hex)
			if err != nil {
				t.Fatal(err)
			}
			if got := tt.parse(b); got != tt.want {
				t.Errorf("got %d channels, want %d", got, tt.want)
			}
		})
	}
}

func TestAttributes(t *testing.T) {
	got := attributes(`A=1,B="x, y=z",C=,D="open`)
	want := map[string]string{"A": "1", "B": "x, y=z", "C": "", "D": "open"}
	if !maps.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestParsePlaylist_byteRanges(t *testing.T) {
	p := parsePlaylist([]byte("#EXTM3U\n#EXTINF:1,\n#EXT-X-BYTERANGE:10@5\na\n#EXTINF:inf,\n#EXT-X-BYTERANGE:7\na\n#EXTINF:-3,\nb\n#EXTINF:2.5\n#EXT-X-BYTERANGE:9\na"), nil, nil)
	if len(p.segments) != 4 || p.duration != 3.5 || p.ended {
		t.Fatalf("got %d segments, %v s", len(p.segments), p.duration)
	}
	if first, last := p.segments[0], p.segments[3]; first.off != 5 || first.n != 10 || last.off != 22 || last.n != 9 {
		t.Errorf("got %+v and %+v", first, last)
	}
}

// TestParsePlaylist_forms has one list in each form of text that is met.
func TestParsePlaylist_forms(t *testing.T) {
	const list = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:3,\na\nb\n#EXT-X-DISCONTINUITY\n#EXT-X-GAP\n#EXTINF:2,\nc\n#EXT-X-ENDLIST\n"
	wide := "\xff\xfe"
	for _, c := range list {
		wide += string(c) + "\x00"
	}
	for name, text := range map[string]string{
		"plain": list, "byte order mark": "\ufeff" + list, "CR": strings.ReplaceAll(list, "\n", "\r"), "CRLF": strings.ReplaceAll(list, "\n", "\r\n"),
		"spaces": strings.ReplaceAll(list, "\n", " \n\t"), "NUL": list + "\x00\x00", "UTF-16": wide, "no last line end": strings.TrimSuffix(list, "\n"),
	} {
		p := parsePlaylist([]byte(text), nil, nil)
		var uris []string
		for _, s := range p.segments {
			uris = append(uris, s.uri)
		}
		// The segment without a time has that which one has at most.
		if got := strings.Join(uris, " "); got != "a b c" || p.duration != 9 || !p.ended || !slices.Equal(p.jumps, []int{2}) || !p.segments[2].gap {
			t.Errorf("%s: got %s of %v s, %+v", name, got, p.duration, p)
		}
	}
}

func TestParsePlaylist_variables(t *testing.T) {
	text := "#EXTM3U\n#EXT-X-DEFINE:NAME=\"a\",VALUE=\"x\"\n#EXT-X-DEFINE:NAME=\"b\",VALUE=\"{$a}y\"\n#EXT-X-DEFINE:QUERYPARAM=\"q\"\n#EXT-X-DEFINE:IMPORT=\"i\"\n" +
		"#EXT-X-MAP:URI=\"{$b}.mp4\"\n{$a}/{$b}/{$q}{$i}.ts?{$\n{$none}\n"
	p := parsePlaylist([]byte(text), url.Values{"q": {"1"}}, map[string]string{"i": "2"})
	if len(p.segments) != 2 || p.segments[0].uri != "x/xy/12.ts?{$" || p.segments[0].init.uri != "xy.mp4" || p.undefined != "none" {
		t.Errorf("got %+v", p)
	}
}

func TestParsePlaylist_keys(t *testing.T) {
	text := "#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://a\",KEYFORMAT=\"com.apple\"\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\",IV=0X1f\n#EXT-X-KEY:METHOD=SAMPLE-AES-CTR,URI=\"w\",KEYFORMAT=\"urn:uuid:edef\"\na\n" +
		"#EXT-X-KEY:METHOD=NONE\nb\n#EXT-X-KEY:METHOD=SAMPLE-AES,URI=\"skd://a\"\nc"
	p := parsePlaylist([]byte(text), nil, nil)
	if len(p.segments) != 3 || p.segments[0].key == nil || p.segments[0].key.uri != "k" || len(p.segments[0].key.iv) != 16 || p.segments[0].key.iv[15] != 0x1f ||
		p.segments[1].key != nil || p.segments[2].key == nil || p.segments[2].key.open() {
		t.Errorf("got %+v", p.segments)
	}
}

func TestTried(t *testing.T) {
	list := func(n int, ended bool) *playlist { return &playlist{segments: make([]segment, n), ended: ended} }
	jump := list(100, true)
	jump.jumps = []int{30, 60}
	gaps := list(3, true)
	gaps.segments[0].gap = true
	for name, tt := range map[string]struct {
		list *playlist
		want []int
	}{
		"one": {list(1, true), []int{0}}, "film": {list(100, true), []int{0, 49, 99, 1, 24}}, "a part that ends": {jump, []int{0, 30, 49, 99, 1, 24}},
		"live": {list(10, false), []int{9, 7, 4, 0}}, "live, one": {list(1, false), []int{0}}, "a gap": {gaps, []int{1, 2}},
	} {
		if got := tt.list.tried(); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", name, got, tt.want)
		}
	}
}

func TestISODuration(t *testing.T) {
	for in, want := range map[string]float64{
		"PT1H2M3.5S": 3723.5, "PT30S": 30, "P1DT1S": 86401, "P0Y0M0DT0H3M30.000S": 210, "PT": 0, "": 0, "P1Y": 0, "PT-5S": 0, "5": 0,
	} {
		if got := isoDuration(in); got != want {
			t.Errorf("%q: got %v, want %v", in, got, want)
		}
	}
}

func TestParseMPD(t *testing.T) {
	const head = `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" `
	tests := []struct {
		name, in string
		want     sources.MediaInfo
	}{
		{
			"on demand",
			head + `mediaPresentationDuration="PT1M"><Period>
			<AdaptationSet mimeType="video/mp4" frameRate="24000/1001" codecs="hvc1.2.4.L150">
			<SupplementalProperty schemeIdUri="urn:mpeg:mpegB:cicp:TransferCharacteristics" value="18"/>
			<Representation bandwidth="100" width="640" height="360"/><Representation bandwidth="900" width="1920" height="1080"/></AdaptationSet>
			<AdaptationSet contentType="audio" lang="ger"><Representation codecs="ec-3" bandwidth="50" mimeType="audio/mp4">
			<AudioChannelConfiguration schemeIdUri="tag:dolby.com,2014:dash:audio_channel_configuration:2011" value="F801"/></Representation></AdaptationSet>
			<AdaptationSet mimeType="audio/mp4" lang="en" codecs="mp4a.40.2"><AudioChannelConfiguration schemeIdUri="urn:mpeg:mpegB:cicp:ChannelConfiguration" value="12"/>
			<Representation bandwidth="30"/></AdaptationSet>
			<AdaptationSet mimeType="text/vtt" lang="fr"><Representation/></AdaptationSet>
			<AdaptationSet mimeType="application/ttml+xml"><Representation/></AdaptationSet>
			</Period><Period><AdaptationSet mimeType="audio/mp4" codecs="opus"><Representation/></AdaptationSet></Period></MPD>`,
			sources.MediaInfo{
				Container: "dash", DurationSeconds: 60, BitrateBPS: 950,
				Video:     &sources.VideoTrack{Codec: "hevc", Width: 1920, Height: 1080, FPS: 24000.0 / 1001, HDR: "HLG"},
				Audio:     []sources.AudioTrack{{Codec: "eac3", Channels: 6, Language: "de"}, {Codec: "aac", Channels: 8, Language: "en"}},
				Subtitles: []sources.SubtitleTrack{{Codec: "webvtt", Language: "fr"}, {Codec: "ttml"}},
			},
		},
		{
			"live, kind by codec",
			head + `type="dynamic"><Period duration="PT10S"><AdaptationSet><Representation codecs="dvh1.05.01" width="-5" height="99999999" bandwidth="-1"/></AdaptationSet></Period></MPD>`,
			sources.MediaInfo{Container: "dash", Video: &sources.VideoTrack{Codec: "hevc", Height: 1 << 16, HDR: "Dolby Vision"}},
		},
		{
			"duration of the periods",
			head + `><Period duration="PT10S"><AdaptationSet><Representation codecs="opus"/></AdaptationSet></Period><Period duration="PT5S"/></MPD>`,
			sources.MediaInfo{Container: "dash", DurationSeconds: 15, Audio: []sources.AudioTrack{{Codec: "opus"}}},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got sources.MediaInfo
			m, err := parseMPD([]byte(tt.in))
			if err != nil {
				t.Fatal(err)
			}
			if err := m.describe(&got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The counter of a transport stream runs over every 26.5 hours.
func TestSinceClock(t *testing.T) {
	tests := []struct{ pts, clock, want int64 }{
		{100, 50, 50}, {50, 100, -50}, {10, ptsWrap - 10, 20}, {ptsWrap - 10, 10, -20}, {7200 * ptsHz, 0, 7200 * ptsHz},
	}
	for _, tt := range tests {
		if got := sinceClock(tt.pts, tt.clock); got != tt.want {
			t.Errorf("%d after %d: got %d, want %d", tt.pts, tt.clock, got, tt.want)
		}
	}
}

func TestMatroskaCodec(t *testing.T) {
	tests := []struct {
		track mkvTrack
		want  string
	}{
		{mkvTrack{codecID: "V_MPEG4/ISO/AVC"}, "h264"},
		{mkvTrack{codecID: "V_MS/VFW/FOURCC", private: append(make([]byte, 16), "XVID"...)}, "mpeg4"},
		{mkvTrack{codecID: "A_AAC/MPEG4/LC/SBR"}, "aac"},
		{mkvTrack{codecID: "A_DTS/LOSSLESS"}, "dts"},
		{mkvTrack{codecID: "A_PCM/INT/LIT", depth: 24}, "pcm_s24le"},
		{mkvTrack{codecID: "S_HDMV/PGS"}, "hdmv_pgs_subtitle"},
		{mkvTrack{codecID: "X_NEW"}, "x_new"},
	}
	for _, tt := range tests {
		if got := tt.track.codec(); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.track.codecID, got, tt.want)
		}
	}
}
