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
 * Does work of which the spans of Postgres and Redis are left out. A job of 50,000 rows asks them some hundred thousand
 * times, and a trace of that size is read by nobody.
 */
export function withoutStoreSpans<Result>(work: () => Promise<Result>): Promise<Result> {
  return context.with(context.active().setValue(quiet, true), work);
}

const isQuiet = (at: Context): boolean => at.getValue(quiet) === true;

/** Gives the instrumentation of a store tracers that keep to `withoutStoreSpans`. */
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
