import { isAscii } from 'node:buffer';
import { createGathering, type FileEncoding } from '@mailproof/shared-types';
import { notReadable } from './intake-fault.ts';

/** Text that is decoded as it arrives, and the facts about it, which are known once the text has been read. */
export interface DecodedText {
  readonly text: AsyncGenerator<string>;
  facts(): {
    readonly octets: number;
    readonly encoding: FileEncoding;
    /** True if nothing declared the encoding and the octets are not UTF-8. */
    readonly encodingIsGuess: boolean;
    /** Whether the file begins with a byte order mark. */
    readonly byteOrderMark: boolean;
  };
}

type Changing<Facts> = { -readonly [name in keyof Facts]: Facts[name] };

/** Byte order marks and their encodings. */
const marks: readonly (readonly [FileEncoding | 'utf-32', readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-32', [0xff, 0xfe, 0x00, 0x00]],
  ['utf-32', [0x00, 0x00, 0xfe, 0xff]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

const sheetRemedy = 'save the sheet as CSV and upload that.';

/** First octets of files that people mistake for lists. */
const signatures: readonly (readonly [readonly number[], string])[] = [
  [[0x50, 0x4b, 0x03, 0x04], `The file is a workbook (.xlsx) or a ZIP archive: ${sheetRemedy}`],
  [[0x50, 0x4b, 0x05, 0x06], 'The file is an empty ZIP archive.'],
  [
    [0xd0, 0xcf, 0x11, 0xe0],
    'The file is an old workbook (.xls), or one with a password: save it as .xlsx without a password, or as CSV.',
  ],
  [[0x1f, 0x8b], 'The file is compressed: decompress it and upload the contents.'],
  [[0x25, 0x50, 0x44, 0x46], 'The file is a PDF: upload the list itself, as CSV.'],
];

/** How many octets decide the encoding: from the start of the file, and from the first character beyond ASCII. */
const headOctets = 4_096;
const windowOctets = 65_536;

/** ASCII control characters that no text contains. */
const oddCharacter = /[^\P{Cc}\t\n\v\f\r\u0080-\u009f]/u;
const binary = 'The file is binary. If it is a spreadsheet, save it as .xlsx or CSV.';

/**
 * Decodes octets strictly. The encoding comes from a byte order mark, otherwise from the sender, otherwise from the
 * octets themselves: UTF-16 by its zeros, UTF-8 if it is valid, and windows-1252 if not, which is reported as a guess.
 *
 * @throws IntakeFault, while the text is read, if the octets are not text
 */
export function decodeText(octets: AsyncIterable<Uint8Array>, given?: FileEncoding): DecodedText {
  const facts: Changing<ReturnType<DecodedText['facts']>> = {
    octets: 0,
    encoding: given ?? 'utf-8',
    encodingIsGuess: false,
    byteOrderMark: false,
  };
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const chunk of octets) {
      facts.octets += chunk.length;
      yield chunk;
    }
  }
  async function* text(): AsyncGenerator<string> {
    const source = counted();
    try {
      for await (const piece of piecesOf(await takeHead(source), given, facts)) {
        // Postgres cannot store a NUL in text, and no list has a reason to contain one.
        if (piece.includes('\0') || (facts.encodingIsGuess && oddCharacter.test(piece))) {
          throw notReadable(binary);
        }
        if (piece !== '') {
          yield piece;
        }
      }
    } finally {
      // Stops reading from the sender, however this ends.
      await source.return(undefined);
    }
  }
  return { text: text(), facts: () => ({ ...facts }) };
}

function piecesOf(
  { head, all }: { readonly head: Buffer; readonly all: AsyncGenerator<Uint8Array> },
  given: FileEncoding | undefined,
  facts: Pick<Changing<ReturnType<DecodedText['facts']>>, 'encoding' | 'encodingIsGuess' | 'byteOrderMark'>,
): AsyncGenerator<string> {
  const marked = markOf(head);
  facts.byteOrderMark = marked !== undefined;
  const known = marked ?? given ?? wideOf(head);
  refuseOthers(head, known);
  if (known === undefined) {
    return decodeUnknown(all, facts);
  }
  facts.encoding = known;
  return decodeKnown(all, known);
}

async function takeHead(
  octets: AsyncGenerator<Uint8Array>,
): Promise<{ head: Buffer; all: AsyncGenerator<Uint8Array> }> {
  const gathered = createGathering<Buffer>(Buffer.concat);
  while (gathered.length < headOctets) {
    // Not a `for await` loop: leaving it would end the generator, and the rest is still needed.
    const next = await octets.next();
    if (next.done) {
      break;
    }
    gathered.add(bufferOf(next.value));
  }
  const head = gathered.take();
  async function* all(): AsyncGenerator<Uint8Array> {
    yield head;
    yield* octets;
  }
  return { head, all: all() };
}

function startsWith(head: Buffer, beginning: readonly number[]): boolean {
  return beginning.every((octet, index) => head[index] === octet);
}

function markOf(head: Buffer): FileEncoding | undefined {
  const marked = marks.find(([, mark]) => startsWith(head, mark))?.[0];
  if (marked === 'utf-32') {
    throw notReadable('The file is UTF-32, which is not supported: save it as UTF-8.');
  }
  return marked;
}

/**
 * Detects UTF-16 without a mark: each ASCII character, of which every list of addresses has many, has a zero in its
 * pair.
 */
function wideOf(head: Buffer): FileEncoding | undefined {
  const pairs = Math.floor(head.length / 2);
  const zeros = [0, 0];
  for (let index = 0; index < pairs * 2; index += 1) {
    if (head[index] === 0) {
      zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
    }
  }
  const [high = 0, low = 0] = zeros.map(count => count / Math.max(1, pairs));
  return low > 0.4 && high < 0.02 ? 'utf-16le' : high > 0.4 && low < 0.02 ? 'utf-16be' : undefined;
}

function refuseOthers(head: Buffer, known: FileEncoding | undefined): void {
  const other = signatures.find(([signature]) => startsWith(head, signature));
  if (other) {
    throw notReadable(other[1]);
  }
  if (!known?.startsWith('utf-16') && head.includes(0)) {
    throw notReadable(binary);
  }
}

async function* decodeKnown(
  octets: AsyncIterable<Uint8Array>,
  encoding: FileEncoding,
): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  let lines = 1;
  const decode = (chunk?: Uint8Array) => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch {
      throw notReadable(
        `The text is not ${encoding.toUpperCase()} from about line ${lines} on. Set \`encoding\`, or save the file as UTF-8.`,
      );
    }
  };
  for await (const chunk of octets) {
    const text = decode(chunk);
    lines += countLines(text);
    yield text;
  }
  yield decode();
}

