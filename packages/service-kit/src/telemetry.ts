/**
 * Starts OpenTelemetry ahead of application code: run a service with `node --import` of this file. Without
 * `OTEL_EXPORTER_OTLP_ENDPOINT` nothing is loaded. The standard `OTEL_*` variables apply.
 */
if (process.env['OTEL_EXPORTER_OTLP_ENDPOINT']) {
  const { startTelemetry } = await import('./telemetry-sdk.ts');
  startTelemetry();
}
