import { sessionCookie } from '@mailproof/shared-types';
import type { Request } from 'express';
import { deviceCookie } from '../../domain/users/known-device.ts';
import type { BegunSession } from '../../domain/users/sign-in.ts';

/** The value of a cookie that the request carries. */
export function cookieOf(request: Request, name: string): string | undefined {
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=');
    if (at !== -1 && pair.slice(0, at).trim() === name) {
      return pair.slice(at + 1).trim();
    }
  }
  return undefined;
}

const attributes = 'Path=/; HttpOnly; Secure; SameSite=Lax';
const deviceCookieSeconds = 365 * 86_400;

/** The `Set-Cookie` headers of a session that has begun. */
export function cookiesOf({ token, device }: BegunSession, sessionSeconds: number): readonly string[] {
  return [
    `${sessionCookie}=${token}; Max-Age=${sessionSeconds}; ${attributes}`,
    `${deviceCookie}=${device}; Max-Age=${deviceCookieSeconds}; ${attributes}`,
  ];
}

/** Takes the session cookie back. The device stays known: it says nothing but that somebody signed in there once. */
export const noSessionCookie = `${sessionCookie}=; Max-Age=0; ${attributes}`;
