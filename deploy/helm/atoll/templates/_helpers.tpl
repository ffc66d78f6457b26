{{- define "atoll.selector" -}}
app.kubernetes.io/name: atoll
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "atoll.labels" -}}
{{ include "atoll.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "atoll.config" -}}
{{- $shutdown := dict "shutdown" .Values.shutdown -}}
{{ toYaml (mergeOverwrite (deepCopy .Values.config) $shutdown) }}
{{- end }}
