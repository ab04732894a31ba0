import { isMainThread } from 'node:worker_threads';
import { signalsOf } from './telemetry/signals.ts';

/**
 * Starts OpenTelemetry ahead of application code: run a service with `node --import` of this file. The standard `OTEL_*`
 * variables say what is told and where to; without one of them nothing is loaded (docs/telemetry.md). Threads inherit
 * the option and tell nothing themselves: the port for metrics is their process's.
 */
const signals = signalsOf(process.env);
if (isMainThread && (signals.traces || signals.metrics !== 'none')) {
  const { startTelemetry } = await import('./telemetry-sdk.ts');
  startTelemetry(signals, process.env);
}
