{{/* All addresses of the internet, and none of a private network: the same that the services' own guard lets through. */}}
{{- define "mailproof.internet" -}}
- ipBlock:
    cidr: 0.0.0.0/0
    except:
      - 0.0.0.0/8
      - 10.0.0.0/8
      - 100.64.0.0/10
      - 127.0.0.0/8
      - 169.254.0.0/16
      - 172.16.0.0/12
      - 192.0.0.0/24
      - 192.0.2.0/24
      - 192.88.99.0/24
      - 192.168.0.0/16
      - 198.18.0.0/15
      - 198.51.100.0/24
      - 203.0.113.0/24
      - 224.0.0.0/4
      - 240.0.0.0/4
- ipBlock:
    cidr: 2000::/3
    except:
      - 2001::/23
      - 2001:db8::/32
      - 2002::/16
      - 3fff::/20
{{- end }}

{{- define "mailproof.ranges" -}}
{{- range . }}
- ipBlock: { cidr: {{ . | quote }} }
{{- end }}
{{- end }}

{{/* Pods of this installation, by component. */}}
{{- define "mailproof.podsOf" -}}
- podSelector:
    matchLabels:
      app.kubernetes.io/name: mailproof
      app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
    matchExpressions:
      - { key: app.kubernetes.io/component, operator: In, values: {{ .names | sortAlpha | toJson }} }
{{- end }}

{{- define "mailproof.tcp" -}}
{{- range . }}
- { protocol: TCP, port: {{ . }} }
{{- end }}
{{- end }}

{{/* One rule of a policy: `direction` is from or to, `peers` are rendered, `ports` are numbers of TCP ports. */}}
{{- define "mailproof.rule" -}}
- {{ .direction }}: {{- .peers | trim | nindent 4 }}
  ports: {{- include "mailproof.tcp" .ports | trim | nindent 4 }}
{{- end }}

{{- define "mailproof.dnsPorts" -}}
{{- range . }}
- { protocol: UDP, port: {{ . }} }
- { protocol: TCP, port: {{ . }} }
{{- end }}
{{- end }}

{{/* Names are looked up at the cluster's own servers. */}}
{{- define "mailproof.dnsRule" -}}
- to: {{- toYaml .Values.networkPolicy.dnsPeers | nindent 4 }}
  ports: {{- include "mailproof.dnsPorts" .Values.networkPolicy.dnsPorts | trim | nindent 4 }}
{{- end }}

{{/* To a store: the bundled one, or where the operator says that it is. */}}
{{- define "mailproof.storeRule" -}}
{{- $store := index .root.Values .store -}}
{{- $peers := toYaml $store.peers -}}
{{- if $store.bundled.enabled }}{{ $peers = include "mailproof.podsOf" (dict "root" .root "names" (list .store)) }}{{ end -}}
{{- include "mailproof.rule" (dict "direction" "to" "peers" $peers "ports" (list $store.port)) -}}
{{- end }}

{{/*
To the name servers that validations ask, by either protocol: each at its own port, or where `dnsPeers` says that they
are, since no block of addresses is ever that of a Service.
*/}}
{{- define "mailproof.nameServerRules" -}}
{{- $of := .Values.validation }}
{{- $ports := list }}
{{- range $of.dnsServers }}
{{- $port := splitList ":" . | last }}
{{- $ports = append $ports $port | uniq }}
{{- if not $of.dnsPeers }}
{{- $address := trimSuffix (printf ":%s" $port) . | trimPrefix "[" | trimSuffix "]" }}
- to:
    - ipBlock: { cidr: {{ printf "%s/%d" $address (ternary 128 32 (contains ":" $address)) | quote }} }
  ports: {{- include "mailproof.dnsPorts" (list $port) | trim | nindent 4 }}
{{- end }}
{{- end }}
{{- if $of.dnsPeers }}
- to: {{- toYaml $of.dnsPeers | nindent 4 }}
  ports: {{- include "mailproof.dnsPorts" ($of.dnsPorts | default $ports) | trim | nindent 4 }}
{{- end }}
{{- end }}

{{/* To whom a service reaches beyond the installation. */}}
{{- define "mailproof.outsideRules" -}}
{{- $values := .root.Values -}}
{{- $internet := include "mailproof.internet" . -}}
{{- if eq .name "validation-engine" }}
{{- $peers := printf "%s%s" $internet (include "mailproof.ranges" $values.validation.allowedPrivateRanges) }}
{{- if $values.validation.socks5.enabled }}
{{ include "mailproof.rule" (dict "direction" "to" "peers" (toYaml $values.validation.socks5.peers) "ports" (list $values.validation.socks5.port)) }}
{{ include "mailproof.rule" (dict "direction" "to" "peers" $peers "ports" (list 443)) }}
{{- else }}
{{ include "mailproof.rule" (dict "direction" "to" "peers" $peers "ports" (list 25 443)) }}
{{- end }}
{{- include "mailproof.nameServerRules" .root }}
{{- end }}
{{- if .facts.internet }}
{{ include "mailproof.rule" (dict "direction" "to" "peers" (printf "%s%s" $internet (include "mailproof.ranges" $values.outbound.allowedPrivateRanges)) "ports" $values.outbound.ports) }}
{{- end }}
{{- with $values.searchEngine }}
{{- if and (eq $.name "enrichment") .url }}
{{- $port := regexFind ":[0-9]+/?$" .url | trimPrefix ":" | trimSuffix "/" }}
{{ include "mailproof.rule" (dict "direction" "to" "peers" (toYaml .peers) "ports" (.ports | default (list $port))) }}
{{- end }}
{{- end }}
{{- if and (eq .name "gateway") $values.mail.enabled }}
{{ include "mailproof.rule" (dict "direction" "to" "peers" (ternary (toYaml $values.mail.peers) $internet (not (empty $values.mail.peers))) "ports" (list $values.mail.port)) }}
{{- end }}
{{- if and (eq .name "gateway") $values.payment.stripe.enabled }}
{{ include "mailproof.rule" (dict "direction" "to" "peers" $internet "ports" (list 443)) }}
{{- end }}
{{- with $values.telemetry.otlpEndpoint }}
{{- $named := splitList ":" (urlParse .).host | last | regexFind "^[0-9]+$" }}
{{- $port := $values.telemetry.collectorPort | default $named | default (ternary "443" "80" (hasPrefix "https:" .)) }}
{{ include "mailproof.rule" (dict "direction" "to" "peers" (toYaml $values.telemetry.collectorPeers) "ports" (list $port)) }}
{{- end }}
{{- end }}
