import type { Span } from './house-telemetry.ts';

/**
 * All spans to which one trace leads, as an operator follows it: those of the trace, and of each that points to one
 * which was come to.
 */
export function followTrace(spans: readonly Span[], traceId: string): Span[] {
  const followed = new Set([traceId]);
  for (let before = 0; before !== followed.size; ) {
    before = followed.size;
    for (const { traceId: from, linksTo } of spans) {
      if (linksTo.some(linked => followed.has(linked))) {
        followed.add(from);
      }
    }
  }
  return spans.filter(span => followed.has(span.traceId));
}

/** A span and those that it is a part of, the innermost first. */
export function lineOf(spans: readonly Span[], span: Span): Span[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return parent ? [span, ...lineOf(spans, parent)] : [span];
}
