import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { Problem } from '../problem.ts';

/*
 * Request text is read strictly (ADR 0056): anything that is not UTF-8 is refused. A decoder that replaces invalid
 * octets would produce a text that the client did not send and could be charged for.
 */

/** @throws Problem `unsupported_media_type` if the header names an encoding other than UTF-8 */
export function assertUtf8({ headers }: IncomingMessage): void {
  const charset = /;\s*charset="?([^";\s]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8';
  if (!/^(?:utf-?8|us-ascii)$/i.test(charset)) {
    throw new Problem('unsupported_media_type', { detail: 'Send the body encoded as UTF-8.' });
  }
}

/**
 * Parses a JSON text (RFC 8259), without its byte order mark.
 *
 * @throws Problem `malformed_json`, or `invalid_request` if the octets are not UTF-8
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
 * Checks every string of a JSON value, names included: JSON can escape characters that text cannot hold and Postgres
 * cannot store.
 *
 * @throws Problem `invalid_request` if a string contains a NUL or an unpaired surrogate
 */
export function assertText(json: unknown): void {
  // Not recursive: the value may be nested deeper than the stack allows.
  const open: unknown[] = [json];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value === 'string') {
      if (!value.isWellFormed() || value.includes('\0')) {
        throw new Problem('invalid_request', {
          detail: 'A string in the body contains U+0000 or an unpaired surrogate.',
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
 * Parses a form (`application/x-www-form-urlencoded`).
 *
 * @throws Problem `invalid_request` if a name or value is not UTF-8 or contains a NUL
 */
export function formOf(octets: Uint8Array): URLSearchParams {
  const text = textOf(octets);
  assertPercentEncoded(text, 'form');
  return new URLSearchParams(text);
}

/** @throws Problem `invalid_request` if the query is not percent-encoded UTF-8 */
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
      detail: `The body is not valid UTF-8: byte ${firstDamage(octets, text)} is damaged. The request was rejected. Send the body encoded as UTF-8.`,
    });
  }
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** Returns the position, counted from 1, of the first octet at which the text differs from what was sent. */
function firstDamage(octets: Uint8Array, text: string): number {
  const again = Buffer.from(text);
  return octets.findIndex((octet, index) => octet !== again[index]) + 1;
}

function assertPercentEncoded(text: string, what: 'form' | 'query'): void {
  let decoded: string | undefined;
  try {
    decoded = decodeURIComponent(text);
  } catch {
    // The check below reports it.
  }
  if (decoded === undefined || decoded.includes('\0')) {
    throw new Problem('invalid_request', {
      detail: `The ${what} is not valid text: it contains a percent sign that does not start valid UTF-8, or U+0000.`,
    });
  }
}
