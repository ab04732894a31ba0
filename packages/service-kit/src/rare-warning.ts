import type { Logger } from './log.ts';

export interface RareWarningOptions {
  /** Minimum time between two lines of the same kind, in milliseconds. */
  readonly everyMs?: number;
  readonly nowMs?: () => number;
}

/** Logs an error with additional facts, or counts it if one of its kind was logged recently. */
export type RareWarning = (error: unknown, facts?: Readonly<Record<string, unknown>>) => void;

const everyMsDefault = 60_000;
/** Maximum number of kinds to distinguish, and of characters per kind: a message may contain any client input. */
const kindsMax = 100;
const kindCharactersMax = 200;

/** Logs the facts of a frequent event, at a limited rate for each kind. */
export type RareLine = (kind: string, facts: Readonly<Record<string, unknown>>) => void;

/**
 * Writes one line for the first error of a kind, and then one a minute with the number of skipped errors. A store that
 * is down fails every command of every connection, hundreds per second; all that matters is that it is down.
 */
export function createRareWarning(
  logger: Pick<Logger, 'warn'>,
  message: string,
  options: RareWarningOptions = {},
): RareWarning {
  const tell = createRareLine(facts => logger.warn(facts, message), options);
  return (err, facts) => tell(kindOf(err), { err, ...facts });
}

/**
 * Writes the first line of a kind and then one per `everyMs`, with the number of lines skipped since the previous one
 * as `leftOut`. Use it for events that clients can cause without limit, so that no client fills the log.
 */
export function createRareLine(
  write: (facts: Readonly<Record<string, unknown>>) => void,
  { everyMs = everyMsDefault, nowMs = Date.now }: RareWarningOptions = {},
): RareLine {
  const told = new Map<string, { readonly atMs: number; leftOut: number }>();
  return (kind, facts) => {
    const before = told.get(kind);
    if (before && nowMs() - before.atMs < everyMs) {
      before.leftOut += 1;
      return;
    }
    told.delete(kind);
    const [oldest] = told.size >= kindsMax ? told.keys() : [];
    if (oldest !== undefined) {
      told.delete(oldest);
    }
    told.set(kind, { atMs: nowMs(), leftOut: 0 });
    write({ ...facts, ...(before && { leftOut: before.leftOut }) });
  };
}

/** Returns the kind of an error: its code if it has one, because messages contain ports and times. */
export function kindOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) {
    return String(error).slice(0, kindCharactersMax);
  }
  const { code, name, message } = error as Record<string, unknown>;
  return typeof code === 'string'
    ? code
    : `${name}: ${String(message).replace(/\d+/g, '0')}`.slice(0, kindCharactersMax);
}
