import type { Readable } from 'node:stream';
import { BodyTooLarge, readBounded } from '@mailproof/service-kit';

/** Reads a whole body, or stops and returns undefined as soon as it exceeds `octetsMax`. Rejects if it breaks off. */
export async function readBody(stream: Readable, octetsMax: number): Promise<Uint8Array | undefined> {
  try {
    return await readBounded(stream, octetsMax);
  } catch (error) {
    if (error instanceof BodyTooLarge) {
      return undefined;
    }
    throw error;
  }
}
