import { SpanKind, type Telemetry } from 'bullmq';
import { BullMQOtel } from 'bullmq-otel';

/** A span that is not recorded; spans inside it belong to the surrounding span. */
const noSpan: ReturnType<Telemetry['tracer']['startSpan']> = {
  setSpanOnContext: context => context,
  setAttribute: () => undefined,
  setAttributes: () => undefined,
  addEvent: () => undefined,
  recordException: () => undefined,
  end: () => undefined,
};

/**
 * Records spans for enqueuing and processing jobs, and counts their outcomes. Spans of queue maintenance are dropped:
 * otherwise each waiting worker would start a new trace every few seconds.
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

/** Makes the worker's span a child of the span that wrote the row, and of the queue's span. */
export function traceMetadata(traceParent: string | null | undefined) {
  return traceParent
    ? { metadata: JSON.stringify({ traceparent: traceParent }), omitContext: true }
    : undefined;
}
