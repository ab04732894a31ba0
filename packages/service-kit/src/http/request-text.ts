import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Problem } from '../problem.ts';

/*
 * Text of requests is read strictly (ADR 0056): what is not UTF-8 is refused. A decoder that replaces what it cannot read
 * would make another text of it, which the client did not send and could be charged for.
 */

/** @throws Problem `unsupported_media_type` where the header names another encoding than UTF-8 */
export function assertUtf8({ headers }: IncomingMessage): void {
  const charset = /;\s*charset="?([^";\s]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!/^(?:utf-?8|us-ascii)$/i.test(charset)) {
    throw new Problem('unsupported_media_type', { detail: 'Send the body encoded as UTF-8.' });
  }
}

/**
 * Reads the octets of a JSON text (RFC 8259), less a byte order mark.
 *
 * @throws Problem `malformed_json`, or `invalid_request` for what is not UTF-8
 */
export function parseJson(octets: Uint8Array): unknown {
  const text = textOf(octets);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Problem('malformed_json', { cause });
  }
}

/**
 * Looks at every string of a JSON value, names included: JSON can escape what text cannot hold and Postgres cannot keep.
 *
 * @throws Problem `invalid_request` where one has a NUL or half a surrogate pair
 */
export function assertText(json: unknown): void {
  // No function that calls itself: the value may be nested deeper than the stack is.
  const open: unknown[] = [json];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === 'string') {
      if (!value.isWellFormed() || value.includes('\0')) {
        throw new Problem('invalid_request', {
          detail: 'A string of the body holds U+0000 or half a surrogate pair, which text cannot hold.',
        });
      }
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        open.push(name, member);
      }
    }
  }
}

/**
 * Reads the octets of a form (`application/x-www-form-urlencoded`).
 *
 * @throws Problem `invalid_request` where a name or value is not UTF-8 or holds a NUL
 */
export function formOf(octets: Uint8Array): URLSearchParams {
  const text = textOf(octets);
  assertPercentEncoded(text, 'form');
  return new URLSearchParams(text);
}

/** @throws Problem `invalid_request` where the query is not percent-encoded UTF-8 */
export function assertQueryIsText(url: string): void {
  const at = url.indexOf('?');
  if (at !== -1) {
    assertPercentEncoded(url.slice(at + 1), 'query');
  }
}

function textOf(octets: Uint8Array): string {
  const text = Buffer.from(octets.buffer, octets.byteOffset, octets.length).toString();
  if (!isUtf8(octets)) {
    throw new Problem('invalid_request', {
      detail: `The body is not valid UTF-8: byte ${firstDamage(octets, text)} is damaged. Nothing was done. Send the body encoded as UTF-8.`,
    });
  }
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** The octet, from 1, up to which the text says what was sent. */
function firstDamage(octets: Uint8Array, text: string): number {
  const again = Buffer.from(text);
  return octets.findIndex((octet, place) => octet !== again[place]) + 1;
}

function assertPercentEncoded(text: string, what: 'form' | 'query'): void {
  let decoded: string | undefined;
  try {
    decoded = decodeURIComponent(text);
  } catch {
    // Told below, as what it decodes to is.
  }
  if (decoded === undefined || decoded.includes('\0')) {
    throw new Problem('invalid_request', {
      detail: `The ${what} is not text: it holds a percent sign that begins no valid UTF-8, or U+0000.`,
    });
  }
}
