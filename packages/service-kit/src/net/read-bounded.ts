import { createGathering } from '@mailproof/shared-types';

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
  const gathered = createGathering<Uint8Array>(Buffer.concat);
  for await (const chunk of body) {
    gathered.add(chunk);
    if (gathered.length > bytesMax) {
      throw new BodyTooLarge(`The body is larger than ${bytesMax} octets.`);
    }
  }
  return gathered.take();
}
