import { context, createContextKey } from '@opentelemetry/api';

/** The key by which OpenTelemetry's SDK knows that nothing is to be recorded or passed on (`suppressTracing`). */
const suppressed = createContextKey('OpenTelemetry SDK Context Key SUPPRESS_TRACING');

/** Does work of which nothing is told: no span, no header of a trace and no metric. */
export function untraced<Result>(work: () => Promise<Result>): Promise<Result> {
  return context.with(context.active().setValue(suppressed, true), work);
}

/** Whether what happens at this moment is told nowhere. */
export function isUntraced(): boolean {
  return context.active().getValue(suppressed) === true;
}
