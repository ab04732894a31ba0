import { SpanKind, type Telemetry } from 'bullmq';
import { BullMQOtel } from 'bullmq-otel';

/** A span that is told nowhere; what happens in it belongs to whatever it happens in. */
const noSpan: ReturnType<Telemetry['tracer']['startSpan']> = {
  setSpanOnContext: context => context,
  setAttribute: () => undefined,
  setAttributes: () => undefined,
  addEvent: () => undefined,
  recordException: () => undefined,
  end: () => undefined,
};

/**
 * Spans of jobs that are put on a queue and carried out, and counts of how they ended. Without those that tell how a
 * queue is kept: each worker would begin a trace of its own every few seconds just by waiting.
 */
export function queueTelemetry(): Telemetry {
  const { tracer, contextManager, meter } = new BullMQOtel({
    tracerName: 'mailproof.jobs',
    meterName: 'mailproof.jobs',
    enableMetrics: true,
  });
  return {
    contextManager,
    ...(meter && { meter }),
    tracer: {
      startSpan: (name, options, context) =>
        options?.kind === SpanKind.PRODUCER || options?.kind === SpanKind.CONSUMER
          ? tracer.startSpan(name, options, context)
          : noSpan,
    },
  };
}

/** Makes the worker's span a child of the one that a row was written in, beside that of the queue. */
export function traceMetadata(traceParent: string | null | undefined) {
  return traceParent
    ? { metadata: JSON.stringify({ traceparent: traceParent }), omitContext: true }
    : undefined;
}
