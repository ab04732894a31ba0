import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPrivateRedis } from '@mailproof/dev-house';
import { authorizationPath, newProof, postForm, postJson } from './oauth-steps.ts';
import { redirectUri, startToolServers, type ToolServers } from './tool-server.ts';

let servers: ToolServers;

beforeAll(async () => {
  servers = await startToolServers({
    replicas: 2,
    env: { OAUTH_REQUESTS_PER_MINUTE_MAX: '3', OAUTH_REGISTRATIONS_PER_HOUR_MAX: '2' },
  });
});
afterAll(() => servers?.stop());

describe('a client network', () => {
  it('may register so many clients an hour, over all replicas', async () => {
    const ask = (replica: number, from: string) =>
      servers.send(
        '/register',
        {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-forwarded-for': from },
          body: JSON.stringify({ redirect_uris: [redirectUri] }),
        },
        replica,
      );
    const statuses = [];
    for (const replica of [0, 1, 0]) statuses.push((await ask(replica, '198.51.100.7')).status);
    expect(statuses).toEqual([201, 201, 429]);
    const refused = await ask(1, '198.51.100.7');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(60);
    expect(await refused.json()).toMatchObject({ error: 'temporarily_unavailable' });
    expect((await ask(1, '198.51.100.8')).status).toBe(201);
  });

  it('may ask for tokens so often a minute, and begin so many sign-ins', async () => {
    const tokens = [];
    const pages = [];
    for (let n = 0; n < 4; n += 1) {
      tokens.push((await postForm(servers, '/token', { grant_type: 'authorization_code' })).status);
      const response = await servers.send(authorizationPath('unknown', newProof()), {
        headers: { accept: 'text/html' },
      });
      pages.push([response.status, response.headers.get('content-type')?.split(';')[0]]);
    }
    expect(tokens).toEqual([400, 400, 400, 429]);
    expect(pages.slice(2)).toEqual([
      [400, 'text/html'],
      [429, 'text/html'],
    ]);
  });

  it('is refused while requests cannot be counted, in the form of each endpoint', async () => {
    const redis = await startPrivateRedis();
    const lonely = await startToolServers({ env: { REDIS_URL: redis.url } });
    try {
      const registered = () => postJson(lonely, '/register', { redirect_uris: [redirectUri] });
      expect((await registered()).status).toBe(201);
      await redis.kill();
      const refused = await registered();
      expect([refused.status, await refused.json()]).toEqual([
        503,
        { error: 'temporarily_unavailable', error_description: expect.any(String) },
      ]);
      const page = await lonely.send(authorizationPath('unknown', newProof()));
      expect([page.status, page.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8']);
      expect(page.headers.get('retry-after')).toBe('5');
    } finally {
      await lonely.stop();
      await redis.stop();
    }
  });
});
