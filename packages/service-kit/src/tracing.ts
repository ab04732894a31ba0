import {
  type Attributes,
  context,
  type SpanContext,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';

/** After the Trace Context recommendation of the W3C, section 3.2. */
const traceParentForm = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/**
 * What a row has to keep of the trace in which it was written, so that work which follows from it belongs to the same
 * trace (ADR 0047): a `traceparent` of the W3C. Null outside of traces.
 */
export function traceParent(): string | null {
  const span = trace.getSpanContext(context.active());
  return span && trace.isSpanContextValid(span)
    ? `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`
    : null;
}

/** Points from what is done now to the trace that a row was written in: work of another request on the same thing. */
export function linkTrace(parent: string | null | undefined): void {
  const linked = spanContextOf(parent);
  if (linked) {
    trace.getActiveSpan()?.addLink({ context: linked });
  }
}

/** Says more of what is done now; attributes name nobody, as those of metrics. */
export function describeSpan(attributes: Attributes): void {
  trace.getActiveSpan()?.setAttributes(attributes);
}

/** Does a piece of work in a span of its own. What goes wrong is marked by the error's name: its message may name somebody. */
export function inSpan<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  return trace.getTracer('mailproof').startActiveSpan(name, async span => {
    try {
      return await work();
    } catch (error) {
      span.setStatus({
        code: SpanStatusCode.ERROR,
        message: error instanceof Error ? error.name : 'unknown',
      });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Does work as a part of the trace that a row was written in. */
export function inTraceOf<Result>(parent: string | null, work: () => Promise<Result>): Promise<Result> {
  const remote = spanContextOf(parent);
  return remote ? context.with(trace.setSpanContext(context.active(), remote), work) : work();
}

function spanContextOf(parent: string | null | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] = traceParentForm.exec(parent ?? '') ?? [];
  return traceId === undefined || spanId === undefined
    ? undefined
    : {
        traceId,
        spanId,
        traceFlags: Number.parseInt(flags ?? '0', 16) & TraceFlags.SAMPLED,
        isRemote: true,
      };
}
