import { readFileSync } from 'node:fs';
import type { ProviderId } from '../../src/domain/providers/provider.ts';
import type { Meaning } from '../../src/domain/reply/meaning.ts';
import type { Stage } from '../../src/domain/smtp/transcript.ts';

/** A reply as a real host sent it or as its operator publishes it (README.md). */
export interface RealReply {
  /** The lines of one reply are separated by a line feed, each with its code, as on the wire. */
  readonly line: string;
  readonly stage: Stage;
  /** The provider of the host, if the table of providers includes it. */
  readonly provider?: ProviderId;
  /** A human judgment, made without running the rules. */
  readonly meaning: Meaning;
  /** Where the reply can be verified. */
  readonly source: string;
}

/** Every real reply on which the classifier is measured. */
export const realReplies: readonly RealReply[] = rowsOf('real.tsv').map(
  ([meaning, stage, provider, source = '', line = '']) => ({
    line,
    stage: stage as Stage,
    meaning: meaning as Meaning,
    source,
    ...(provider !== '' && { provider: provider as ProviderId }),
  }),
);

/** By collection, the replies that say that the mailbox is gone, and those that say something else. */
export const gone: Collections = collectionsOf('gone.tsv');
export const other: Collections = collectionsOf('other.tsv');

type Collections = ReadonlyMap<string, readonly string[]>;

function collectionsOf(file: string): Collections {
  const byCollection = Map.groupBy(rowsOf(file), ([collection = '']) => collection);
  return new Map([...byCollection].map(([name, rows]) => [name, rows.map(([, line = '']) => line)]));
}

/** The rows of a table without its heading. A line feed is written as `\n`. */
function rowsOf(file: string): string[][] {
  const [, ...rows] = readFileSync(new URL(file, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n');
  return rows.map(row => row.split('\t').map(cell => cell.replaceAll('\\n', '\n')));
}
