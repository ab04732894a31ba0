import type { Span } from './house-telemetry.ts';

/**
 * All spans that an operator reaches from one trace: those of the trace, and those of each trace with a link to one
 * already reached.
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

/** A span and its ancestors, innermost first. */
export function lineOf(spans: readonly Span[], span: Span): Span[] {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return parent ? [span, ...lineOf(spans, parent)] : [span];
}
