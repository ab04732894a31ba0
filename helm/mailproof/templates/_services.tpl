{{/*
What the chart knows of each service; a check gives what is rendered to each service's own reader of settings.
  peers         services that it calls, by the setting that takes the address at which they answer peers
  secrets       settings that come from the service's Secret
  publicUrls    settings that take addresses of the outside
  isPublic      whether people and programs outside reach it; it then answers peers and probes at a separate port
  internet      whether it contacts what customers name, at `outbound.ports`
  queues        whether it works through queues, and so can be scaled by them
*/}}
{{- define "mailproof.services" -}}
gateway:
  peers:
    CREDIT_LEDGER_URL: credit-ledger
    VALIDATION_ENGINE_URL: validation-engine
    MCP_SERVER_URL: mcp-server
    ENRICHMENT_URL: enrichment
    WEBHOOK_DISPATCHER_URL: webhook-dispatcher
  secrets: [SERVICE_SIGNING_KEY, SERVICE_PEER_KEYS, DATABASE_URL, REDIS_URL, KEY_ENCRYPTION_KEYS]
  publicUrls: [PUBLIC_BASE_URL]
  isPublic: true
credit-ledger:
  peers: {}
  secrets: [SERVICE_SIGNING_KEY, SERVICE_PEER_KEYS, DATABASE_URL]
  publicUrls: []
validation-engine:
  peers:
    CREDIT_LEDGER_URL: credit-ledger
    ENRICHMENT_URL: enrichment
  secrets: [SERVICE_SIGNING_KEY, SERVICE_PEER_KEYS, DATABASE_URL, REDIS_URL, ADDRESS_HASH_KEY]
  publicUrls: []
  queues: true
mcp-server:
  peers:
    GATEWAY_URL: gateway
  secrets: [SERVICE_SIGNING_KEY, SERVICE_PEER_KEYS, DATABASE_URL, REDIS_URL, OAUTH_ENCRYPTION_KEYS]
  publicUrls: [MCP_PUBLIC_BASE_URL, PUBLIC_BASE_URL]
  isPublic: true
  internet: true
enrichment:
  peers:
    CREDIT_LEDGER_URL: credit-ledger
  secrets: [SERVICE_SIGNING_KEY, SERVICE_PEER_KEYS, DATABASE_URL, REDIS_URL, SUPPRESSION_HASH_KEY, PROVIDER_ENCRYPTION_KEYS]
  publicUrls: []
  internet: true
  queues: true
webhook-dispatcher:
  peers:
    VALIDATION_ENGINE_URL: validation-engine
    ENRICHMENT_URL: enrichment
    CREDIT_LEDGER_URL: credit-ledger
  secrets: [SERVICE_SIGNING_KEY, SERVICE_PEER_KEYS, DATABASE_URL, REDIS_URL, DESTINATION_ENCRYPTION_KEYS, CRM_TOKEN_ENCRYPTION_KEYS]
  publicUrls: [PUBLIC_BASE_URL]
  internet: true
  queues: true
{{- end }}

{{/* The port at which the service of this name answers peers and probes. */}}
{{- define "mailproof.internalPort" -}}
{{- ternary 8081 8080 (hasKey (index (include "mailproof.services" "" | fromYaml) .) "isPublic") -}}
{{- end }}

