import { FileFault } from '../../domain/import/table-file.ts';

/** The encoding of each byte order mark. */
const marks: readonly (readonly [string, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** Decodes bytes strictly: invalid bytes are reported with their line. */
export async function* decode(
  octets: AsyncIterable<Buffer>,
  encoding: string | undefined,
): AsyncGenerator<string> {
  let decoder: InstanceType<typeof TextDecoder> | undefined;
  let lines = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of octets) {
    // A byte order mark could be split between chunks.
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    if (decoder === undefined && rest.length < 4) {
      continue;
    }
    decoder ??= decoderFor(rest, encoding);
    const text = decoded(decoder, rest, lines);
    rest = Buffer.alloc(0);
    lines += countLines(text);
    yield text;
  }
  decoder ??= decoderFor(rest, encoding);
  const last = decoded(decoder, rest, lines, true);
  if (last !== '') {
    yield last;
  }
}

function decoderFor(head: Buffer, encoding: string | undefined): InstanceType<typeof TextDecoder> {
  const marked = marks.find(([, mark]) => mark.every((octet, index) => head[index] === octet))?.[0];
  const label = encoding ?? marked ?? 'utf-8';
  if (!label.startsWith('utf-16') && head.includes(0)) {
    throw new FileFault('The file is binary. If it is UTF-16, name the encoding: utf-16le.');
  }
  try {
    return new TextDecoder(label, { fatal: true });
  } catch {
    throw new FileFault(
      `Unknown encoding “${label}”. Common encodings are utf-8, utf-16le and windows-1252.`,
    );
  }
}

function decoded(
  decoder: InstanceType<typeof TextDecoder>,
  octets: Buffer,
  linesBefore: number,
  isEnd = false,
): string {
  try {
    return decoder.decode(octets, { stream: !isEnd });
  } catch {
    throw new FileFault(
      `The text is not ${decoder.encoding.toUpperCase()}. If it is Western European, name the encoding: windows-1252.`,
      linesBefore + 1 + linesBeforeFault(decoder.encoding, octets),
    );
  }
}

/** Returns how many lines of the chunk are valid. */
function linesBeforeFault(encoding: string, octets: Buffer): number {
  let lines = 0;
  for (let start = 0; start < octets.length; ) {
    const end = octets.indexOf(0x0a, start);
    const line = octets.subarray(start, end === -1 ? octets.length : end);
    try {
      new TextDecoder(encoding, { fatal: true }).decode(line);
    } catch {
      // The first line of a chunk may begin within a character and still be valid.
      if (start > 0 || octets.length < 2) {
        return lines;
      }
    }
    if (end === -1) {
      return lines;
    }
    lines += 1;
    start = end + 1;
  }
  return lines;
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    lines += 1;
  }
  return lines;
}
