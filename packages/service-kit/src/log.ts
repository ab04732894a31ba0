import { context, trace } from '@opentelemetry/api';
import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger } from 'pino';

/**
 * Shapes that must never reach a log, whichever way they got into a line: API keys, tokens and addresses of people.
 * This is the last line of defence; code logs ids, never these. Ahead of each stands what every match of it contains, so
 * that most lines are looked through quickly.
 */
const secrets: readonly (readonly [string, RegExp, string])[] = [
  ['mp_', /\bmp_[a-z]+_[0-9A-Za-z]{12,}/g, '[api key]'],
  ['eyJ', /\beyJ[\w-]+\.[\w-]+(?:\.[\w-]+)*/g, '[token]'],
  ['@', /\b(\w+:\/\/)[^\s"/@]+@/g, '$1[credentials]@'],
  // What stands after the @ must look like a domain, or every path of a package with its version would be blanked.
  [
    '@',
    /[^\s"'<>@,;:()[\]\\/]+@(?:\[[^\]\s]*\]|[^\s"'<>@,;:()[\]\\/]*\.\p{L}[\p{L}\d-]+|\p{L}[\p{L}\d-]*(?![\w.+/-]))/gu,
    '[address]',
  ],
];

/**
 * Lines are written together: a write for each costs a busy service a third of its throughput. They wait at most so many
 * milliseconds. The write is synchronous, because one that is under way in another thread while the process ends can
 * lose lines in a pipe.
 */
const gathered = { sync: true, minLength: 16_000, periodicFlush: 100 } as const;

/** Lines that cannot be written, as on a disk that is full, are kept up to so many octets; further ones are dropped. */
const unwrittenOctetsMax = 1_000_000;

/** Blanks whatever looks like a secret or an address of a person. */
export function scrub(line: string): string {
  return secrets.reduce(
    (text, [marker, pattern, replacement]) =>
      text.includes(marker) ? text.replace(pattern, replacement) : text,
    line,
  );
}

/**
 * One JSON object a line on standard output, with the service's name and, inside a trace, its ids. Every line is
 * scrubbed as a whole, error messages and stacks included.
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
      hooks: { streamWrite: scrub },
    },
    options.destination ?? standardOutput(),
  );
}

let output: DestinationStream | undefined;

/**
 * One for all loggers of the process; what it has gathered is written when the process ends, in whichever way. That no
 * line can be written is no reason to end: whoever keeps serving without a log serves better than nobody.
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
      // One attempt shows whether lines are taken: `flushSync` would try for ever where they are not.
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
