import type { ProviderId } from '../../providers/provider.ts';
import type { Stage } from '../../smtp/transcript.ts';
import type { Meaning } from '../meaning.ts';

/**
 * A reply as a real host sent it or as its operator publishes it. Addresses and names of persons are changed, and so
 * are the numbers of our own side; nothing else is. The meaning is a human's judgement, made without asking the rules.
 */
export interface RealLine {
  /** Lines of one reply are parted by a line feed, each with its code, as they go over the wire. */
  readonly line: string;
  readonly stage: Stage;
  /** Whose host said it, where the table of providers has a name for it. */
  readonly provider?: ProviderId;
  readonly meaning: Meaning;
  /** Where the line can be read by whoever doubts it. */
  readonly source: string;
}

type ByMeaning = Readonly<Partial<Record<Meaning, readonly string[]>>>;

/** Lines that one source tells of one provider, or of no provider in particular, in answer to RCPT. */
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
