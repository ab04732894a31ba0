{{- define "mailproof.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/* The name of everything that belongs to one component: a service, migrate, postgres, redis. */}}
{{- define "mailproof.serviceName" -}}
{{- printf "%s-%s" (include "mailproof.fullname" .root) .name -}}
{{- end }}

{{/* What tells the pods of one component of one installation from all others; may never change. */}}
{{- define "mailproof.selectorLabels" -}}
app.kubernetes.io/name: mailproof
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .name }}
{{- end }}

{{- define "mailproof.labels" -}}
{{ include "mailproof.selectorLabels" . }}
app.kubernetes.io/part-of: mailproof
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "mailproof.image" -}}
{{- with .root.Values.image -}}
{{- if .registry }}{{ trimSuffix "/" .registry }}/{{ end -}}
{{ .repository }}/{{ $.name }}
{{- with index .digests $.name }}@{{ . }}{{ else }}:{{ .tag | default $.root.Chart.AppVersion }}{{ end -}}
{{- end -}}
{{- end }}

{{- define "mailproof.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "mailproof.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end }}
