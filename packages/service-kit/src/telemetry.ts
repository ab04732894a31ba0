import { isMainThread } from 'node:worker_threads';
import { signalsOf } from './telemetry/signals.ts';

/**
 * Starts OpenTelemetry before application code: run a service with `node --import` of this file. The standard `OTEL_*`
 * variables select what is exported and where; without them, nothing is loaded (docs/telemetry.md). Threads inherit the
 * option but export nothing: the metrics port belongs to their process.
 */
const signals = signalsOf(process.env);
if (isMainThread && (signals.traces || signals.metrics !== 'none')) {
  const { startTelemetry } = await import('./telemetry-sdk.ts');
  startTelemetry(signals, process.env);
}
