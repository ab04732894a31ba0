import {
  type Context,
  context,
  createContextKey,
  INVALID_SPAN_CONTEXT,
  type Tracer,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';

const quiet = createContextKey('mailproof: no spans of stores');

/**
 * Runs work without spans of Postgres and Redis. A job of 50,000 rows sends them hundreds of thousands of commands, and
 * a trace of that size is useless.
 */
export function withoutStoreSpans<Result>(work: () => Promise<Result>): Promise<Result> {
  return context.with(context.active().setValue(quiet, true), work);
}

const isQuiet = (at: Context): boolean => at.getValue(quiet) === true;

/** Wraps a tracer provider for a store's instrumentation, so that its tracers respect `withoutStoreSpans`. */
export function quietable(provider: TracerProvider): TracerProvider {
  return {
    getTracer(...names) {
      const tracer = provider.getTracer(...names);
      const startSpan: Tracer['startSpan'] = (name, options, at = context.active()) =>
        isQuiet(at)
          ? trace.wrapSpanContext(trace.getSpanContext(at) ?? INVALID_SPAN_CONTEXT)
          : tracer.startSpan(name, options, at);
      return { startSpan, startActiveSpan: tracer.startActiveSpan.bind(tracer) } as Tracer;
    },
  };
}

/** The context key that tells OpenTelemetry's SDK to record and propagate nothing (`suppressTracing`). */
const suppressed = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

/** Runs work without telemetry: no span, no trace header and no metric. */
export function untraced<Result>(work: () => Promise<Result>): Promise<Result> {
  return context.with(context.active().setValue(suppressed, true), work);
}

/** Whether the current work runs inside `untraced`. */
export function isUntraced(): boolean {
  return context.active().getValue(suppressed) === true;
}
