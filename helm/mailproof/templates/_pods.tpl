{{/* What every pod may do: nothing as root, nothing to the machine, nothing at the API of Kubernetes. `user` is its uid. */}}
{{- define "mailproof.podSecurity" -}}
automountServiceAccountToken: false
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: {{ .user }}
  runAsGroup: {{ .user }}
  fsGroup: {{ .user }}
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- define "mailproof.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  privileged: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{- define "mailproof.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . | quote }}
  {{- end }}
{{- end }}
{{- end }}

{{/* Where pods are scheduled, in addition to their spread constraints: as for all pods, and as for the service `name`. */}}
{{- define "mailproof.placement" -}}
{{- $pods := .root.Values.pods -}}
{{- $own := index .root.Values.services (.name | default "") | default dict -}}
{{- with merge (dict) ($own.nodeSelector | default dict) $pods.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with concat $pods.tolerations ($own.tolerations | default list) }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $own.affinity | default $pods.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $pods.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- end }}

{{/* Settings from keys of a Secret; those in `optional` may be missing there. */}}
{{- define "mailproof.secretEnv" -}}
{{- $secret := .secret -}}
{{- range .keys }}
- name: {{ . }}
  valueFrom:
    secretKeyRef: { name: {{ $secret | quote }}, key: {{ . }} }
{{- end }}
{{- range .optional }}
- name: {{ . }}
  valueFrom:
    secretKeyRef: { name: {{ $secret | quote }}, key: {{ . }}, optional: true }
{{- end }}
{{- end }}

{{/* The alert on memory: three quarters of each service's limit; empty if none has one. */}}
{{- define "mailproof.memoryExpression" -}}
{{- $factors := dict "Ki" "2^10" "Mi" "2^20" "Gi" "2^30" "Ti" "2^40" "Pi" "2^50" "Ei" "2^60" "m" "10^-3" "k" "10^3" "M" "10^6" "G" "10^9" "T" "10^12" "P" "10^15" "E" "10^18" -}}
{{- $parts := list -}}
{{- range $name, $own := .Values.services -}}
{{- with dig "limits" "memory" "" ($own.resources | default dict) | toString -}}
{{- $unit := regexFind "[A-Za-z]+$" . -}}
{{- $parts = append $parts (printf "process_memory_usage_bytes{service_name=%q} > 0.75 * %s * %s" $name (trimSuffix $unit .) (index $factors $unit | default "1")) -}}
{{- end -}}
{{- end -}}
{{- join "\nor\n" $parts -}}
{{- end }}

{{/* The labels that the ServiceMonitor gives to metrics of this installation; a name alone may begin another one's. */}}
{{- define "mailproof.metricsScope" -}}
{{- $services := keys (include "mailproof.services" . | fromYaml) | sortAlpha | join "|" -}}
{{- printf "namespace=%q,service=~%q," .Release.Namespace (printf "%s-(%s)" (include "mailproof.fullname" .) $services) -}}
{{- end }}
