import { CookieJar } from 'tough-cookie';
import type { Customer, ToolHouse } from './house.ts';

/** The application, as a browser that has signed in to it uses it. */
export type Application = (
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
) => Promise<{ readonly status: number; readonly body: Record<string, unknown> }>;

/** Signs in to the application; throws when that is refused. */
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
