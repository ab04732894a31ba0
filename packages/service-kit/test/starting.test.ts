import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { freePort, type TestServiceKeys, testServiceKeys, waitFor } from '@mailproof/dev-house';
import type { Express } from 'express';
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
  serviceSettings,
  startService,
} from '../src/index.ts';
import { untilNeedsWork } from '../src/needs.ts';
import { inside, outside } from './two-sided-operations.ts';

let keys: TestServiceKeys;
let ports: { readonly PORT: number; readonly INTERNAL_PORT: number };
/** The events so far, in order. */
let events: string[];
let logLines: string[];
let started: PromiseWithResolvers<void>;
let running: RunningService | undefined;

beforeAll(async () => {
  keys = await testServiceKeys();
});

beforeEach(async () => {
  ports = { PORT: await freePort(), INTERNAL_PORT: await freePort() };
  events = [];
  logLines = [];
  started = Promise.withResolvers();
  running = undefined;
});

afterEach(async () => {
  started.resolve();
  await running?.stop();
});

const noted = (event: string) => async () => {
  events.push(event);
  return {};
};

function optionsFor(operations: readonly (typeof inside | typeof outside)[]) {
  return {
    logger: createLogger({
      service: 'test',
      level: 'error',
      destination: { write: line => void logLines.push(line) },
    }),
    // A healthy dependency must not make a service ready before it has started.
    health: createHealth({ postgres: async () => undefined }),
    problemTypeBase: 'urn:',
    publicBaseUrl: 'http://127.0.0.1',
    routes: operations.map(operation => route(operation, async () => 'gateway', noted(operation.id))),
  };
}

/** Starts a service whose `start` resolves when the test resolves `started`. */
function startPublicService(): Promise<RunningService> {
  const settings = readConfig(z.object({ ...serviceSettings, INTERNAL_PORT: internalPort }), {
    PORT: String(ports.PORT),
    INTERNAL_PORT: String(ports.INTERNAL_PORT),
    ...keys.settingsOf('gateway'),
  });
  const options = {
    ...optionsFor([inside, outside]),
    mountPages: (app: Express) =>
      void app.get('/page', async (_request, response) => void response.json(await noted('page')())),
  };
  return startService(
    {
      ...{ ...options, ...createPublicServiceApps(options) },
      start: () => started.promise,
      stop: async () => void events.push('stores are closed'),
    },
    settings,
  );
}

const ask = (port: number, path: string) => fetch(`http://127.0.0.1:${port}${path}`);
const statusOf = (port: number, path: string) =>
  ask(port, path).then(
    ({ status }) => status,
    () => 'refused',
  );
const untilProbed = (port: number) =>
  waitFor('The internal port is open', async () => (await statusOf(port, '/livez')) === 200, {
    deadlineMs: 30_000,
  });

describe('while it starts', () => {
  it('a service handles no requests: its public port is closed, peers get 503', async () => {
    const starting = startPublicService();
    await untilProbed(ports.INTERNAL_PORT);
    for (let round = 0; round < 20; round += 1) {
      expect(await statusOf(ports.PORT, outside.path)).toBe('refused');
      expect(await statusOf(ports.PORT, '/page')).toBe('refused');
      const probe = await ask(ports.INTERNAL_PORT, '/readyz');
      expect([probe.status, await probe.json()]).toEqual([
        503,
        { ready: false, checks: { service: 'starting' } },
      ]);
      const refused = await ask(ports.INTERNAL_PORT, inside.path);
      expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
        503,
        '1',
        expect.objectContaining({ code: 'service_unavailable', detail: 'The service is starting.' }),
      ]);
    }
    expect(events).toEqual([]);
    expect(logLines).toEqual([]);
    started.resolve();
    running = await starting;
    expect(await (await ask(ports.INTERNAL_PORT, '/readyz')).json()).toEqual({
      ready: true,
      checks: { postgres: 'ok' },
    });
    expect(await statusOf(ports.INTERNAL_PORT, inside.path)).toBe(200);
    expect(await statusOf(ports.PORT, outside.path)).toBe(200);
    expect(await statusOf(ports.PORT, '/page')).toBe(200);
  });

  it('says that it is ready only when its public port is open', async () => {
    const starting = startPublicService();
    await untilProbed(ports.INTERNAL_PORT);
    started.resolve();
    await waitFor(
      'The service says that it is ready',
      async () => (await statusOf(ports.INTERNAL_PORT, '/readyz')) === 200,
      { deadlineMs: 30_000 },
    );
    expect(await statusOf(ports.PORT, outside.path)).toBe(200);
    running = await starting;
  });

  it('an internal service answers probes and refuses operations', async () => {
    const settings = readConfig(z.object(serviceSettings), {
      PORT: String(ports.PORT),
      ...keys.settingsOf('gateway'),
    });
    const options = optionsFor([inside]);
    const starting = startService(
      {
        ...{ ...options, app: createServiceApp(options) },
        start: () => started.promise,
        stop: async () => undefined,
      },
      settings,
    );
    await untilProbed(ports.PORT);
    expect(await statusOf(ports.PORT, '/readyz')).toBe(503);
    expect(await statusOf(ports.PORT, inside.path)).toBe(503);
    expect(events).toEqual([]);
    started.resolve();
    running = await starting;
    expect(await statusOf(ports.PORT, '/readyz')).toBe(200);
    expect(await statusOf(ports.PORT, inside.path)).toBe(200);
  });
});

