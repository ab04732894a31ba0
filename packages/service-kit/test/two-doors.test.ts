import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type TestServiceKeys, testServiceKeys, waitFor } from '@mailproof/dev-house';
import { Agent as HeedingAgent } from 'undici';
import { z } from 'zod';
import {
  createHealth,
  createLogger,
  createPublicServiceApps,
  createServiceApp,
  internalPort,
  type RunningService,
  readConfig,
  route,
  type ServiceSettings,
  serviceSettings,
  startService,
} from '../src/index.ts';
import { inside, outside } from './two-sided-operations.ts';

let keys: TestServiceKeys;
let settings: ServiceSettings;
let running: RunningService;
let answer: PromiseWithResolvers<void>;
/** The events so far, in order. */
let events: string[];
let lines: string[];

const settingsFor = (more: NodeJS.ProcessEnv) =>
  readConfig(z.object({ ...serviceSettings, INTERNAL_PORT: internalPort }), {
    PORT: '0',
    INTERNAL_PORT: '0',
    ...keys.settingsOf('gateway'),
    ...more,
  });

beforeAll(async () => {
  keys = await testServiceKeys();
  settings = settingsFor({});
});

beforeEach(() => {
  answer = Promise.withResolvers();
  events = [];
  lines = [];
});

afterEach(async () => {
  answer.resolve();
  await running?.stop();
});

function partsOf(operations: readonly (typeof inside | typeof outside)[]) {
  const logger = createLogger({
    service: 'test',
    level: 'info',
    destination: { write: line => void lines.push(line) },
  });
  const routes = operations.map(operation =>
    route(
      operation,
      async () => 'gateway',
      async () => {
        events.push(operation.id);
        await answer.promise;
        return {};
      },
    ),
  );
  const publicBaseUrl = 'http://127.0.0.1';
  return { logger, health: createHealth({}), problemTypeBase: 'urn:', publicBaseUrl, routes };
}

async function start(more: NodeJS.ProcessEnv = {}) {
  const options = partsOf([inside, outside]);
  const stop = async () => void events.push('stores are closed');
  running = await startService({ ...options, ...createPublicServiceApps(options), stop }, settingsFor(more));
}

const until = (what: string, condition: () => boolean) => waitFor(what, condition, { deadlineMs: 30_000 });
const ask = (path: string, port: number) => fetch(`http://127.0.0.1:${port}${path}`);
const statusOf = (path: string, port: number) =>
  ask(path, port).then(
    ({ status }) => status,
    () => 'refused',
  );

