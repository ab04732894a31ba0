import type { Request } from 'express';
import { Problem } from '../problem.ts';

/**
 * Opens a body that is read as it comes in. Whoever reads slowly slows the sender down, and whoever stops reading early
 * can still answer: what is left is passed over then.
 *
 * @throws Problem `body_too_large` at once where the length is given, and else at the octet that is one too many;
 *   `unsupported_media_type` for what is compressed or no UTF-8; `invalid_request` when the sender has gone
 */
export function openBodyStream(request: Request, bytesMax: number): AsyncIterable<Uint8Array> {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new Problem('unsupported_media_type', {
      detail: 'Send the body as it is, without `Content-Encoding`.',
    });
  }
  const charset = /;\s*charset="?([^";\s]+)/i.exec(request.headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!/^(?:utf-?8|us-ascii)$/i.test(charset)) {
    throw new Problem('unsupported_media_type', { detail: 'Send the body encoded as UTF-8.' });
  }
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) {
    throw tooLarge(bytesMax);
  }
  return readBounded(request, bytesMax);
}

async function* readBounded(request: Request, bytesMax: number): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  // Destroying the request would close the connection ahead of the answer.
  const octets = request.iterator({ destroyOnReturn: false });
  try {
    for (;;) {
      const next = await octets.next().catch((cause: unknown) => {
        throw new Problem('invalid_request', { detail: 'The body ended before it was complete.', cause });
      });
      if (next.done) {
        return;
      }
      const chunk = next.value as Uint8Array;
      bytes += chunk.length;
      if (bytes > bytesMax) {
        throw tooLarge(bytesMax);
      }
      yield chunk;
    }
  } finally {
    await octets.return?.(undefined);
    // A body that was begun and is read no further would keep its connection open, even when the sender has gone.
    request.resume();
  }
}

function tooLarge(bytesMax: number): Problem {
  return new Problem('body_too_large', { detail: `The body may have ${bytesMax} octets.` });
}
