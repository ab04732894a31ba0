import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/** A body that takes the place of another one. */
export interface Body {
  readonly type: string;
  readonly octets: Buffer;
}

/** The same request with another body, since the library reads the body by itself. */
export function withBody(
  request: IncomingMessage,
  { type, octets }: Body,
  dropped: readonly string[] = [],
): IncomingMessage {
  const { method, url, socket, httpVersion, httpVersionMajor, httpVersionMinor } = request;
  const left = new Set(['transfer-encoding', 'content-encoding', ...dropped]);
  const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !left.has(name)));
  return Object.assign(Readable.from([octets], { objectMode: false }), {
    method,
    url,
    socket,
    httpVersion,
    httpVersionMajor,
    httpVersionMinor,
    headers: { ...headers, 'content-type': type, 'content-length': String(octets.length) },
  }) as unknown as IncomingMessage;
}
