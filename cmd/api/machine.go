package api

// Finding is what a check of the doctor found.
type Finding struct {
	Check  string `json:"check"`
	State  string `json:"state"` // ok, warning or problem
	Detail string `json:"detail"`
	Hint   string `json:"hint"` // what to do, "" where there is nothing
}

// The states of a Finding.
const (
	FindingOK      = "ok"
	FindingWarning = "warning" // xship works, and could do better
	FindingProblem = "problem"
)

// Doctor is the JSON document of xship doctor.
type Doctor struct {
	OK       bool      `json:"ok"` // no check found a problem
	Problems int       `json:"problems"`
	Warnings int       `json:"warnings"`
	Checks   []Finding `json:"checks"`
}

// NewDoctor is the document of what was found.
func NewDoctor(findings []Finding) Doctor {
	doc := Doctor{Checks: findings}
	for _, f := range findings {
		switch f.State {
		case FindingProblem:
			doc.Problems++
		case FindingWarning:
			doc.Warnings++
		}
	}
	doc.OK = doc.Problems == 0
	return doc
}

// Backup is the JSON document of xship backup.
type Backup struct {
	File        string `json:"file"`
	Interfaces  int    `json:"interfaces"`
	LeftOut     int    `json:"left_out"` // interfaces whose URLs may hold secrets, or that were refused
	Watchlist   int    `json:"watchlist"`
	Preferences int    `json:"preferences"`
	WithSecrets bool   `json:"with_secrets"`

	Logins        int `json:"logins,omitempty"`          // of servers
	LoginsLeftOut int `json:"logins_left_out,omitempty"` // since they are secrets

	MembersLeftOut int `json:"members_left_out,omitempty"` // of groups, whose URLs may hold secrets
}

// Settings is the JSON document of xship config show.
type Settings struct {
	Settings []Setting `json:"settings"`
}

// Setting is a setting as it is in force.
type Setting struct {
	Key         string `json:"key"`
	Value       string `json:"value"`
	Origin      string `json:"origin"` // flag, environment, file or default
	Source      string `json:"source"` // the variable or the file, else ""
	Default     string `json:"default"`
	Env         string `json:"env"`
	Description string `json:"description"`
}

// Paths is the JSON document of xship config path.
type Paths struct {
	Config       string `json:"config"`
	ConfigExists bool   `json:"config_exists"`
	DataDir      string `json:"data_dir"`
	Database     string `json:"database"`
	Preferences  string `json:"preferences"`
}

// Version is the JSON document of xship version.
type Version struct {
	Version  string `json:"version"`
	Revision string `json:"revision"` // "" where the build did not know
	Modified bool   `json:"modified"` // the tree held changes beyond Revision
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// ManPages is the JSON document of xship man.
type ManPages struct {
	Dir   string   `json:"dir"`
	Pages []string `json:"pages"` // names of files in it
}