{{/* The settings of a service that do not come from its Secret, in what Kubernetes calls `env`. */}}
{{- define "mailproof.plainEnv" -}}
{{- $root := .root -}}
{{- $values := .root.Values -}}
- { name: HOST, value: {{ $values.listenAddress | quote }} }
- { name: PORT, value: "8080" }
{{- if .facts.isPublic }}
- { name: INTERNAL_PORT, value: {{ include "mailproof.internalPort" .name | quote }} }
{{- end }}
- { name: LOG_LEVEL, value: {{ $values.logLevel | quote }} }
- { name: SHUTDOWN_DEADLINE_MS, value: {{ mul 1000 (int $values.shutdown.deadlineSeconds) | quote }} }
{{- range $setting, $peer := .facts.peers }}
- { name: {{ $setting }}, value: {{ printf "http://%s:%s" (include "mailproof.serviceName" (dict "root" $root "name" $peer)) (include "mailproof.internalPort" $peer) | quote }} }
{{- end }}
{{- range .facts.publicUrls }}
- { name: {{ . }}, value: {{ ternary $values.mcpPublicUrl $values.publicUrl (eq . "MCP_PUBLIC_BASE_URL") | quote }} }
{{- end }}
{{- if and .facts.isPublic $values.trustedProxies }}
- { name: TRUSTED_PROXIES, value: {{ join "," $values.trustedProxies | quote }} }
{{- end }}
{{- if and .facts.internet $values.outbound.allowedPrivateRanges }}
- { name: OUTBOUND_ALLOWED_PRIVATE_RANGES, value: {{ join "," $values.outbound.allowedPrivateRanges | quote }} }
{{- end }}
{{- if eq .name "validation-engine" }}
{{- with $values.validation }}
- { name: VALIDATION_DNS_SERVERS, value: {{ ternary (join "," .dnsServers) "system" (not (empty .dnsServers)) | quote }} }
{{- with .heloName }}
- { name: VALIDATION_HELO_NAME, value: {{ . | quote }} }
{{- end }}
{{- with .mailFrom }}
- { name: VALIDATION_MAIL_FROM, value: {{ . | quote }} }
{{- end }}
{{- with .allowedPrivateRanges }}
- { name: VALIDATION_ALLOWED_PRIVATE_RANGES, value: {{ join "," . | quote }} }
{{- end }}
{{- end }}
{{- end }}
{{- if and (eq .name "enrichment") $values.searchEngine.url }}
- { name: SEARCH_ENGINE_URL, value: {{ $values.searchEngine.url | quote }} }
{{- if $values.searchEngine.privateAuthority }}
- { name: SEARCH_ENGINE_CA_FILE, value: /etc/mailproof/search-engine/ca.crt }
{{- end }}
{{- end }}
{{- if and (eq .name "gateway") $values.mail.from }}
- { name: MAIL_FROM, value: {{ $values.mail.from | quote }} }
{{- end }}
{{- if and (eq .name "gateway") $values.payment.stripe.enabled }}
- { name: STRIPE_PRICES, value: {{ $values.payment.stripe.prices | quote }} }
- { name: STRIPE_AUTOMATIC_TAX, value: {{ $values.payment.stripe.automaticTax | quote }} }
{{- end }}
{{- if and (eq .name "webhook-dispatcher") $values.crm.salesforce.loginUrl }}
- { name: SALESFORCE_LOGIN_URL, value: {{ $values.crm.salesforce.loginUrl | quote }} }
{{- end }}
{{- with $values.telemetry.otlpEndpoint }}
- { name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ . | quote }} }
{{- end }}
{{- if $values.metrics.enabled }}
- { name: OTEL_METRICS_EXPORTER, value: prometheus }
- { name: OTEL_EXPORTER_PROMETHEUS_HOST, value: {{ $values.listenAddress | quote }} }
- { name: OTEL_EXPORTER_PROMETHEUS_PORT, value: "9464" }
{{- end }}
{{- end }}

{{/* The extra settings of a service: those of all services, and its own, which take precedence. */}}
{{- define "mailproof.extraEnv" -}}
{{- $own := (index .root.Values.services .name).extraEnv -}}
{{- $names := list -}}
{{- range $own }}{{ $names = append $names .name }}{{ end -}}
{{- $all := list -}}
{{- range .root.Values.pods.extraEnv }}{{ if not (has .name $names) }}{{ $all = append $all . }}{{ end }}{{ end -}}
{{- toYaml (concat $all $own) -}}
{{- end }}

{{/* The keys of a service's Secret that it is given: its own, and those of what has been switched on. A JSON list. */}}
{{- define "mailproof.secretKeys" -}}
{{- $keys := .facts.secrets -}}
{{- $values := .root.Values -}}
{{- if and (eq .name "gateway") $values.mail.enabled }}{{ $keys = append $keys "MAIL_SMTP_URL" }}{{ end -}}
{{- if and (eq .name "gateway") $values.payment.stripe.enabled }}{{ $keys = concat $keys (list "STRIPE_SECRET_KEY" "STRIPE_WEBHOOK_SECRET") }}{{ end -}}
{{- if and (eq .name "validation-engine") $values.validation.socks5.enabled }}{{ $keys = append $keys "VALIDATION_SOCKS5_URL" }}{{ end -}}
{{- if and (eq .name "enrichment") $values.searchEngine.url $values.searchEngine.login }}{{ $keys = concat $keys (list "SEARCH_ENGINE_USER" "SEARCH_ENGINE_PASSWORD") }}{{ end -}}
{{- if eq .name "webhook-dispatcher" -}}
{{- if $values.crm.hubspot.enabled }}{{ $keys = concat $keys (list "HUBSPOT_CLIENT_ID" "HUBSPOT_CLIENT_SECRET") }}{{ end -}}
{{- if $values.crm.salesforce.enabled }}{{ $keys = concat $keys (list "SALESFORCE_CLIENT_ID" "SALESFORCE_CLIENT_SECRET") }}{{ end -}}
{{- end -}}
{{- toJson $keys -}}
{{- end }}

{{/* The Secret of a service, of the migration or of the bundled stores. */}}
{{- define "mailproof.secretName" -}}
{{- $own := "" -}}
{{- if eq .name "migrate" }}{{ $own = .root.Values.secrets.migrate }}
{{- else if eq .name "stores" }}{{ $own = .root.Values.secrets.stores }}
{{- else }}{{ $own = (index .root.Values.services .name).existingSecret }}{{ end -}}
{{- $own | default (printf "%s-%s" .root.Values.secrets.prefix .name) -}}
{{- end }}