describe('what a service needs', () => {
  /** Starts a service whose dependencies work when the test says so. */
  function startNeedy(working: Set<string>): Promise<RunningService> {
    const settings = readConfig(z.object(serviceSettings), {
      PORT: String(ports.PORT),
      ...keys.settingsOf('gateway'),
    });
    const options = optionsFor([inside]);
    const need = (name: string) => async () => {
      if (!working.has(name)) throw new Error(`${name} is not there yet.`);
      events.push(name);
    };
    return startService(
      {
        ...{ ...options, app: createServiceApp(options) },
        needs: { redis: need('redis'), schema: need('schema') },
        start: async () => void events.push('start'),
        stop: async () => undefined,
      },
      settings,
    );
  }
  const readiness = async () => (await ask(ports.PORT, '/readyz')).json();
  const untilWaitingFor = (name: string) =>
    waitFor(
      `The service waits for ${name}`,
      async () => JSON.stringify(await readiness()).includes(`"${name}":"failed"`),
      { deadlineMs: 30_000 },
    );

  it('is tried in order until it works; readiness says what is missing, and nothing starts before', async () => {
    const working = new Set<string>();
    const starting = startNeedy(working);
    await untilProbed(ports.PORT);
    await untilWaitingFor('redis');
    working.add('redis');
    await untilWaitingFor('schema');
    expect(await readiness()).toEqual({ ready: false, checks: { service: 'starting', schema: 'failed' } });
    expect(await statusOf(ports.PORT, inside.path)).toBe(503);
    expect(events).toEqual(['redis']);
    working.add('schema');
    running = await starting;
    expect(events).toEqual(['redis', 'schema', 'start']);
    expect(await readiness()).toEqual({ ready: true, checks: { postgres: 'ok' } });
  });

  it('has a deadline, after which the error names it and the last failure', async () => {
    const needs = { schema: () => Promise.reject(new Error('The role does not exist.')) };
    const { health, logger } = optionsFor([inside]);
    await expect(untilNeedsWork({ needs, health, logger }, 100)).rejects.toThrow(
      'No schema within 0.1 s: The role does not exist.',
    );
  });

  it('is named with a reason if none of several addresses can be reached', async () => {
    const addresses = [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ];
    const reach = async () => {
      const socket = connect({
        ...{ host: 'localhost', port: 1, autoSelectFamily: true },
        lookup: (_host, _options, found) => found(null, addresses),
      });
      await once(socket, 'connect');
    };
    const { health, logger } = optionsFor([inside]);
    await expect(untilNeedsWork({ needs: { schema: reach }, health, logger }, 100)).rejects.toThrow(
      /^No schema within 0.1 s: connect E\w+ 127\.0\.0\.1:1.*; connect E\w+ ::1:1/,
    );
  });
});

describe('a start that fails', () => {
  it('closes the internal port and never opens the public one', async () => {
    const starting = startPublicService();
    await untilProbed(ports.INTERNAL_PORT);
    started.reject(new Error('The database is another one.'));
    await expect(starting).rejects.toThrow('The database is another one.');
    expect(await statusOf(ports.INTERNAL_PORT, '/livez')).toBe('refused');
    expect(await statusOf(ports.PORT, outside.path)).toBe('refused');
  });

  it('stops the started service when the public port is taken', async () => {
    const other = createServer().listen(ports.PORT, '127.0.0.1');
    await once(other, 'listening');
    try {
      started.resolve();
      await expect(startPublicService()).rejects.toThrow('EADDRINUSE');
      expect(events).toEqual(['stores are closed']);
      expect(await statusOf(ports.INTERNAL_PORT, '/livez')).toBe('refused');
    } finally {
      other.close();
    }
  });
});

describe('the process of a service', () => {
  const spawnService = (way: string) =>
    spawn(process.execPath, [join(import.meta.dirname, 'starting-service.ts'), way], {
      env: { ...process.env, PORT: String(ports.PORT), ...keys.settingsOf('gateway') },
      stdio: ['ignore', 'ignore', 'pipe'],
    });

  it('logs the reason and exits with 1 when the start fails', async () => {
    const child = spawnService('fails');
    const [written, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect(code).toBe(1);
    expect(written).toContain('gateway stopped: Error: The database is another one.');
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends immediately on %s during its start', async signal => {
    const child = spawnService('waits');
    await untilProbed(ports.PORT);
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(await statusOf(ports.PORT, '/livez')).toBe('refused');
  });
});