describe('a service with a public side', () => {
  it('has each operation at the door that its contract names, and at no other', async () => {
    await start();
    answer.resolve();
    expect(running.internalPort).not.toBe(running.port);
    const found = [inside, outside].map(async ({ path }) => [
      await statusOf(path, running.internalPort),
      await statusOf(path, running.port),
    ]);
    expect(await Promise.all(found)).toEqual([
      [200, 404],
      [404, 200],
    ]);
  });

  it('logs requests of operations, but no probes', async () => {
    await start();
    answer.resolve();
    for (const path of ['/livez', '/readyz', inside.path]) {
      expect(await statusOf(path, running.internalPort)).toBe(200);
    }
    const requests = () => lines.map(line => JSON.parse(line)).filter(({ message }) => message === 'request');
    await until('The request is logged', () => requests().length > 0);
    expect(requests()).toMatchObject([{ operation: inside.id }]);
  });

  it('stops its public port first, and reports that to probes until the last response is sent', async () => {
    await start();
    const { port, internalPort } = running;
    const asked = ask(outside.path, port);
    await until('The request is there', () => events.includes(outside.id));
    const stopped = running.stop();
    expect(await statusOf(outside.path, port)).toBe('refused');
    expect(await (await ask('/readyz', internalPort)).json()).toEqual({
      ready: false,
      checks: { service: 'stopping' },
    });
    expect([await statusOf('/readyz', internalPort), await statusOf('/livez', internalPort)]).toEqual([
      503, 200,
    ]);
    answer.resolve();
    expect((await asked).status).toBe(200);
    await stopped;
    expect(await statusOf('/livez', internalPort)).toBe('refused');
    expect(events).toEqual([outside.id, 'stores are closed']);
  });

  it('answers one more request on a kept connection while it stops, and says that it is the last', async () => {
    await start({ SHUTDOWN_DEADLINE_MS: '20000' });
    answer.resolve();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const askKept = async () => {
      const asked = request({ agent, port: running.port, path: outside.path }).end();
      const [response] = (await once(asked, 'response')) as [IncomingMessage];
      response.resume();
      await once(response, 'end');
      return {
        reused: asked.reusedSocket,
        status: response.statusCode,
        connection: response.headers.connection,
      };
    };
    expect(await askKept()).toEqual({ reused: false, status: 200, connection: 'keep-alive' });
    const startedAt = performance.now();
    const stopped = running.stop();
    await sleep(200);
    expect(await askKept()).toEqual({ reused: true, status: 200, connection: 'close' });
    await stopped;
    // Nothing is open any more, so it does not wait for the time that idle connections have.
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    agent.destroy();
  });

  it('keeps idle connections for load balancers, and advises clients to close theirs sooner', async () => {
    await start({ SHUTDOWN_DEADLINE_MS: '20000' });
    answer.resolve();
    const idle = connect(running.port, '127.0.0.1').unref();
    idle.write(`GET ${outside.path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
    const [said] = (await once(idle, 'data')) as [Buffer];
    expect(said.toString()).toMatch(/^keep-alive: timeout=4\r$/im);
    const closed: string[] = [];
    idle.on('close', () => closed.push('of a client that does not heed it'));
    const heeding = new HeedingAgent().on('disconnect', () => closed.push('of a client that heeds it'));
    const { body } = await heeding.request({
      origin: `http://127.0.0.1:${running.port}`,
      path: outside.path,
      method: 'GET',
    });
    await body.dump();
    // Longer than Node, by default, keeps a connection after the time that it advises.
    await sleep(5_500);
    expect(closed).toEqual(['of a client that heeds it']);
    await heeding.destroy();
    idle.destroy();
  });

  it('ends connections that stay idle while it stops, within a tenth of its deadline', async () => {
    await start({ SHUTDOWN_DEADLINE_MS: '10000' });
    const idle = connect(running.port, '127.0.0.1').unref();
    idle.write(`GET ${outside.path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
    answer.resolve();
    await once(idle, 'data');
    const startedAt = performance.now();
    await running.stop();
    const tookMs = performance.now() - startedAt;
    expect(tookMs).toBeGreaterThanOrEqual(1_000);
    expect(tookMs).toBeLessThan(5_000);
  });

  it('answers a request that arrived on an idle connection before it ends the connection', async () => {
    await start({ SHUTDOWN_DEADLINE_MS: '5000' });
    const idle = connect(running.port, '127.0.0.1').unref();
    const head = `GET ${outside.path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`;
    idle.write(head);
    answer.resolve();
    await once(idle, 'data');
    const startedAt = performance.now();
    const stopped = running.stop();
    const idleEndsAt = startedAt + 500;
    await sleep(400);
    // From here, timers run before the loop reads what arrived.
    await new Promise(resolve => setImmediate(resolve));
    idle.write(head);
    // Busy until the connection would end: the request has arrived, and is not read yet.
    while (performance.now() < idleEndsAt + 100);
    const [said] = (await once(idle, 'data')) as [Buffer];
    expect(said.toString()).toMatch(/^HTTP\/1\.1 200 /);
    expect(said.toString()).toMatch(/^connection: close\r$/im);
    await stopped;
  });

  it('waits no longer than its deadline for requests at both ports', async () => {
    await start({ SHUTDOWN_DEADLINE_MS: '200' });
    const asked = [ask(outside.path, running.port), ask(inside.path, running.internalPort)];
    const ends = Promise.allSettled(asked);
    await until('Both requests are there', () => events.length === 2);
    await running.stop();
    expect((await ends).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(events.at(-1)).toBe('stores are closed');
  });
});

describe('a service that peers alone call', () => {
  it('cannot be built with a public operation', () => {
    expect(() => createServiceApp(partsOf([inside, outside]))).toThrow(
      'act-outside is public, but this service has no public side.',
    );
  });

  it('answers peers and probes at its only port', async () => {
    const options = partsOf([inside]);
    const one = readConfig(z.object(serviceSettings), { PORT: '0', ...keys.settingsOf('gateway') });
    running = await startService(
      { ...options, app: createServiceApp(options), stop: async () => undefined },
      one,
    );
    answer.resolve();
    expect(running.internalPort).toBe(running.port);
    expect([await statusOf(inside.path, running.port), await statusOf('/readyz', running.port)]).toEqual([
      200, 200,
    ]);
  });

  it('is not started with the settings of a service with two', async () => {
    const options = partsOf([inside]);
    const service = { ...options, app: createServiceApp(options), stop: async () => undefined };
    await expect(startService(service, settings)).rejects.toThrow('INTERNAL_PORT');
  });
});
