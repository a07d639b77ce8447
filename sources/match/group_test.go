package match_test

import (
	"testing"

	"xship/sources/match"
)

// TestReadGroup: only a whole name says something of the links of a group.
func TestReadGroup(t *testing.T) {
	for name, want := range map[string]int{
		"第一季": 1, "第二季": 2, "第2季": 2, "第 2 季": 2, "【第二季】": 2, "第二部": 2, "S2": 2, "S02": 2, "Season 2": 2, "season2": 2, "Staffel 3": 3, "2nd Season": 2, "第2季m3u8": 2, "第二季-lzm3u8": 2, "2 сезон": 2, "시즌2": 2,
	} {
		if season, kind := match.ReadGroup(name); kind != match.GroupSeason || season != want {
			t.Errorf("%q is season %d, kind %d", name, season, kind)
		}
	}
	for _, name := range []string{
		"番外", "番外篇", "特别篇", "特別篇", "SP", "sp", "OVA", "PV", "MV", "彩蛋", "解说", "解說", "下部", "预告", "预告片", "花絮", "Trailer", "Trailers", "番外m3u8", "彩蛋 lzm3u8",
		"Specials", "Extras", "Bonus", "Making of", "Behind the Scenes", "Deleted Scenes", "[SP]", "纯享版", "幕后花絮", "预告花絮",
	} {
		if _, kind := match.ReadGroup(name); kind != match.GroupIrregular {
			t.Errorf("%q is of kind %d", name, kind)
		}
	}
	for _, name := range []string{
		"", "lzm3u8", "1080zyk", "SPm3u8", "spm3u8", "ovam3u8", "s2m3u8", "pvcloud", "线路2", "播放2", "独家", "独家线路", "独家m3u8", "尊享", "直播", "VIP版", "Plus", "正片", "上部", "第2线路", "国语", "HD", "qq", "2", "Player 2", "云播放", "特级资源",
	} {
		if season, kind := match.ReadGroup(name); kind != match.GroupPlain {
			t.Errorf("%q is season %d, kind %d", name, season, kind)
		}
	}
}
