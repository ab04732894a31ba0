import { context, trace } from '@opentelemetry/api';
import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/**
 * Patterns of data that must never reach a log: API keys, tokens and addresses of people. This is the last line of
 * defense; code logs ids, never such data. The text before each pattern is part of every match, so that most lines are
 * checked quickly.
 */
const secrets: readonly (readonly [string, RegExp, string])[] = [
  ['mp_', /\bmp_[a-z]+_[0-9A-Za-z]{12,}/g, '[api key]'],
  ['eyJ', /\beyJ[\w-]+\.[\w-]+(?:\.[\w-]+)*/g, '[token]'],
  ['@', /\b(\w+:\/\/)[^\s"/@]+@/g, '$1[credentials]@'],
  // The part after the @ must look like a domain; otherwise every package path with a version would be redacted.
  [
    '@',
    /[^\s"'<>@,;:()[\]\\/]+@(?:\[[^\]\s]*\]|[^\s"'<>@,;:()[\]\\/]*\.\p{L}[\p{L}\d-]+|\p{L}[\p{L}\d-]*(?![\w.+/-]))/gu,
    '[address]',
  ],
];

/**
 * Lines are written in batches, because a write per line costs a busy service a third of its throughput. They wait at
 * most `periodicFlush` milliseconds. Writes are synchronous, because a process that ends during an asynchronous write
 * can lose lines in a pipe.
 */
const gathered = { sync: true, minLength: 16_000, periodicFlush: 100 } as const;

/**
 * Lines that cannot be written, for example on a full disk, are kept up to this many octets; further lines are dropped.
 */
const unwrittenOctetsMax = 1_000_000;

/** Redacts anything that looks like a secret or an email address. */
export function scrub(line: string): string {
  return secrets.reduce(
    (text, [marker, pattern, replacement]) =>
      text.includes(marker) ? text.replace(pattern, replacement) : text,
    line,
  );
}

/**
 * Creates a logger that writes one JSON object per line to standard output, with the service's name and, inside a
 * trace, the trace's ids. Whole lines are scrubbed, including error messages and stacks.
 */
export function createLogger(options: {
  service: string;
  level: string;
  destination?: DestinationStream;
}): Logger {
  return pino(
    {
      level: options.level,
      base: { service: options.service },
      messageKey: 'message',
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: label => ({ level: label }) },
      mixin: () => traceIds(),
      serializers: { err: errorInLog },
      hooks: { streamWrite: scrub },
    },
    options.destination ?? standardOutput(),
  );
}

/**
 * Serializes an error without the command that a Redis client adds to it: its arguments may be a password, as those of
 * a connection that was refused are, or the content of a job.
 */
function errorInLog(error: Error): unknown {
  const told = pino.stdSerializers.err(error) as { command?: unknown; aggregateErrors?: unknown[] };
  for (const each of [told, ...(told?.aggregateErrors ?? [])]) {
    if (typeof each === 'object' && each !== null) Reflect.deleteProperty(each, 'command');
  }
  return told;
}

let output: DestinationStream | undefined;

/**
 * The output shared by all loggers of the process; its buffer is flushed on every kind of exit. A failed write does not
 * end the process: a service without a log is better than no service.
 */
function standardOutput(): DestinationStream {
  if (output === undefined) {
    const gathering = pino.destination({ fd: 1, ...gathered, maxLength: unwrittenOctetsMax });
    let isFailing = false;
    gathering.on('error', () => {
      isFailing = true;
    });
    gathering.on('write', () => {
      isFailing = false;
    });
    process.once('exit', () => {
      // One attempt shows whether lines can be written. If not, `flushSync` would retry forever.
      gathering.flush();
      if (!isFailing) gathering.flushSync();
    });
    output = gathering;
  }
  return output;
}

function traceIds(): { traceId?: string; spanId?: string } {
  const span = trace.getSpanContext(context.active());
  return span ? { traceId: span.traceId, spanId: span.spanId } : {};
}
