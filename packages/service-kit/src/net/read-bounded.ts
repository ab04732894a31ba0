import { createGathering } from '@mailproof/shared-types';

/** Thrown for a body that exceeds its size limit. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/**
 * Reads a whole body, or stops reading as soon as it exceeds `bytesMax`.
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
