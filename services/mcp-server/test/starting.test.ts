import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { freePort } from '@mailproof/dev-house';
import { SignJWT } from 'jose';
import { Agent, type Dispatcher } from 'undici';
import { authorizationPath, connect, newProof } from './oauth-steps.ts';
import { publicUrl, resource, startToolServers } from './tool-server.ts';

const starts = 20;
/** Each sends its next request as soon as it gets a response or a refused connection. */
const askersOfEach = 3;

/** The first requests of clients with old tokens, browsers and monitors. */
async function firstQuestions(): Promise<readonly Dispatcher.RequestOptions[]> {
  const staleToken = await new SignJWT({ scope: 'account.read', client_id: 'stale' })
    .setProtectedHeader({ alg: 'HS256', kid: 'gone', typ: 'at+jwt' })
    .setIssuer(publicUrl)
    .setAudience(resource)
    .setExpirationTime('10m')
    .sign(new Uint8Array(32).fill(7));
  const { host } = new URL(publicUrl);
  return [
    ...['/health', '/jwks', authorizationPath('a-client-of-before', newProof())].map(
      path => ({ method: 'GET', path, headers: { host } }) as const,
    ),
    {
      method: 'POST',
      path: '/mcp',
      headers: {
        host,
        authorization: `Bearer ${staleToken}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    },
  ];
}

interface Storm {
  /** Counts of responses by path and status, such as `/jwks 200`; refused connections are counted as `refused`. */
  readonly answers: ReadonlyMap<string, number>;
  end(): Promise<void>;
}

/** Sends requests to the port without a pause, even while nothing listens there. */
async function beginStorm(port: number): Promise<Storm> {
  const answers = new Map<string, number>();
  let isOver = false;
  const count = (answer: string) => answers.set(answer, (answers.get(answer) ?? 0) + 1);
  const client = new Agent();
  const ask = async (question: Dispatcher.RequestOptions) => {
    const [path] = question.path.split('?');
    while (!isOver) {
      const answer = await client
        .request({ ...question, origin: `http://127.0.0.1:${port}` })
        .catch(() => undefined);
      const body = await answer?.body.text();
      count(answer ? `${path} ${answer.statusCode}` : 'refused');
      if (path === '/jwks' && answer?.statusCode === 200) {
        count(`${JSON.parse(body ?? '').keys.length} keys`);
      }
      await nextTurn();
    }
  };
  const questions = await firstQuestions();
  const asking = Promise.all(Array.from({ length: askersOfEach }, () => questions.map(ask)).flat());
  return {
    answers,
    async end() {
      isOver = true;
      await asking;
      await client.close();
    },
  };
}

it(`a first start succeeds ${starts} of ${starts} times while clients ask without a pause, and none sees it half started`, async () => {
  for (let start = 1; start <= starts; start += 1) {
    const port = await freePort();
    const storm = await beginStorm(port);
    const env = { PORT: String(port), OAUTH_REQUESTS_PER_MINUTE_MAX: '1000000' };
    const servers = await startToolServers({ env: { ...env, AUTH_FAILURES_PER_MINUTE_MAX: '1000000' } });
    try {
      const { access_token } = await connect(servers);
      expect(access_token).toMatch(/^ey/);
    } finally {
      await storm.end();
      await servers.stop();
    }
    expect(storm.answers.get('refused')).toBeGreaterThan(0);
    const seen = [...storm.answers.keys()].filter(answer => answer !== 'refused').sort();
    expect(seen).toEqual(['/authorize 400', '/health 200', '/jwks 200', '/mcp 401', '1 keys']);
  }
  // Alone it takes 17 seconds, and seven times as long if other suites share the processors with the storm.
}, 300_000);
