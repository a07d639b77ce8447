package release_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"xship/sources"
	"xship/sources/release"
)

// read is what a name tells of title, season, episodes, year and codec, in one line.
func read(i release.Info) string {
	var b strings.Builder
	b.WriteString(i.Title)
	if i.AltTitle != "" {
		b.WriteString(" = " + i.AltTitle)
	}
	b.WriteByte('|')
	if i.Episodes.Season >= 0 {
		fmt.Fprintf(&b, "S%d", i.Episodes.Season)
	}
	if i.HasEpisode {
		fmt.Fprintf(&b, "E%d", i.Episodes.First)
	}
	if i.HasEpisode && i.Episodes.Last != i.Episodes.First {
		fmt.Fprintf(&b, "-%d", i.Episodes.Last)
	}
	b.WriteByte('|')
	if i.Year > 0 {
		fmt.Fprint(&b, i.Year)
	}
	b.WriteString("|" + i.Codec)
	return b.String()
}

// names are file names by the kinds that people give them. A number that may be the
// episode or not is read as none.
var names = []struct {
	kind  string
	names [][2]string
}{
	{"scene and broadcasters", [][2]string{
		{"www.site.example - Quiet.Harbour.2008.1080p.WEB.H264-GRP", "Quiet Harbour||2008|H264"},
		{"www.site.example - Quiet Harbour (2008)", "Quiet Harbour||2008|"},
		{"www.Quiet.Harbour.2008.1080p", "www Quiet Harbour||2008|"},
		{"Quiet.Harbour.S01E02.720p.HDTV.x264-GRP", "Quiet Harbour|S1E2||H264"},
		{"quiet.harbour.s01e02.1080p.web.h264-grp.mkv", "quiet harbour|S1E2||H264"},
		{"Quiet Harbour S1E2", "Quiet Harbour|S1E2||"},
		{"Quiet Harbour 01E02.mkv", "Quiet Harbour|S1E2||"},
		{"Quiet Harbour S01 E02 1080p", "Quiet Harbour|S1E2||"},
		{"Quiet.Harbour.S01.E02.1080p.WEB-DL", "Quiet Harbour|S1E2||"},
		{"Quiet_Harbour_S01E02_720p_HDTV.mkv", "Quiet Harbour|S1E2||"},
		{"Quiet-Harbour-s01e02.mkv", "Quiet-Harbour|S1E2||"},
		{"Quiet Harbour - S01E02 - The Ferry.mkv", "Quiet Harbour|S1E2||"},
		{"Quiet Harbour / S01E02 [2008, WEB-DL 1080p]", "Quiet Harbour|S1E2|2008|"},
		{"Quiet Harbour (2008) - S01E02 - The Ferry [1080p].mkv", "Quiet Harbour|S1E2|2008|"},
		{"Quiet.Harbour.2008.S01E02.German.DL.1080p.WEB.x264-GRP", "Quiet Harbour|S1E2|2008|H264"},
		{"Quiet.Harbour.S2014E05.720p.HDTV.x264-GRP", "Quiet Harbour|S2014E5|2014|H264"},
		{"Quiet.Harbour.S011E16.720p", "Quiet Harbour|S11E16||"},
		{"Quiet.Harbour.S01EP02.720p", "Quiet Harbour|S1E2||"},
		{"Quiet.Harbour.S01xE02.720p.mkv", "Quiet Harbour|S1E2||"},
		{"Quiet.Harbour.T01E02.720p.mkv", "Quiet Harbour|S1E2||"},
		{"Quiet Harbour T02xE08 Castellano.mkv", "Quiet Harbour|S2E8||"},
		{"Quiet.Harbour.S01E02v2.720p", "Quiet Harbour|S1E2||"},
		{"Quiet.Harbour.S01E1116.1080p.WEB-DL", "Quiet Harbour|S1E1116||"},
		{"Quiet Harbour S42E10986 2016-08-12.mkv", "Quiet Harbour|S42E10986||"},
		{"Quiet.Harbour.S00E05.Special.720p", "Quiet Harbour|S0E5||"},
		{"Quiet.Harbour.S01E00.Pilot.720p", "Quiet Harbour|S1E0||"},
		{"Quiet.Harbour.S01.05.1080p.mkv", "Quiet Harbour|S1E5||"},
		{"Quiet Harbour S02 03.mkv", "Quiet Harbour|S2E3||"},
		{"Quiet Harbour - S03 - EP14 [1080p].mkv", "Quiet Harbour|S3E14||"},
		{"Quiet Harbour S2 - 09 [1080p].mkv", "Quiet Harbour|S2E9||"},
		{"Quiet.Harbour.S2.-.09.[1080p]", "Quiet Harbour|S2E9||"},
		{"Quiet Harbour [S01E02] [1080p].mkv", "Quiet Harbour|S1E2||"},
		{"Quiet Harbour (S01E02) 720p.mkv", "Quiet Harbour|S1E2||"},
		{"[S01E02] Quiet Harbour - The Ferry.mkv", "Quiet Harbour|S1E2||"},
		{"S01E02 - Quiet Harbour - The Ferry.mkv", "Quiet Harbour|S1E2||"},
		{"S01E02.mkv", "|S1E2||"},
		{"S01E02 - The Ferry.mkv", "|S1E2||"},
		{"S01E02.Quiet.Harbour.720p.mkv", "Quiet Harbour|S1E2||"},
		{"S01E02 - The Ferry.mkv", "|S1E2||"},
		{"S01E02.5.1.mkv", "|S1E2||"},
		{"E05.5.Minutes.mkv", "|||"},
		{"Quiet.Harbour.S03-x01.mkv", "Quiet Harbour|S3E1||"},
		{"Quiet_Harbour-s03-x02-The_Ferry.mkv", "Quiet Harbour|S3E2||"},
		{"Quiet.Harbour.S03.x264", "Quiet Harbour|S3||H264"},
		{"Quiet.Harbour.S01E02The Ferry.mkv", "Quiet Harbour|S1E2||"},
		{"Quiet Harbour [S2-07].mkv", "Quiet Harbour|S2E7||"},
		{"Quiet Harbour S2-7", "Quiet Harbour|||"},
		{"Quiet Harbour Season 11 01.mp4", "Quiet Harbour|S11E1||"},
		{"Quiet.Harbour.Season.4.16.1080p", "Quiet Harbour|S4E16||"},
		{"Quiet Harbour E02.mkv", "Quiet Harbour|E2||"},
		{"Quiet.Harbour.E02.720p-GRP", "Quiet Harbour|E2||"},
		{"Quiet.Harbour.E05.240305.720p-GRP", "Quiet Harbour|E5||"},
		{"Quiet.Harbour.E500.200426.1080p-GRP", "Quiet Harbour|E500||"},
		{"Quiet.Harbour.EP06.720p.x265.mp4", "Quiet Harbour|E6||HEVC"},
		{"Quiet Harbour Ep12.mkv", "Quiet Harbour|E12||"},
		{"Quiet Harbour [E05] 720p.mkv", "Quiet Harbour|E5||"},
		{"Quiet.Harbour.S01E02.Room.512.1080p.WEB", "Quiet Harbour|S1E2||"},
		{"Quiet.Harbour.S01E02.10.People.720p", "Quiet Harbour|S1E2||"},
		{"Quiet.Harbour.S01E02.5.Ferries.720p", "Quiet Harbour|S1||"},
		{"Quiet.Harbour.S01E02v1.5.720p", "Quiet Harbour|S1E2||"},
		{"Quiet.Harbour.S01E02.0.8.4.720p", "Quiet Harbour|S1E2||"},
		{"Quiet.Harbour.S01E02.5.1.AAC.720p", "Quiet Harbour|S1E2||"},
		{"Quiet.Harbour.S01E11.5.720p", "Quiet Harbour|S1||"},
		{"Quiet.Harbour.S01E02.X.1080p.WEB-DL", "Quiet Harbour|S1E2||"},
		{"Quiet.Harbour.S01E02.The.Ferry.Part.2.720p", "Quiet Harbour|S1E2||"},
		{"Harbour.24.S01E02.720p", "Harbour 24|S1E2||"},
		{"24.Ferries.S01E02.720p.HDTV", "24 Ferries|S1E2||"},
		{"1883.Ferries.S01E02.1080p", "1883 Ferries|S1E2||"},
		{"9-1-7.S02E03.720p", "9-1-7|S2E3||"},
		{"Quiet Harbour 104 S01E02.mkv", "Quiet Harbour 104|S1E2||"},
		{"Quiet Harbour at Age 29 S01E03 1080p WEB-DL", "Quiet Harbour at Age 29|S1E3||"},
		{"207.Quiet.Harbour.S01E02.mkv", "207 Quiet Harbour|S1E2||"},
		{"Quiet Harbour S03D1 NTSC DVDR", "Quiet Harbour|S3||"},
		{"Quiet.Harbour.S07D04d.mkv", "Quiet Harbour|S7||"},
		{"QUIET_HARBOUR_COMPLETE_DISC_1 S01E01-E03.iso", "QUIET HARBOUR|S1E1-3||"},
	}},
	{"crossed", [][2]string{
		{"Quiet Harbour 1x02.mkv", "Quiet Harbour|S1E2||"},
		{"Quiet.Harbour.1x02.The.Ferry.HDTV.XviD-GRP.avi", "Quiet Harbour|S1E2||XviD"},
		{"Quiet Harbour - 01x02 - The Ferry.mkv", "Quiet Harbour|S1E2||"},
		{"Quiet Harbour [10x12] The Ferry.mkv", "Quiet Harbour|S10E12||"},
		{"[04x01] Quiet Harbour.mkv", "Quiet Harbour|S4E1||"},
		{"05x01 Quiet Harbour", "Quiet Harbour|S5E1||"},
		{"5x01.Quiet.Harbour.720p.mkv", "Quiet Harbour|S5E1||"},
		{"Quiet.Harbour.2008x12.13", "Quiet Harbour 2008x12 13|||"},
		{"Quiet Harbour - 7x6 - The Ferry.mkv", "Quiet Harbour|S7E6||"},
		{"Quiet Harbour - 5x44x45x46.avi", "Quiet Harbour|S5E44-46||"},
		{"Quiet.Harbour.2008x12.720p.mkv", "Quiet Harbour|S2008E12|2008|"},
		{"Quiet Harbour 1940x01 The Ferry.mkv", "Quiet Harbour|S1940E1|1940|"},
		{"2x05 - Quiet Harbour - The Ferry.avi", "Quiet Harbour|S2E5||"},
		{"Quiet Harbour 0x01.mkv", "Quiet Harbour|S0E1||"},
		{"Quiet.Harbour.720x480.XviD.avi", "Quiet Harbour|||XviD"},
		{"Quiet.Harbour.1x264.mkv", "Quiet Harbour 1x264|||"},
		{"Quiet Harbour 2x4 Lumber.mkv", "Quiet Harbour 2x4 Lumber|||"},
		{"Quiet Harbour 4x4 1080p.mkv", "Quiet Harbour 4x4|||"},
		{"Quiet Harbour 1x1.mkv", "Quiet Harbour|S1E1||"},
		{"Quiet Harbour 1X7 HDTV XviD.avi", "Quiet Harbour|S1E7||XviD"},
	}},
	{"several episodes", [][2]string{
		{"Quiet.Harbour.S01E01-E03.1080p", "Quiet Harbour|S1E1-3||"},
		{"Quiet.Harbour.S01E01-03.1080p", "Quiet Harbour|S1E1-3||"},
		{"Quiet.Harbour.S01E05-6.1080p", "Quiet Harbour|S1E5-6||"},
		{"Quiet.Harbour.S01E01E02.1080p", "Quiet Harbour|S1E1-2||"},
		{"Quiet.Harbour.S01E01E02E03.1080p", "Quiet Harbour|S1E1-3||"},
		{"Quiet.Harbour.S01E01+02.FRENCH.DVDRip", "Quiet Harbour|S1E1-2||"},
		{"Quiet.Harbour.S07E25+E26.mp4", "Quiet Harbour|S7E25-26||"},
		{"Quiet.Harbour.S01E02.S01E03.HDTV.XviD-GRP", "Quiet Harbour|S1E2-3||XviD"},
		{"Quiet Harbour S01E01 & S01E02", "Quiet Harbour|S1E1-2||"},
		{"Quiet.Harbour.S14E00.and.S14E01.x264.mp4", "Quiet Harbour|S14E0-1||H264"},
		{"Quiet.Harbour.S6.E1.E2.The.Ferry.1080p", "Quiet Harbour|S6E1-2||"},
		{"Quiet Harbour S01e01 e02 1080i", "Quiet Harbour|S1E1-2||"},
		{"Quiet.Harbour.1x02.1x03.HDTV.XviD-GRP", "Quiet Harbour|S1E2-3||XviD"},
		{"Quiet Harbour - 1x02-1x04 - The Ferry.mkv", "Quiet Harbour|S1E2-4||"},
		{"Quiet Harbour - 1x02-03-04 - The Ferry.mkv", "Quiet Harbour|S1E2-4||"},
		{"Quiet Harbour - 8x01_02 - The Ferry.mkv", "Quiet Harbour|S8E1-2||"},
		{"Quiet Harbour - 1x02 - 1x03 - 1x04 - The Ferry.mkv", "Quiet Harbour|S1E2-4||"},
		{"S02E03-04-05.720p.BluRay-GRP", "|S2E3-5||"},
		{"Quiet Harbour (S5E6-8) The Ferry", "Quiet Harbour|S5E6-8||"},
		{"Quiet.Harbour.E01-E46.1080p", "Quiet Harbour|E1-46||"},
		{"Quiet Harbour ep. 1-5 [480p]", "Quiet Harbour|E1-5||"},
		{"Quiet Harbour Episode 99-100 [1080p]", "Quiet Harbour|E99-100||"},
		{"Quiet Harbour EP(01-08) [720p]", "Quiet Harbour|E1-8||"},
		{"Quiet Harbour [Ep 01 - 220][480p]", "Quiet Harbour|E1-220||"},
		{"Quiet Harbour - S02 - E01 à E12 - [1080p]", "Quiet Harbour|S2E1-12||"},
		{"Quiet Harbour Episode 01 - 12 Ferries.mkv", "Quiet Harbour|E1||"},
		{"Тихая гавань [06х01-08] HDTVRip", "Тихая гавань|S6E1-8||"},
		{"Quiet Harbour 01-12 [1080p]", "Quiet Harbour|E1-12||"},
		{"Quiet Harbour 03-20.mkv", "Quiet Harbour 03-20|||"},
		{"Quiet Harbour 01-02.mkv", "Quiet Harbour|E1-2||"},
		{"Quiet Harbour - 313-314.mkv", "Quiet Harbour|E313-314||"},
		{"Quiet.Harbour.S01E01E03.1080p", "Quiet Harbour|S1||"},
		{"Quiet.Harbour.S01E01+03.1080p", "Quiet Harbour|S1||"},
		{"Quiet.Harbour.S01E05-E03.1080p", "Quiet Harbour|S1||"},
		{"Quiet.Harbour.S01E01-1080p.mkv", "Quiet Harbour|S1E1||"},
		{"Quiet.Harbour.S01E01-720.mkv", "Quiet Harbour|S1E1||"},
		{"Quiet.Harbour.S01E02-12-2010.mkv", "Quiet Harbour|S1E2||"},
	}},
	{"words", [][2]string{
		{"Quiet Harbour Ep 2x03 The Ferry", "Quiet Harbour|S2E3||"},
		{"221208 Quiet Harbour ep03.mp4", "Quiet Harbour|E3||"},
		{"EP05 Quiet Harbour", "Quiet Harbour|E5||"},
		{"EP05 - The Ferry", "|E5||"},
		{"Quiet Harbour - Episode 1.22 - The Ferry.avi", "Quiet Harbour|S1E22||"},
		{"Quiet Harbour - Episode 1.5 - The Ferry.avi", "Quiet Harbour|||"},
		{"Quiet Harbour Season 2 Episode 3.mkv", "Quiet Harbour|S2E3||"},
		{"Quiet Harbour - Season 2 - Episode 3 - The Ferry.mkv", "Quiet Harbour|S2E3||"},
		{"Quiet Harbour, Season 11, 01.mp4", "Quiet Harbour|S11E1||"},
		{"Quiet Harbour - Staffel 2, Folge 3.mkv", "Quiet Harbour|S2E3||"},
		{"Quiet Harbour - Folge 12 - Die Fähre.mkv", "Quiet Harbour|E12||"},
		{"Quiet Harbour Folge 3 (720p).mp4", "Quiet Harbour|E3||"},
		{"Quiet Harbour saison 1 épisode 8 FR.avi", "Quiet Harbour|S1E8||"},
		{"Quiet Harbour Saison 02 Episode 05 VOSTFR", "Quiet Harbour|S2E5||"},
		{"Quiet Harbour - Stagione 6 (2016) 720p Episodio 13.mkv", "Quiet Harbour|S6E13|2016|"},
		{"Quiet Harbour - Temporada 1 Capítulo 5.mkv", "Quiet Harbour|S1E5||"},
		{"Puerto Quieto - Temporada 1 [HDTV][Cap.102][Castellano]", "Puerto Quieto|S1E2||"},
		{"Puerto.Quieto.-.Temporada.15.720p.HDTV.x264[Cap.1503]SPANISH", "Puerto Quieto|S15E3||H264"},
		{"Puerto.Quieto.-.Temp.1.720p.HDTV.x264[Cap.102]", "Puerto Quieto|S1E2||H264"},
		{"Puerto.Quieto.-.Temporada1.[HDTV][Cap.105][Castellano]", "Puerto Quieto|S1E5||"},
		{"Puerto Quieto [Cap.102_104][HDTV]", "Puerto Quieto|S1E2-4||"},
		{"Puerto Quieto [HDTV 720p][Cap. 101].mkv", "Puerto Quieto|S1E1||"},
		{"Puerto Quieto Cap.05.mkv", "Puerto Quieto|E5||"},
		{"Puerto Quieto Cap 102.mkv", "Puerto Quieto|||"},
		{"Puerto Quieto Capítulo 102.mkv", "Puerto Quieto|E102||"},
		{"Porto Quieto Episódio 1.mp4", "Porto Quieto|E1||"},
		{"Porto Quieto - Episódio 12 – A Balsa.mp4", "Porto Quieto|E12||"},
		{"Quiet Harbour ep 12v2 720p", "Quiet Harbour|E12||"},
		{"Quiet Harbour Ep. 02 - The Ferry.mkv", "Quiet Harbour|E2||"},
		{"Quiet Harbour (Ep 6) 1080p.mp4", "Quiet Harbour|E6||"},
		{"quiet-harbour-episode-25-1080p.mp4", "quiet-harbour|E25||"},
		{"Episode 14 Quiet Harbour VOSTFR.mkv", "Quiet Harbour|E14||"},
		{"Quiet Harbour 2nd Season - 03 [1080p]", "Quiet Harbour|S2E3||"},
		{"Quiet Harbour Second Season - 03", "Quiet Harbour|S2E3||"},
		{"Quiet Harbour 3rd Season Episode 7.mkv", "Quiet Harbour|S3E7||"},
		{"Тихая гавань 2 сезон 24 серия.avi", "Тихая гавань|S2E24||"},
		{"Тихая гавань. Сезон 15. Эпизод 09. Паром (2015).avi", "Тихая гавань|S15E9|2015|"},
		{"Тихая гавань. Сезон №9. Серия №180.avi", "Тихая гавань|S9E180||"},
		{"Тихая гавань / Quiet Harbour / Сезон: 5 / Серия: 1 [2017, WEB-DL 1080p]", "Тихая гавань = Quiet Harbour|S5E1|2017|"},
		{"Серия 11.mkv", "|E11||"},
		{"Тихая гавань 5-й сезон 09-я серия.avi", "Тихая гавань|S5E9||"},
		{"Тихая гавань / Сезон: 2 / Серии: 1-5 (12) [2016]", "Тихая гавань|S2E1-5|2016|"},
		{"Тихая гавань / Сезон: 5 / Серии: 5 из 20 [2017]", "Тихая гавань|S5|2017|"},
		{"Tihaya.gavan.(8.sez.21.ser.iz.23).2012.XviD.HDTVRip.avi", "Tihaya gavan|S8E21||XviD"},
		{"Sessiz Liman 60.Bolum (31.01.2023) 720p.mkv", "Sessiz Liman|E60||"},
		{"Sessiz.Liman.2.Sezon.7.Bölüm.2021.1080p.mkv", "Sessiz Liman|S2E7|2021|"},
		{"Quiet Harbour S1 E5", "Quiet Harbour|S1E5||"},
		{"Harbour Wars Episode 4 (1977).mkv", "Harbour Wars Episode 4||1977|"},
		{"Harbour.Wars.Episode.4.1977.1080p.mkv", "Harbour Wars Episode 4||1977|"},
		{"Harbour Wars Episode IV 1977.mkv", "Harbour Wars Episode IV||1977|"},
		{"Quiet Harbour Episode 2019.mkv", "Quiet Harbour Episode||2019|"},
	}},
	{"counted", [][2]string{
		{"Quiet.Harbour.2of4.The.Ferry.720p.HDTV", "Quiet Harbour|E2||"},
		{"Quiet Harbour - 2Of4 - The Ferry.mkv", "Quiet Harbour|E2||"},
		{"Quiet Harbour 5of6 The Ferry.avi", "Quiet Harbour|E5||"},
		{"Quiet_Harbour_[20_of_25]_[ru_jp]_[HDTV].mkv", "Quiet Harbour|E20||"},
		{"Quiet.Harbour.14.of.21.The.Ferry.720p", "Quiet Harbour|E14||"},
		{"Quiet Harbour [26 из 26] [1080p]", "Quiet Harbour|||"},
		{"Quiet Harbour (1 of 2).avi", "Quiet Harbour (1 of 2)|||"},
		{"Quiet.Harbour.2of2.DVDRip.avi", "Quiet Harbour 2of2|||"},
		{"Quiet Harbour Part 2 of 3.mkv", "Quiet Harbour Part 2 of 3|||"},
		{"2 of 3 Ferries.mkv", "2 of 3 Ferries|||"},
	}},
	{"fan groups", [][2]string{
		{"[Grp] Quiet Harbour - 01v2 [720p].mkv", "Quiet Harbour|E1||"},
		{"[Grp] Quiet Harbour - 01 [720p].mkv", "Quiet Harbour|E1||"},
		{"[Grp] Quiet Harbour - 01 (1080p) [1A2B3C4D].mkv", "Quiet Harbour|E1||"},
		{"[Grp]_Quiet_Harbour_-_05_-_The_Ferry_[1280x720_H.264_FLAC][1A2B3C4D].mkv", "Quiet Harbour|E5||H264"},
		{"[Grp]_Quiet_Harbour!!_-_06_[848x480_H.264_AAC][1A2B3C4D].mkv", "Quiet Harbour!!|E6||H264"},
		{"[Grp]_Quiet_Harbour_07_(1280x720_x264-AAC)_[6B7FD717].mkv", "Quiet Harbour|E7||H264"},
		{"[Grp] Quiet Harbour 2 - 10 [720p].mkv", "Quiet Harbour 2|E10||"},
		{"[Grp] Quiet Harbour II 06 (720p 8bit AAC).mp4", "Quiet Harbour II|E6||"},
		{"[Grp] 06 Quiet Harbour (720p 8bit AAC).mp4", "Quiet Harbour|E6||"},
		{"[Grp] 12 - Quiet Harbour [BD][720p][AAC].mp4", "Quiet Harbour|E12||"},
		{"[Grp] Quiet Harbour #01 (720p).mkv", "Quiet Harbour|E1||"},
		{"[Grp] Quiet Harbour #01v2 - The Ferry [BD, 720p] [1A2B3C4D].mkv", "Quiet Harbour|E1||"},
		{"[Grp] Quiet Harbour - 1004 [E63F2984].mkv", "Quiet Harbour|E1004||"},
		{"[Grp] Quiet Harbour 679 [VOSTFR] [720p].mkv", "Quiet Harbour|E679||"},
		{"[Grp] Quiet Harbour 312v1 [720p/MKV]", "Quiet Harbour|E312||"},
		{"[Grp] Quiet Harbour - 12 END [720p].mkv", "Quiet Harbour|E12||"},
		{"[Grp] Quiet Harbour - 12 (END) [720p].mkv", "Quiet Harbour|E12||"},
		{"[Grp] Quiet Harbour - 12 Fin [720p].mkv", "Quiet Harbour|E12||"},
		{"[Grp]_Quiet_Harbour_10_v2_[DVD][h264][C83D206B].mkv", "Quiet Harbour|E10||H264"},
		{"[Grp].Quiet.Harbour.-.03.[Eng.Dubbed].[720p].[WEB-DL].mkv", "Quiet Harbour|E3||"},
		{"[Grp].Quiet.Harbour!.2.-..09.vostfr.FHD.mkv", "Quiet Harbour! 2|E9||"},
		{"Quiet.Harbour.-.01.-.1080p.BluRay.x264.GRP.mkv", "Quiet Harbour|E1||H264"},
		{"Quiet Harbour - 01 - The Ferry.mkv", "Quiet Harbour|E1||"},
		{"Quiet Harbour - 10 (BD 1280x720 AVC AACx2).mp4", "Quiet Harbour|E10||H264"},
		{"Quiet Harbour (DVD) - 01v2 [h-b].mkv", "Quiet Harbour|E1||"},
		{"Quiet Harbour - 23 (360p)-GRP", "Quiet Harbour|E23||"},
		{"Quiet_Harbour_-_05_-_The_Ferry", "Quiet Harbour|E5||"},
		{"Quiet Harbour 2 - 10", "Quiet Harbour 2|E10||"},
		{"[Grp] Quiet Harbour - 01-12 [1080p]", "Quiet Harbour|E1-12||"},
		{"[Grp] Quiet Harbour (01-25) [1080p] (Batch)", "Quiet Harbour|E1-25||"},
		{"[Grp] Quiet Harbour - 01 ~ 12 [1080p]", "Quiet Harbour|E1-12||"},
		{"[Grp] Quiet Harbour - 01~12 [1080p]", "Quiet Harbour|E1-12||"},
		{"[Grp] Quiet Harbour 091-123 [1080p]", "Quiet Harbour|E91-123||"},
		{"[Grp] Quiet Harbour - 01+02 [720p]", "Quiet Harbour|E1-2||"},
		{"[Grp] Quiet Harbour - 03 & 04 [720p]", "Quiet Harbour|E3-4||"},
		{"[Grp] Quiet Harbour - 01v2-03v2 (1280x720 h264 AAC)", "Quiet Harbour|E1-3||H264"},
		{"[Grp] Quiet Harbour - 316-317 [1A2B3C4D].mkv", "Quiet Harbour|E316-317||"},
		{"[Grp] Quiet Harbour - 03+05 [720p]", "Quiet Harbour|||"},
		{"[Grp] Quiet Harbour - S02E05 (17) [720p].mkv", "Quiet Harbour|S2E5||"},
		{"[Grp] Quiet Harbour - 17 (S02E05) - (WEB 1080p HEVC) [1A2B3C4D].mkv", "Quiet Harbour|S2E5||HEVC"},
		{"[Grp] Quiet Harbour S2 - 05 (17) [720p].mkv", "Quiet Harbour|S2E5||"},
		{"[Grp] Quiet Harbour (2008) - 017 (115) [1280x720][B2CFBC0F].mkv", "Quiet Harbour|E17|2008|"},
		{"[Grp] Quiet Harbour 100 - 07 [1080p].mkv", "Quiet Harbour 100|E7||"},
		{"[Grp] Quiet Harbour - 100 Years of Ferries - 05 (1080p) [1107F3A9].mkv", "Quiet Harbour - 100 Years of Ferries|E5||"},
		{"[Grp] Quiet Harbour 2202 - 22 [1080p].mkv", "Quiet Harbour 2202|E22||"},
		{"[Grp] 86 Ferries - 01 [1080p].mkv", "86 Ferries|E1||"},
		{"[Grp] 86 - 01 [1080p].mkv", "86|E1||"},
		{"[Grp] 22-7 - 02 (1080p).mkv", "22-7|E2||"},
		{"[Grp]_009-1_-_02_(H264)_[36D2444D].mkv", "009-1|E2||H264"},
		{"[Grp]_Quiet_Harbour_-_11_-_511_Ferries_[6C70C4E4].mkv", "Quiet Harbour|E11||"},
		{"[0x539] Quiet Harbour - S01E01 (WEB 1080p Hi10P AAC) [BB7C6531].mkv", "Quiet Harbour|S1E1||"},
		{"[BD-Raws][BD][1080p] Quiet Harbour 08 [4D102B7C].mkv", "Quiet Harbour|E8||"},
		{"[Grp] Quiet Harbour: 30 [Web][MKV][h264][720p].mkv", "Quiet Harbour|E30||H264"},
		{"[Grp] Quiet Harbour OVA - 02 [720p].mkv", "Quiet Harbour OVA|E2||"},
		{"[Grp] Quiet Harbour.mkv", "Quiet Harbour|||"},
		{"[Grp] Quiet Harbour [1A2B3C4D].mkv", "Quiet Harbour|||"},
		{"[Grp] Quiet Harbour 2 [1080p].mkv", "Quiet Harbour 2|||"},
		{"[Grp] Quiet Harbour 100 - Special Edition [1080p].mkv", "Quiet Harbour 100 - Special Edition|||"},
		{"[Grp] Quiet Harbour - Vol.1 [BD 720p-AAC]", "Quiet Harbour|||"},
		{"[Grp] Quiet Harbour - 07.5 - The Ferry (BD 1080p) [F7DF16F7].mkv", "Quiet Harbour|||"},
		{"[Grp]_Quiet_Harbour_02.5_[902BB314].mkv", "Quiet Harbour|||"},
		{"[Grp] Quiet Harbour - 111C [1080p].mkv", "Quiet Harbour|||"},
		{"[Grp]_Quiet_Harbour_-_01b_[4D5EC315].avi", "Quiet Harbour|||"},
		{"[Grp] Quiet Harbour - NCED 02 [BD].mkv", "Quiet Harbour - NCED 02|||"},
		{"[Grp] Quiet Harbour - SP01 [BD][720p-AAC].mkv", "Quiet Harbour - SP01|||"},
		{"[Grp] Quiet Harbour - PV 03 [1080p].mkv", "Quiet Harbour - PV 03|||"},
		{"[Grp] Quiet Harbour Specials 01-04 [1080p]", "Quiet Harbour Specials 01-04|||"},
		{"[Grp] Quiet Harbour Movie 03 [1080p].mkv", "Quiet Harbour Movie 03|||"},
		{"[Grp] Quiet Harbour - Movie 03 - The Ferry [1080p].mkv", "Quiet Harbour - Movie 03 - The Ferry|||"},
		{"[Grp] Quiet Harbour - 1080 [1080p].mkv", "Quiet Harbour - 1080|||"},
		{"[Grp] Quiet Harbour (TV) - 02 [720p].mkv", "Quiet Harbour|E2||"},
		{"[Grp] Quiet Harbour (TV) 2nd Season - 02 [720p].mkv", "Quiet Harbour|S2E2||"},
	}},
	{"in brackets", [][2]string{
		{"【字幕组】【Quiet Harbour】【24】【END】GB MP4", "Quiet Harbour|E24||"},
		{"[Grp][Quiet_Harbour][01][DVDRip][x264_AC3].mkv", "Quiet Harbour|E1||H264"},
		{"[Grp][Quiet Harbour][03v2][1080p]", "Quiet Harbour|E3||"},
		{"[Grp][Quiet Harbour][03-04][1080p]", "Quiet Harbour|E3-4||"},
		{"[Grp][Quiet Harbour][2019][02][1080p]", "Quiet Harbour|E2|2019|"},
		{"[Grp][Quiet Harbour][12END][1080p]", "Quiet Harbour|E12||"},
		{"[Grp][Quiet Harbour S2][03][1080p]", "Quiet Harbour|S2E3||"},
		{"[Grp][Quiet Harbour][Movie][1080p]", "Quiet Harbour|||"},
		{"[Grp][Quiet Harbour] 02 [BIG][X264_AAC][720P].mp4", "Quiet Harbour|E2||H264"},
		{"[Grp] Quiet Harbour [03][1080p][1A2B3C4D].mkv", "Quiet Harbour|E3||"},
		{"Quiet_Harbour_2_[01]_[Grp_TV]_[WEBRip_1080p]", "Quiet Harbour 2|E1||"},
		{"[字幕组][静港][第01话][1080p][简体]", "静港|E1||"},
		{"[字幕组][静港][Quiet Harbour][11][1280x720][繁体].mp4", "静港 = Quiet Harbour|E11||"},
		{"[字幕组] 静港 / Quiet Harbour - 01 [1080p][简体]", "静港 = Quiet Harbour|E1||"},
		{"[字幕组] 静港 第二季 / Quiet Harbour S2 - 01 [1080p]", "静港 = Quiet Harbour|S2E1||"},
		{"【字幕组】【静港】【01】【1080P】", "静港|E1||"},
		{"【字幕组】★01月新番★[静港/Quiet Harbour][12END][720p]", "静港 = Quiet Harbour|E12||"},
		{"【字幕组】★【Quiet Harbour】[24（END）][GB][720P_MP4]", "Quiet Harbour|E24||"},
		{"[字幕组][静港][全12话][1080p]", "静港|||"},
		{"静港.第12话.HD国语", "静港|E12||"},
		{"静港 第2期 01話", "静港|S2E1||"},
		{"某剧第01-02集.1080P", "某剧|E1-2||"},
		{"某剧EP02.HD国语.mp4", "某剧|E2||"},
		{"某剧.第二季.E05.1080p.WEB-DL.mkv", "某剧|S2E5||"},
		{"某剧01.mkv", "某剧|E1||"},
		{"某剧01.桃园三结义.mp4", "某剧|E1||"},
		{"某剧[全40集][国语].1080p", "某剧|||"},
		{"某剧[更新至12集][1080p]", "某剧|||"},
		{"[字幕组][静港][SP][1080p]", "静港|||"},
		{"ドラマ #05 「タイトル」.ts", "ドラマ|E5||"},
		{"[KBS2] 드라마 05회.240305.HDTV.H264.720p.mkv", "드라마|E5||H264"},
		{"드라마 제5회.mp4", "드라마|E5||"},
		{"드라마 시즌2 03화.mp4", "드라마|S2E3||"},
		{"드라마.E05.END.240305.1080p", "드라마|E5||"},
	}},
	{"starting with the number", [][2]string{
		{"[6.01] The Ferry.avi", "The Ferry|S6E1||"},
		{"01 - The Ferry.mkv", "The Ferry|E1||"},
		{"03-Quiet.Harbour.avi", "Quiet Harbour|E3||"},
		{"003. Quiet Harbour - The Ferry.avi", "Quiet Harbour|E3||"},
		{"003-004. Quiet Harbour - The Ferry.avi", "Quiet Harbour|E3-4||"},
		{"02 The Invitation to the Harbour.mp4", "The Invitation to the Harbour|E2||"},
		{"12 - The Ferry.mkv", "12 - The Ferry|||"},
		{"102 - The Ferry.avi", "102 - The Ferry|||"},
		{"007 - Quiet Harbour.mkv", "007 - Quiet Harbour|||"},
		{"01. Quiet Harbour (2008).mkv", "01. Quiet Harbour||2008|"},
		{"09 Movie - Quiet Harbour.mkv", "09 Movie - Quiet Harbour|||"},
		{"2-06. The Ferry.mkv", "The Ferry|S2E6||"},
		{"12 Ferries.mkv", "12 Ferries|||"},
	}},
	{"short codes of broadcasts", [][2]string{
		{"Quiet.Harbour.101.102.HDTV.XviD-GRP", "Quiet Harbour|S1E1-2||XviD"},
		{"Quiet.Harbour.101.103.HDTV.XviD-GRP", "Quiet Harbour 101 103|||XviD"},
		{"Quiet Harbour - 656 [1080p].mkv", "Quiet Harbour|E656||"},
		{"Quiet Harbour - 700 (1080p)", "Quiet Harbour|E700||"},
		{"Quiet Harbour - 107 [1080p].mkv", "Quiet Harbour - 107|||"},
		{"Quiet Harbour - 6.01 - The Ferry.mkv", "Quiet Harbour|S6E1||"},
		{"Quiet Harbour - 6.5 - The Ferry.mkv", "Quiet Harbour - 6.5 - The Ferry|||"},
		{"quiet.harbour.207.hdtv-lol.mp4", "quiet harbour|S2E7||"},
		{"quiet.harbour.2014.208.hdtv-lol.mkv", "quiet harbour|S2E8|2014|"},
		{"Quiet.Harbour.1013.720p.HDTV.x264-GRP", "Quiet Harbour|S10E13||H264"},
		{"Quiet.Harbour.0307.PDTV-GRP", "Quiet Harbour|S3E7||"},
		{"Quiet Harbour 207.mkv", "Quiet Harbour 207|||"},
		{"Quiet.Harbour.451.720p.BluRay", "Quiet Harbour 451|||"},
		{"Quiet.Harbour.2018.720p.HDTV.x264-GRP", "Quiet Harbour||2018|H264"},
	}},
	{"seasons", [][2]string{
		{"Quiet Harbour - Series 1 (1970) DivX", "Quiet Harbour|S1|1970|DivX"},
		{"Quiet Harbour Series 2 Episode 3 720p", "Quiet Harbour|S2E3||"},
		{"Quiet Harbour Series 7 Ferries", "Quiet Harbour Series 7 Ferries|||"},
		{"Quiet Series 05 [720p]", "Quiet Series|E5||"},
		{"Series 7 (2001)", "Series 7||2001|"},
		{"Quiet.Harbour.S02.COMPLETE.German.1080p.BluRay.x264-GRP", "Quiet Harbour|S2||H264"},
		{"Quiet Harbour Season 1 [BDRip] [1080p] [HEVC]", "Quiet Harbour|S1||HEVC"},
		{"Quiet.Harbour.-.Season.1.-.720p.BluRay.-.x264", "Quiet Harbour|S1||H264"},
		{"Quiet Harbour Staffel 2 German 720p", "Quiet Harbour|S2||"},
		{"Quiet.Harbour.S01-S03.720p.BluRay", "Quiet Harbour|||"},
		{"Quiet Harbour (2008) S02 (2010) Full Season XviD", "Quiet Harbour|S2|2008|XviD"},
		{"Quiet Harbour (2008) S02 German (2010) XviD", "Quiet Harbour|S2|2008|XviD"},
		{"Quiet Harbour Seasons 1 & 2 - Complete", "Quiet Harbour|||"},
		{"Quiet Harbour Season 1-8 Complete 720p", "Quiet Harbour|||"},
		{"Quiet Harbour - The Complete Season 3 [HDTV]", "Quiet Harbour|S3||"},
		{"Quiet.Harbour.COMPLETE.SERIES.DVDRip.XviD-GRP", "Quiet Harbour|||XviD"},
		{"Quiet Harbour Saison VII FRENCH BDRip", "Quiet Harbour|S7||"},
		{"[Grp] Quiet Harbour S2 [1080p]", "Quiet Harbour|S2||"},
		{"Season 2", "|S2||"},
		{"S01", "|S1||"},
		{"Quiet Harbour R2 [1080p]", "Quiet Harbour R2|||"},
	}},
	{"paths", [][2]string{
		{"Quiet Harbour/S01E02.The.Ferry.mkv", "Quiet Harbour|S1E2||"},
		{"/tv/Quiet Harbour (2008)/Season 1/The Ferry_1920x1080.mp4", "The Ferry||2008|"},
		{"Quiet Harbour/Season 01/03.mkv", "Quiet Harbour|S1E3||"},
		{"Quiet Harbour/Season 01/03 - The Ferry.mkv", "Quiet Harbour|S1E3||"},
		{"Quiet Harbour/Season 01/12 - The Ferry.mkv", "Quiet Harbour|S1E12||"},
		{"Quiet Harbour (2008)/S02/E05.mkv", "Quiet Harbour|S2E5|2008|"},
		{"Archive 2019/Quiet Harbour/Season 1/Quiet Harbour S01E02.mkv", "Quiet Harbour|S1E2||"},
		{"TV 2019/Quiet Harbour/Season 1/01x02 The Ferry.mkv", "Quiet Harbour|S1E2||"},
		{"TV 2019/Quiet Harbour (2008)/Season 1/Stiller Hafen S01E02.mkv", "Stiller Hafen|S1E2|2008|"},
		{"/media/Quiet Harbour (2008)/Season 2/Quiet Harbour - 2x05 - The Ferry.mkv", "Quiet Harbour|S2E5|2008|"},
		{"Series/Quiet Harbour/Season 2/Quiet.Harbour.2x05.HDTV.XviD-GRP.avi", "Quiet Harbour|S2E5||XviD"},
		{"C:\\series\\Quiet Harbour\\Season 02\\Quiet Harbour - S02E05.mkv", "Quiet Harbour|S2E5||"},
		{"Quiet.Harbour.S01E02.1080p.WEB.x264-GRP/c48db7d2aeb040e8a920a9fd6effcbf4.mkv", "Quiet Harbour|S1E2||H264"},
		{"/mnt/Quiet Harbour/Season 1/Ep. 02 - The Ferry", "Quiet Harbour|S1E2||"},
		{"Quiet Harbour (2008)/Quiet Harbour 1x03 - The Ferry.mkv", "Quiet Harbour|S1E3|2008|"},
		{"12 Ferries\\Season 01\\Episode 05\\12 Ferries - S01E05 - The Room.mkv", "12 Ferries|S1E5||"},
		{"Quiet Harbour/Season 1/Quiet Harbour - 3 - The Ferry.mkv", "Quiet Harbour|S1E3||"},
		{"Quiet/Harbour - 01 [720p]", "Quiet/Harbour|E1||"},
		{"Quiet Harbour / Stiller Hafen - 01 [720p].mkv", "Quiet Harbour = Stiller Hafen|E1||"},
	}},
	{"numbers that are no episodes", [][2]string{
		{"Movie 2026 1080p [TC-87]", "Movie||2026|"},
		{"Movie 2026 1080p [TS-02].mkv", "Movie||2026|"},
		{"Quiet Harbour [TS 02] 1080p.mkv", "Quiet Harbour [TS 02]|||"},
		{"Quiet Harbour (Room 02).mkv", "Quiet Harbour (Room 02)|||"},
		{"Ferry.13.1995.1080p.BluRay.x264", "Ferry 13||1995|H264"},
		{"Ferry.13.1080p.BluRay", "Ferry 13|||"},
		{"Harbour's 8 [1080p].mkv", "Harbour's 8|||"},
		{"Harbour.Story.3.1080p", "Harbour Story 3|||"},
		{"District 19", "District 19|||"},
		{"Area.51.2015.720p", "Area 51||2015|"},
		{"Ferry 211 (2009) 1080p", "Ferry 211||2009|"},
		{"Harbour Runner 2049 [1080p]", "Harbour Runner 2049|||"},
		{"The Ferry Vol. 2 2004 1080p", "The Ferry Vol. 2||2004|"},
		{"The.Ferry.Part.02.1080p", "The Ferry Part 02|||"},
		{"The Ferry CD1.avi", "The Ferry CD1|||"},
		{"Quiet Harbour No. 05.mkv", "Quiet Harbour No. 05|||"},
		{"Quiet Harbour #5.mkv", "Quiet Harbour #5|||"},
		{"2024-03-05 Quiet Harbour.mkv", "2024-03-05 Quiet Harbour|||"},
		{"Quiet.Harbour.2024.03.05.720p.WEB", "Quiet Harbour|||"},
		{"Quiet.Harbour.05.03.2024.720p.WEB", "Quiet Harbour|||"},
		{"Quiet Harbour 05 Mar 2024 720p", "Quiet Harbour|||"},
		{"Quiet Harbour 2024-03 720p", "Quiet Harbour||2024|"},
		{"Quiet.Harbour.240305.720p.HDTV", "Quiet Harbour|||"},
		{"Quiet_Harbour_20240305_720p", "Quiet Harbour|||"},
		{"20240305_02.mkv", "20240305 02|||"},
		{"IMG_20240305_123456.mp4", "IMG|||"},
		{"Quiet Harbour 700 MB.avi", "Quiet Harbour 700 MB|||"},
		{"[Grp] Quiet Harbour 25 fps.mkv", "Quiet Harbour 25 fps|||"},
		{"[Grp] Quiet Harbour 12 episodes [720p]", "Quiet Harbour 12 episodes|||"},
		{"[Grp] Quiet Harbour (12 eps) [720p]", "Quiet Harbour (12 eps)|||"},
		{"Quiet.Harbour.01.dvd.h.264.mkv", "Quiet Harbour|E1||H264"},
		{"Quiet Harbour 10bitH.264.mkv", "Quiet Harbour 10bitH.264|||"},
		{"Quiet Harbour.DTS-5.1.mkv", "Quiet Harbour|||"},
		{"Quiet Harbour 1-12.mkv", "Quiet Harbour 1-12|||"},
		{"office_03_19.avi", "office 03 19|||"},
		{"Quiet Harbour - 10.5 [720p].mkv", "Quiet Harbour|||"},
		{"Quiet Harbour S01E11.5 720p.mkv", "Quiet Harbour|S1||"},
		{"Quiet Harbour 1x02.5.mkv", "Quiet Harbour|S1||"},
		{"Quiet Harbour 1001 [1080p].mkv", "Quiet Harbour 1001|||"},
		{"Quiet Harbour E123456.mkv", "Quiet Harbour E123456|||"},
		{"Quiet Harbour S01E1234567.mkv", "Quiet Harbour S01E1234567|||"},
		{"11.22.63.1080p.WEB", "11 22 63|||"},
	}},
}

