/** Parts of a whole that arrive one after the other, in any sizes. */
export interface Gathering<Part> {
  /** Octets or characters so far. */
  readonly length: number;
  add(part: Part): void;
  /** The whole so far. The gathering is empty afterwards. */
  take(): Part;
}

/** So many parts are joined at a time: a million octets that arrive one by one are not kept as a million objects. */
const looseMax = 256;

/** Gathers parts and copies each of them twice at most, however many there are. */
export function createGathering<Part extends { readonly length: number }>(
  join: (parts: readonly Part[]) => Part,
): Gathering<Part> {
  let joined: Part[] = [];
  let loose: Part[] = [];
  let length = 0;
  return {
    get length() {
      return length;
    },
    add(part) {
      if (part.length === 0) {
        return;
      }
      length += part.length;
      loose.push(part);
      if (loose.length === looseMax) {
        joined.push(join(loose));
        loose = [];
      }
    },
    take() {
      const parts = joined.length === 0 ? loose : [...joined, ...loose];
      joined = [];
      loose = [];
      length = 0;
      return parts.length === 1 ? (parts[0] as Part) : join(parts);
    },
  };
}

/** Gathers text. */
export function createTextGathering(): Gathering<string> {
  return createGathering<string>(parts => parts.join(''));
}

export interface LineRules {
  /** What ends a line: any of CR LF, LF and CR, or LF alone, so that a CR belongs to its line. */
  readonly ends: 'any' | 'lf';
  /** Whether text behind the last line end is a line, even where it is empty. */
  readonly keepsUnfinished: boolean;
  /** Characters of a line. */
  readonly charactersMax: number;
  /** The error for a line that is longer, by its number from 1. */
  readonly tooLong: (line: number) => Error;
}

/**
 * Splits text into lines while it arrives. It looks at each character once, in whatever portions the text arrives, and
 * keeps one line at most.
 *
 * @throws what `tooLong` makes, as soon as a line is too long; what the text throws is thrown on
 */
export async function* linesOf(text: AsyncIterable<string>, rules: LineRules): AsyncGenerator<string> {
  const { ends, keepsUnfinished, charactersMax, tooLong } = rules;
  const lineEnd = ends === 'lf' ? /\n/g : /\r\n|\n|\r/g;
  const line = createTextGathering();
  let lines = 0;
  let endedInCr = false;
  const add = (piece: string) => {
    line.add(piece);
    if (line.length > charactersMax) {
      throw tooLong(lines + 1);
    }
  };
  for await (const part of text) {
    // CR LF is one line end, even where it is cut in two.
    let begin = endedInCr && part.startsWith('\n') ? 1 : 0;
    lineEnd.lastIndex = begin;
    for (let end = lineEnd.exec(part); end !== null; end = lineEnd.exec(part)) {
      add(part.slice(begin, end.index));
      lines += 1;
      yield line.take();
      begin = lineEnd.lastIndex;
    }
    lineEnd.lastIndex = 0;
    add(part.slice(begin));
    if (part !== '') {
      endedInCr = ends === 'any' && part.endsWith('\r');
    }
  }
  if (keepsUnfinished) {
    yield line.take();
  }
}
