import type { FileEncoding } from '@mailproof/shared-types';
import { encode } from 'iconv-lite';

/** Encodings whose tables in iconv-lite differ from those of the Encoding Standard, by which files are decoded. */
const differing: ReadonlySet<FileEncoding> = new Set(['macintosh', 'big5']);

/** Encodes text as it was decoded when it came in. */
export async function* encodeText(
  pieces: AsyncIterable<string>,
  encoding: FileEncoding,
): AsyncGenerator<string | Uint8Array> {
  if (encoding === 'utf-8') {
    yield* pieces;
    return;
  }
  const table = differing.has(encoding) ? inverseOf(encoding) : undefined;
  for await (const piece of pieces) {
    yield table
      ? Buffer.concat(Array.from(piece, character => table.get(character) ?? unknown))
      : encode(piece, encoding);
  }
}

const unknown = Buffer.from('?');

/** The octets of each character that one or two octets are decoded to. */
function inverseOf(encoding: FileEncoding): ReadonlyMap<string, Buffer> {
  const decoder = new TextDecoder(encoding);
  const table = new Map<string, Buffer>();
  const add = (octets: Buffer) => {
    const character = decoder.decode(octets);
    if (character !== '\ufffd' && !table.has(character)) table.set(character, octets);
  };
  for (let octet = 0; octet < 256; octet += 1) add(Buffer.from([octet]));
  for (let pair = 0; pair < 65_536; pair += 1) add(Buffer.from([pair >> 8, pair & 255]));
  return table;
}