func TestNames(t *testing.T) {
	for _, k := range names {
		t.Run(k.kind, func(t *testing.T) {
			for _, n := range k.names {
				if got := read(release.Parse(n[0])); got != n[1] {
					t.Errorf("Parse(%q)\n got %s\nwant %s", n[0], got, n[1])
				}
			}
		})
	}
}

// Letters and digits of full width are those of names, and a name from its end to its
// start is that name.
func TestNamesWrittenOtherwise(t *testing.T) {
	for name, want := range map[string]string{
		"第０５集":   "|E5||",
		"Ｓ０１Ｅ０２": "|S1E2||",
		"Ｑｕｉｅｔ Ｓ０１Ｅ０２ １０８０ｐ":                          "Quiet|S1E2||",
		"某剧 第０５集":                                     "某剧|E5||",
		"[Grp] Quiet Harbour - １５８ [720p]":            "Quiet Harbour|E158||",
		"[字幕组][Quiet Harbour][０５][720p]":              "Quiet Harbour|E5||",
		"Quiet.Harbour.２００８.1080p":                    "Quiet Harbour||2008|",
		"PRG-462x.BEW.p0801.20E10S.ruobraH.teiuQ.mkv": "Quiet Harbour|S1E2||H264",
		"PRG-462x.yaRulB.p027.8002.ruobraH.teiuQ":     "Quiet Harbour||2008|H264",
	} {
		if got := read(release.Parse(name)); got != want {
			t.Errorf("Parse(%q)\n got %s\nwant %s", name, got, want)
		}
	}
}

