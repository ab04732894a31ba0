import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@mailproof/dev-house';
import { CookieJar } from 'tough-cookie';
import type { Customer, ToolHouse } from './house.ts';

/** The application as a signed-in browser uses it. */
export type Application = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
) => Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;

/** Signs in to the application; throws if the sign-in is refused. */
export async function openApplication(
  { house }: ToolHouse,
  { email, password }: Pick<Customer, 'email' | 'password'>,
): Promise<Application> {
  const base = `${house.gatewayUrls[0]}/app/v1`;
  const jar = new CookieJar();
  const ask: Application = async (method, path, body) => {
    const response = await fetch(base + path, {
      method,
      headers: { cookie: await jar.getCookieString(base), 'content-type': 'application/json' },
      signal: AbortSignal.timeout(30_000),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    for (const line of response.headers.getSetCookie()) await jar.setCookie(line, base);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  const { status } = await ask('POST', '/session', { email, password });
  if (status !== 200) throw new Error(`Signing in to the application was answered with ${status}.`);
  return ask;
}

/** Resets a customer's password with the mailed link, without a session. */
export async function resetPassword(
  { house }: ToolHouse,
  customer: Customer,
  password: string,
): Promise<Customer> {
  const post = async (path: string, body: object) => {
    const response = await fetch(`${house.gatewayUrls[0]}/app/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' },
      signal: AbortSignal.timeout(30_000),
      body: JSON.stringify(body),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}.`);
  };
  await post('/password-resets', { email: customer.email });
  const directory = house.mail?.directory ?? '';
  const token = await waitFor(
    'The mail with the link arrives',
    async () => {
      for (const name of await readdir(directory)) {
        // Long lines are folded, and special characters escaped (RFC 2045 section 6.7).
        const text = (await readFile(join(directory, name), 'utf8'))
          .replaceAll(/=\r?\n/g, '')
          .replaceAll('=3D', '=');
        const found = text.includes(customer.email) && /#token=([\w.~-]+)/.exec(text)?.[1];
        if (found) return found;
      }
      return undefined;
    },
    { deadlineMs: 60_000 },
  );
  await post('/password-resets/confirmation', { token, password });
  return { ...customer, password };
}
