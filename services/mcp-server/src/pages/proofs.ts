import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { limits } from '@mailproof/shared-types';
import type { Request, Response } from 'express';

/**
 * Proves that a form comes from one of our pages, and that a browser is the one in which the user signed in. Also
 * recognizes a browser by its device cookie.
 */
export interface Proofs {
  /**
   * The token in a form. It is bound to the request for consent and, once a user has signed in, to the browser's
   * secret.
   */
  csrfToken(uid: string, secret: string | undefined): string;
  isCsrfToken(given: unknown, uid: string, secret: string | undefined): boolean;
  /** Gives the browser a new secret and returns its hash, so that no other browser can consent. */
  giveSecret(response: Response, uid: string): string;
  /** Returns the browser's secret if it belongs to this sign-in. */
  secretOf(request: Request, uid: string, secretSha256: string): string | undefined;
  takeSecret(response: Response, uid: string): void;
  /** Returns the value of the device cookie without checking it: the gateway verifies it. */
  deviceOf(request: Request): string | undefined;
  /** Sets the device cookie. Returns the SHA-256 of its value, in hexadecimal. */
  giveDevice(response: Response, device: string): string;
}

const deviceForm = /^[\w.-]+$/;
const deviceSeconds = 365 * 86_400;

/** `keys`: the first one signs and all verify, so that forms remain valid when the keys change. */
export function createProofs(keys: readonly Uint8Array[], isSecure: boolean, seconds: number): Proofs {
  const sign = (key: Uint8Array, uid: string, secret: string | undefined) =>
    createHmac('sha256', key)
      .update(`${uid} ${secret ?? ''}`)
      .digest('base64url');
  // One cookie per request, so that two sign-ins in one browser do not interfere with each other. `__Host-` prevents
  // other hosts of the domain from setting it (RFC 6265bis section 4.1.3.2).
  const prefix = isSecure ? '__Host-' : '';
  const cookieOf = (uid: string) =>
    `${prefix}mailproof_consent_${createHash('sha256').update(uid).digest('hex').slice(0, 16)}`;
  // The application's device cookie has the same name; each is valid for its own host only.
  const deviceCookie = `${prefix}mailproof_device`;
  const set = (response: Response, name: string, value: string, maxAge: number) =>
    response.append(
      'set-cookie',
      `${name}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAge}${isSecure ? '; Secure' : ''}`,
    );
  return {
    csrfToken: (uid, secret) => sign(keys[0] ?? new Uint8Array(), uid, secret),
    isCsrfToken: (given, uid, secret) =>
      typeof given === 'string' && keys.some(key => isSame(given, sign(key, uid, secret))),
    giveSecret(response, uid) {
      const secret = randomBytes(32).toString('base64url');
      set(response, cookieOf(uid), secret, seconds);
      return hashOf(secret);
    },
    secretOf(request, uid, secretSha256) {
      const secret = cookieValue(request, cookieOf(uid));
      return secret !== undefined && isSame(hashOf(secret), secretSha256) ? secret : undefined;
    },
    takeSecret: (response, uid) => void set(response, cookieOf(uid), '', 0),
    deviceOf(request) {
      const device = cookieValue(request, deviceCookie) ?? '';
      return deviceForm.test(device) && device.length <= limits.deviceCharactersMax ? device : undefined;
    },
    giveDevice(response, device) {
      set(response, deviceCookie, device, deviceSeconds);
      return createHash('sha256').update(device).digest('hex');
    },
  };
}

function isSame(given: string, expected: string): boolean {
  const one = createHash('sha256').update(given).digest();
  return timingSafeEqual(one, createHash('sha256').update(expected).digest());
}

function hashOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

function cookieValue(request: Request, name: string): string | undefined {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at !== -1 && pair.slice(0, at).trim() === name) {
      return pair.slice(at + 1).trim();
    }
  }
  return undefined;
}