// The number of an episode is one that stands in the name as a whole, or one that has
// the season in it: no digits are cut out of a longer number.
func TestNumbersAreWhole(t *testing.T) {
	for _, k := range names {
		for _, n := range k.names {
			checkWhole(t, n[0], release.Parse(n[0]))
			for _, digit := range []string{"1", "0"} { // a longer number is another one
				for i := range len(n[0]) {
					if '0' <= n[0][i] && n[0][i] <= '9' {
						longer := n[0][:i] + digit + n[0][i:]
						checkWhole(t, longer, release.Parse(longer))
					}
				}
			}
		}
	}
}

func checkWhole(t *testing.T, name string, info release.Info) {
	t.Helper()
	if !info.HasEpisode || strings.ContainsAny(name, "零〇一二两三四五六七八九十百千") {
		return
	}
	if r := info.Episodes; !hasNumber(name, r.Season, r.First) || !hasNumber(name, r.Season, r.Last) {
		t.Errorf("Parse(%q) has the episodes %d to %d of season %d, which are no numbers of it", name, r.First, r.Last, r.Season)
	}
}

func hasNumber(name string, season, episode int) bool {
	for digits := range strings.FieldsFuncSeq(name, func(r rune) bool { return r < '0' || r > '9' }) {
		n := 0
		for _, d := range digits {
			n = min(n*10+int(d-'0'), 1<<30)
		}
		if n == episode || len(digits) >= 3 && season > 0 && n == season*100+episode {
			return true
		}
	}
	return false
}

