/** A body that is larger than it may be. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/**
 * Reads a body whole, unless it is larger than `bytesMax`: then no octet more is read.
 *
 * @throws BodyTooLarge
 */
export async function readBounded(body: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      throw new BodyTooLarge(`The body is larger than ${bytesMax} octets.`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
