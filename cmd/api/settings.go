package api

// SettingsFile is the JSON document of the commands that write the settings file as a
// whole.
type SettingsFile struct {
	Config  string `json:"config"`  // its path
	Made    bool   `json:"made"`    // it was not there
	Changed bool   `json:"changed"` // it holds something else now
}

// SettingChanged is the JSON document of xship config set. Secrets are masked.
type SettingChanged struct {
	Key          string `json:"key"`
	Value        string `json:"value"`         // that the file sets now, else the default
	Before       string `json:"before"`        // likewise
	Set          bool   `json:"set"`           // whether the file sets it now
	Config       string `json:"config"`        // the path of the file
	Made         bool   `json:"made"`          // it was not there
	OverriddenBy string `json:"overridden_by"` // the variable that goes before the file, else ""
}
