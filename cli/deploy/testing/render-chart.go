// Renders a chart as `helm template` does, where there is no helm: Go's templates with sprig's functions and those that
// charts of ours use of helm's own. A template that needs more of helm than this does not render.
//
//	render-chart CHART RELEASE < values.json
//
// Values are the whole of them, those of the chart included. Go's and sprig's sources are Debian's packages.
package main

import (
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"sigs.k8s.io/yaml"
)

type chart struct {
	Name       string `json:"name"`
	Version    string `json:"version"`
	AppVersion string `json:"appVersion"`
}

type release struct {
	Name, Namespace, Service string
	IsInstall, IsUpgrade     bool
	Revision                 int
}

type given struct {
	Chart   chart
	Release release
	Values  map[string]interface{}
}

func main() {
	folder := os.Args[1]
	about := given{Release: release{Name: os.Args[2], Namespace: "default", Service: "Helm", IsInstall: true, Revision: 1}}
	file, err := os.Open(filepath.Join(folder, "Chart.yaml"))
	must(err)
	read(file, &about.Chart)
	read(os.Stdin, &about.Values)
	set := template.New("chart").Option("missingkey=zero")
	set.Funcs(functions(set))
	paths, err := filepath.Glob(filepath.Join(folder, "templates", "*"))
	must(err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		must(err)
		template.Must(set.New(filepath.Base(path)).Parse(string(text)))
	}
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.HasPrefix(name, "_") {
			continue
		}
		text := executed(set, name, about)
		if filepath.Ext(name) == ".yaml" && strings.TrimSpace(text) != "" {
			fmt.Printf("---\n# Source: %s/templates/%s\n%s\n", about.Chart.Name, name, text)
		}
	}
}

// Numbers become floats on their way through JSON, as in helm.
func read(file *os.File, into interface{}) {
	text, err := io.ReadAll(file)
	must(err)
	must(yaml.Unmarshal(text, into))
}

func functions(set *template.Template) template.FuncMap {
	all := sprig.TxtFuncMap()
	// A chart is the same wherever it is rendered.
	delete(all, "env")
	delete(all, "expandenv")
	all["include"] = func(name string, data interface{}) string { return executed(set, name, data) }
	all["toYaml"] = func(value interface{}) string {
		text, err := yaml.Marshal(value)
		must(err)
		return strings.TrimSuffix(string(text), "\n")
	}
	return all
}

func executed(set *template.Template, name string, data interface{}) string {
	var text strings.Builder
	must(set.ExecuteTemplate(&text, name, data))
	// What is not there is nothing: helm says so too.
	return strings.ReplaceAll(text.String(), "<no value>", "")
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
