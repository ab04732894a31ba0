import type { Readable } from 'node:stream';

/** Collects a body of at most so many octets; nothing for a longer one, whose rest is not read. Rejects when it breaks off. */
export async function readBody(stream: Readable, octetsMax: number): Promise<Uint8Array | undefined> {
  const parts: Buffer[] = [];
  let octets = 0;
  for await (const part of stream as AsyncIterable<Buffer>) {
    octets += part.length;
    if (octets > octetsMax) {
      return undefined;
    }
    parts.push(part);
  }
  return Buffer.concat(parts);
}