/**
 * ASCII reads the same in UTF-8 and windows-1252, so the first other octet is where the choice starts to matter. The
 * window after that octet decides it.
 */
async function* decodeUnknown(
  octets: AsyncGenerator<Uint8Array>,
  facts: { encoding: FileEncoding; encodingIsGuess: boolean },
): AsyncGenerator<string> {
  for (;;) {
    const next = await octets.next();
    if (next.done) {
      return;
    }
    const chunk = bufferOf(next.value);
    if (isAscii(chunk)) {
      yield chunk.toString('latin1');
      continue;
    }
    const first = chunk.findIndex(octet => octet >= 0x80);
    yield chunk.toString('latin1', 0, first);
    const { head, all } = await takeWindow(chunk.subarray(first), octets);
    if (!isUtf8(head.octets, head.isEnd)) {
      facts.encoding = 'windows-1252';
      facts.encodingIsGuess = true;
    }
    yield* decodeKnown(all, facts.encoding);
    return;
  }
}

async function takeWindow(first: Uint8Array, rest: AsyncGenerator<Uint8Array>) {
  const gathered = createGathering<Uint8Array>(Buffer.concat);
  gathered.add(first);
  let isEnd = false;
  while (gathered.length < windowOctets && !isEnd) {
    const next = await rest.next();
    if (next.done) {
      isEnd = true;
    } else {
      gathered.add(next.value);
    }
  }
  const octets = gathered.take();
  async function* all(): AsyncGenerator<Uint8Array> {
    yield octets;
    yield* rest;
  }
  return { head: { octets, isEnd }, all: all() };
}

function bufferOf(octets: Uint8Array): Buffer {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.length);
}

function isUtf8(octets: Uint8Array, isEnd: boolean): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(octets, { stream: !isEnd });
    return true;
  } catch {
    return false;
  }
}

function countLines(text: string): number {
  let lines = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) {
    lines += 1;
  }
  return lines;
}
