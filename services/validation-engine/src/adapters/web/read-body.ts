import type { Readable } from 'node:stream';
import { BodyTooLarge, readBounded } from '@mailproof/service-kit';

/** Collects a body of at most so many octets; nothing for a longer one, whose rest is not read. Rejects when it breaks off. */
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
