// Package ytdlp resolves links to web pages with the yt-dlp program, where the
// user has it. It runs it once a link, without its settings and its cache.
package ytdlp
