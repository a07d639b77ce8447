package mediainfo_test

import (
	"bytes"
	"testing"

	"xship/sources"
	"xship/sources/mediainfo"
)

// A file whose tracks stand behind the media is read by its seek head.
func TestProbe_lateTracks(t *testing.T) {
	const (
		ebmlID, docTypeID, segmentID, clusterID          = 0x1a45dfa3, 0x4282, 0x18538067, 0x1f43b675
		seekHeadID, seekID, seekTargetID, seekPositionID = 0x114d9b74, 0x4dbb, 0x53ab, 0x53ac
		infoID, durationID, tracksID, entryID            = 0x1549a966, 0x4489, 0x1654ae6b, 0xae
		typeID, codecID, languageID, audioID, channelID  = 0x83, 0x86, 0x22b59c, 0xe1, 0x9f
		videoID, widthID, heightID                       = 0xe0, 0xb0, 0xba
		colourID, transferID, additionID, additionType   = 0x55b0, 0x55ba, 0x41e4, 0x41e7
	)
	info := ebml(infoID, ebml(durationID, []byte{0x46, 0xea, 0x60, 0})) // 30000 ms
	tracks := ebml(tracksID,
		ebml(entryID, ebml(typeID, []byte{1}), ebml(codecID, []byte("V_MPEGH/ISO/HEVC")),
			ebml(videoID, ebml(widthID, []byte{0x0f, 0}), ebml(heightID, []byte{0x08, 0x70}), ebml(colourID, ebml(transferID, []byte{18})))),
		ebml(entryID, ebml(typeID, []byte{2}), ebml(codecID, []byte("A_EAC3")), ebml(audioID, ebml(channelID, []byte{6}))),
		ebml(entryID, ebml(typeID, []byte{2}), ebml(codecID, []byte("A_OPUS")), ebml(languageID, []byte("ger"))),
		ebml(entryID, ebml(typeID, []byte{1}), ebml(additionID, ebml(additionType, u32(0x64767643)))),
	)
	cluster := ebml(clusterID, make([]byte, 1<<20))
	seek := func(id, at int) []byte {
		return ebml(seekID, ebml(seekTargetID, u32(id)), ebml(seekPositionID, u32(at)))
	}
	head := len(ebml(seekHeadID, seek(infoID, 0), seek(tracksID, 0)))
	file := bytes.Join([][]byte{
		ebml(ebmlID, ebml(docTypeID, []byte("webm\x00"))),
		ebml(segmentID, ebml(seekHeadID, seek(infoID, head+len(cluster)+len(tracks)), seek(tracksID, head+len(cluster))), cluster, tracks, info),
	}, nil)
	c := new(client)
	got, err := newProber(mediainfo.Options{Range: c.get}).Probe(t.Context(), sources.Stream{URL: serveBytes(t, file)})
	if err != nil {
		t.Fatal(err)
	}
	if got.Container != "webm" || got.DurationSeconds != 30 || c.requests.Load() != 2 {
		t.Errorf("got %+v in %d requests", got, c.requests.Load())
	}
	if v := got.Video; v == nil || v.Codec != "hevc" || v.Width != 3840 || v.Height != 2160 || v.HDR != "HLG" {
		t.Errorf("got %+v", v)
	}
	// English is the format's default.
	want := []sources.AudioTrack{{Codec: "eac3", Channels: 6, Language: "en"}, {Codec: "opus", Channels: 1, Language: "de"}}
	if len(got.Audio) != 2 || got.Audio[0] != want[0] || got.Audio[1] != want[1] {
		t.Errorf("got %+v, want %+v", got.Audio, want)
	}
}