// Neither a year nor the size of a picture or a file, nor a version, a count or a date
// is taken for an episode, wherever it stands, and none of them hides one.
func TestOtherNumbersAreNoEpisodes(t *testing.T) {
	others := []string{
		"2019", "(2019)", "[2019]", "1080p", "[1080p]", "720", "1080", "[720]", "1920x1080", "[1920x1080]", "1280×720", "700MB", "700 MB", "[1.4 GB]", "1.4GB", "v2", "(v2)",
		"12 episodes", "[12 eps]", "全24集", "更新至12集", "2019-03-05", "2019.03.05", "05.03.2019", "(05.03.2019)", "20190305", "190305", "05 Mar 2019", "(5 March 2019)",
		"x264", "H.264", "h265", "[H.264]", "10bit", "[10-bit]", "60fps", "60 fps", "5.1", "AAC2.0", "DDP5.1", "[1A2B3C4D]", "[12345678]", "Part 02", "Vol.03", "CD 02", "Disc 02",
		"[TC-87]", "S02", "Season 2",
	}
	for _, other := range others {
		for _, format := range []string{
			"Quiet Harbour %s", "Quiet Harbour %s.mkv", "Quiet Harbour - %s", "Quiet Harbour - %s - The Ferry", "Quiet Harbour %s 1080p WEB-DL", "Quiet Harbour %s [1080p]",
			"[Grp] Quiet Harbour %s", "[Grp] Quiet Harbour - %s", "[Grp] Quiet Harbour %s [1080p]", "[Grp] Quiet Harbour - %s [1080p].mkv", "静港 %s",
		} {
			name := fmt.Sprintf(format, other)
			for _, name := range []string{name, strings.ReplaceAll(name, " ", "_"), strings.ReplaceAll(name, " ", ".")} {
				if info := release.Parse(name); info.HasEpisode {
					t.Errorf("Parse(%q) has the episode %d", name, info.Episodes.First)
				}
			}
		}
		for _, format := range []string{"Quiet Harbour S01E07 %s", "Quiet Harbour %s S01E07", "[Grp] Quiet Harbour - 07 %s", "[Grp] Quiet Harbour - 07 [1080p] %s", "Quiet Harbour - 07 - %s", "Quiet Harbour Episode 07 %s"} {
			name := fmt.Sprintf(format, other)
			if info := release.Parse(name); !info.HasEpisode || info.Episodes.First != 7 || info.Episodes.Last != 7 {
				t.Errorf("Parse(%q) has the episodes %t %+v", name, info.HasEpisode, info.Episodes)
			}
		}
	}
}

// What is read does not depend on what was read before.
func TestNamesReadTwice(t *testing.T) {
	for _, k := range names {
		for i, n := range k.names {
			first := release.Parse(n[0])
			release.Parse(k.names[len(k.names)-1-i][0])
			if diff := cmp.Diff(first, release.Parse(n[0])); diff != "" {
				t.Errorf("Parse(%q) read again (-first +second):\n%s", n[0], diff)
			}
		}
	}
}

// A file in a folder is described by both.
func TestPathLabels(t *testing.T) {
	for name, want := range map[string]sources.Quality{
		"Quiet.Harbour.S01.1080p.WEB-DL/Quiet.Harbour.S01E02.mkv":      sources.Quality1080p,
		"Quiet.Harbour.S01.1080p.WEB-DL/Quiet.Harbour.S01E02.720p.mkv": sources.Quality720p,
		"/media/720p/Quiet Harbour.mkv":                                sources.Quality720p,
	} {
		if got := release.Parse(name).Quality; got != want {
			t.Errorf("Parse(%q) has the quality %q, want %q", name, got, want)
		}
	}
}
