{{- define "stipend.labels" -}}
app.kubernetes.io/name: stipend
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "stipend.selector" -}}
app.kubernetes.io/name: stipend
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: service
{{- end }}

{{- define "stipend.image" -}}
{{ required "image.repository is needed: build packaging/Containerfile and push it to a registry of yours" .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* What the pods of the service and of the migration have in common. */}}
{{- define "stipend.pod" -}}
# Variables for the services of the namespace would look like settings.
enableServiceLinks: false
automountServiceAccountToken: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  # The key belongs to root, and to this group.
  fsGroup: 10001
  seccompProfile:
    type: RuntimeDefault
volumes:
  - name: key
    secret:
      secretName: {{ .Values.secret.name }}
      defaultMode: 0440
      items:
        - key: {{ .Values.secret.masterKey }}
          path: master.key
{{- end }}

{{/* What their containers have in common. */}}
{{- define "stipend.container" -}}
image: {{ include "stipend.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
volumeMounts:
  - name: key
    mountPath: /etc/stipend
    readOnly: true
env:
  - name: STIPEND_MASTER_KEY_FILE
    value: /etc/stipend/master.key
  - name: STIPEND_DATABASE_URL
    valueFrom:
      secretKeyRef:
        name: {{ .Values.secret.name }}
        key: {{ .Values.secret.databaseUrl }}
  - name: STIPEND_METRICS_TOKEN
    valueFrom:
      secretKeyRef:
        name: {{ .Values.secret.name }}
        key: {{ .Values.secret.metricsToken }}
        optional: true
  - name: STIPEND_PUBLIC_URL
    value: {{ required "publicUrl is needed: links and cookies carry it" .Values.publicUrl | quote }}
  # A job migrates before the nodes change: they only check.
  - name: STIPEND_MIGRATE
    value: "false"
  # The ingress is in front, and says who asks.
  - name: STIPEND_BEHIND_PROXY
    value: "true"
  {{- range $name, $value := .Values.settings }}
  - name: STIPEND_{{ upper $name }}
    value: {{ $value | quote }}
  {{- end }}
{{- end }}
