import type { Logger } from './log.ts';

export interface RareWarningOptions {
  /** Time between two lines of the same kind, in milliseconds. */
  readonly everyMs?: number;
  readonly nowMs?: () => number;
}

/** Tells of a fault, with further facts, or counts it where one of its kind was told lately. */
export type RareWarning = (error: unknown, facts?: Readonly<Record<string, unknown>>) => void;

const everyMsDefault = 60_000;
/** Kinds that are told apart, and characters of one: a message may hold whatever somebody has sent. */
const kindsMax = 100;
const kindCharactersMax = 200;

/** Facts of something that happens often, for the log, by the kind that is told once in a while. */
export type RareLine = (kind: string, facts: Readonly<Record<string, unknown>>) => void;

/**
 * Writes one line for the first fault of a kind and then one a minute, which tells how many were left out. A store that is
 * away fails every command of every connection, some hundreds a second; what matters is that it is away.
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
 * Writes the first line of a kind and then one per `everyMs`, with `leftOut`: how many were not written since the one
 * before. What clients can cause without limit is told this way, so that no client fills the log.
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

/** The kind of an error: its code where it has one, because messages name ports and times. */
export function kindOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) {
    return String(error).slice(0, kindCharactersMax);
  }
  const { code, name, message } = error as Record<string, unknown>;
  return typeof code === 'string'
    ? code
    : `${name}: ${String(message).replace(/\d+/g, '0')}`.slice(0, kindCharactersMax);
}
