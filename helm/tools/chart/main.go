// Command chart renders and lints a chart with Helm's own engine and rules. Helm's command line needs 400 packages more,
// for clusters and registries, which take longer to compile than all other tools of the chart together.
package main

import (
	"fmt"
	"os"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	"helm.sh/helm/v3/pkg/releaseutil"
)

const usage = `Usage: chart template <folder of the chart> <file of values>
       chart lint <folder of the chart> <file of values>

"template" prints what Helm would send to Kubernetes for a new release, and its hooks. "lint" prints what Helm warns of,
and fails if that is anything.`

// release is the name of the rendered release, and its namespace.
const release = "mailproof"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 3 {
		return fmt.Errorf("three arguments are needed\n%s", usage)
	}
	values, err := chartutil.ReadValuesFile(args[2])
	if err != nil {
		return err
	}
	switch args[0] {
	case "template":
		return template(args[1], values)
	case "lint":
		return warn(args[1], values)
	}
	return fmt.Errorf("there is no command %q\n%s", args[0], usage)
}

// template does what "helm template" does for a chart without definitions of custom resources.
func template(folder string, values chartutil.Values) error {
	chart, err := loader.Load(folder)
	if err != nil {
		return err
	}
	if crds := chart.CRDObjects(); len(crds) > 0 {
		return fmt.Errorf("%s would not be rendered", crds[0].Filename)
	}
	if err := chartutil.ProcessDependenciesWithMerge(chart, values); err != nil {
		return err
	}
	capabilities := chartutil.DefaultCapabilities
	if !chartutil.IsCompatibleRange(chart.Metadata.KubeVersion, capabilities.KubeVersion.String()) {
		return fmt.Errorf("the chart needs Kubernetes %s, not %s", chart.Metadata.KubeVersion, capabilities.KubeVersion)
	}
	options := chartutil.ReleaseOptions{Name: release, Namespace: release, Revision: 1, IsInstall: true}
	toRender, err := chartutil.ToRenderValues(chart, values, options, capabilities)
	if err != nil {
		return err
	}
	files, err := engine.Render(chart, toRender)
	if err != nil {
		return err
	}
	delete(files, chart.Name()+"/templates/NOTES.txt")
	hooks, manifests, err := releaseutil.SortManifests(files, nil, releaseutil.InstallOrder)
	if err != nil {
		return err
	}
	for _, manifest := range manifests {
		fmt.Printf("---\n# Source: %s\n%s\n", manifest.Name, manifest.Content)
	}
	for _, hook := range hooks {
		fmt.Printf("---\n# Source: %s\n%s\n", hook.Path, hook.Manifest)
	}
	return nil
}

// warn does what "helm lint --strict --quiet" does.
func warn(folder string, values chartutil.Values) error {
	linter := lint.AllWithKubeVersion(folder, values, release, nil)
	count := 0
	for _, message := range linter.Messages {
		if message.Severity >= support.WarningSev {
			fmt.Println(message)
			count++
		}
	}
	if count > 0 {
		return fmt.Errorf("%d warnings", count)
	}
	return nil
}
