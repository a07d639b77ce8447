package sources

import (
	"time"
)

// Stream is a source resolved: what a player opens.
type Stream struct {
	URL       string            // final, without headers behind a "|"
	Headers   map[string]string // to be sent with every request for URL
	MIME      string            // media type without parameters, "" where unknown
	ExpiresAt time.Time         // from the URL's own token; zero where unknown
	Provider  string            // that unlocked it for one user, "" = none; its faults are not the hoster's
}

// MediaInfo is what a stream itself says it holds. Fields that it does not
// tell are zero. The JSON form is the one that users see.
type MediaInfo struct {
	Container       string          `json:"container"` // "mp4", "matroska", "webm", "mpegts", "hls", "dash", or ffprobe's name
	DurationSeconds float64         `json:"duration_seconds"`
	BitrateBPS      int64           `json:"bitrate_bps"` // of the whole stream
	SizeBytes       int64           `json:"size_bytes"`
	Video           *VideoTrack     `json:"video"` // the main picture, nil where there is none
	Audio           []AudioTrack    `json:"audio"`
	Subtitles       []SubtitleTrack `json:"subtitles"`
	Notes           []string        `json:"notes,omitempty"` // what a user should know before it plays
	ProbedAt        int64           `json:"probed_at"`       // Unix seconds
}

// VideoTrack describes a picture track. Codecs have ffprobe's names: "h264",
// "hevc", "av1", "vp9".
type VideoTrack struct {
	Codec  string  `json:"codec"`
	Width  int     `json:"width"`
	Height int     `json:"height"`
	FPS    float64 `json:"fps"`
	HDR    string  `json:"hdr"` // "HDR10", "HLG", "Dolby Vision", or "" for SDR and unknown
}

// AudioTrack describes a sound track. Codecs have ffprobe's names: "aac",
// "ac3", "eac3", "opus".
type AudioTrack struct {
	Codec    string `json:"codec"`
	Channels int    `json:"channels"`
	Language string `json:"language"` // ISO 639-1 where it has one, else as found; "" unknown
}

// SubtitleTrack describes a subtitle track.
type SubtitleTrack struct {
	Codec    string `json:"codec"`
	Language string `json:"language"`
}
