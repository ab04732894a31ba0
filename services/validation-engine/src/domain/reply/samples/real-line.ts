import type { ProviderId } from '../../providers/provider.ts';
import type { Stage } from '../../smtp/transcript.ts';
import type { Meaning } from '../meaning.ts';

/**
 * A reply as a real host sent it or as its operator publishes it. Only addresses, names of persons and the numbers of
 * our own side are changed. The meaning is a human judgment, made without running the rules.
 */
export interface RealLine {
  /** The lines of one reply are separated by a line feed, each with its code, as on the wire. */
  readonly line: string;
  readonly stage: Stage;
  /** The provider of the host, if the table of providers includes it. */
  readonly provider?: ProviderId;
  readonly meaning: Meaning;
  /** Where the line can be verified. */
  readonly source: string;
}

type ByMeaning = Readonly<Partial<Record<Meaning, readonly string[]>>>;

/** Lines in answer to RCPT that one source attributes to one provider, or to no provider in particular. */
export function atRcpt(source: string, provider: ProviderId | undefined, lines: ByMeaning): RealLine[] {
  return at('rcpt', source, provider, lines);
}

export function at(
  stage: Stage,
  source: string,
  provider: ProviderId | undefined,
  lines: ByMeaning,
): RealLine[] {
  return (Object.entries(lines) as [Meaning, readonly string[]][]).flatMap(([meaning, some]) =>
    some.map(line => ({ line, stage, meaning, source, ...(provider !== undefined && { provider }) })),
  );
}
