/** How a file writes its rows, so that its results can be written in the same way. */
export interface CsvStyle {
  readonly lineEnd: 'crlf' | 'lf' | 'cr';
  /** Whether every cell has quotes, or only those that need them. */
  readonly quotes: 'all' | 'needed';
}

/** Finds the style of the first line. */
export function findStyle(head: string, delimiter: string): CsvStyle {
  const lineEnd = firstLineEnd(head);
  const line = lineEnd ? head.slice(0, lineEnd.at) : head;
  const isQuoted = (cell: string) => /^"(?:[^"]|"")*"$/.test(cell);
  return {
    lineEnd: lineEnd?.kind ?? 'crlf',
    quotes: cellsOf(line, delimiter).every(isQuoted) ? 'all' : 'needed',
  };
}

/** The first line end that is not inside of quotes. */
function firstLineEnd(head: string): { at: number; kind: CsvStyle['lineEnd'] } | undefined {
  let quoted = false;
  for (let at = 0; at < head.length; at += 1) {
    const character = head[at];
    if (character === '"') {
      quoted = !quoted;
    } else if (!quoted && (character === '\r' || character === '\n')) {
      return { at, kind: character === '\n' ? 'lf' : head[at + 1] === '\n' ? 'crlf' : 'cr' };
    }
  }
  return undefined;
}

function cellsOf(line: string, delimiter: string): string[] {
  const cells: string[] = [];
  let begin = 0;
  let quoted = false;
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] === '"') {
      quoted = !quoted;
    } else if (!quoted && line[at] === delimiter) {
      cells.push(line.slice(begin, at));
      begin = at + 1;
    }
  }
  return [...cells, line.slice(begin)];
}
