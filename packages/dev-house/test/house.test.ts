import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { serviceDefinitions, withClient } from '@mailproof/installation';
import { waitFor } from '../src/deadline.ts';
import type { House } from '../src/house.ts';
import { isAlive } from '../src/processes.ts';
import { startTestHouse } from '../src/test-house.ts';
import { asRedisUser } from '../src/test-redis.ts';

const deadlineMs = 60_000;

describe('a house of stand-ins', () => {
  let root = '';
  let house: House;
  const lost: string[] = [];

  beforeAll(async () => {
    root = await makeCheckout();
    house = await startTestHouse({
      projectRoot: root,
      inOneProcess: false,
      lab: false,
      replicas: { gateway: 2 },
      env: { 'credit-ledger': { LEDGER_SETTING: 'from the test' } },
      onLost: sentence => lost.push(sentence),
    });
  });
  afterAll(async () => {
    const pids = Object.values(house.services).map(({ pid }) => pid ?? 0);
    await house.stop();
    expect(pids.filter(pid => pid && isAlive(pid))).toEqual([]);
    await rm(root, { recursive: true, force: true });
  });

  async function environmentOf(name: string): Promise<Record<string, string>> {
    const response = await fetch(`${house.services[name]?.url}/environment`);
    return (await response.json()) as Record<string, string>;
  }

  test('has as many gateways as were asked for, and one of everything else', () => {
    expect(Object.keys(house.services)).toEqual([
      'gateway',
      'gateway-2',
      'credit-ledger',
      'validation-engine',
      'mcp-server',
      'enrichment',
      'webhook-dispatcher',
    ]);
    expect(house.gatewayUrls).toEqual([house.services['gateway']?.url, house.services['gateway-2']?.url]);
    expect(house.toolServerUrls).toEqual([house.services['mcp-server']?.url]);
  });

  test('passes each service its name and the URLs of the others', async () => {
    const gateway = await environmentOf('gateway-2');
    expect(gateway).toMatchObject({
      CREDIT_LEDGER_URL: house.services['credit-ledger']?.url,
      VALIDATION_ENGINE_URL: house.services['validation-engine']?.url,
      MCP_SERVER_URL: house.services['mcp-server']?.internalUrl,
      REDIS_URL: asRedisUser('gateway', house.redisUrl),
      DATABASE_URL: house.databaseUrls['gateway']?.databaseUrl,
      PUBLIC_BASE_URL: house.gatewayUrls[0],
    });
    expect(await environmentOf('mcp-server')).toMatchObject({
      GATEWAY_URL: house.services['gateway']?.internalUrl,
      MCP_PUBLIC_BASE_URL: house.toolServerUrls[0],
      PUBLIC_BASE_URL: house.gatewayUrls[0],
    });
    const ledger = await environmentOf('credit-ledger');
    expect(ledger).toMatchObject({ LEDGER_SETTING: 'from the test' });
    expect(ledger['SERVICE_PEER_KEYS']).toBe(gateway['SERVICE_PEER_KEYS']);
    expect(JSON.parse(ledger['SERVICE_SIGNING_KEY'] ?? '')).toMatchObject({
      kid: 'credit-ledger',
      crv: 'Ed25519',
    });
  });

  test('gives public services a second port for peers and probes', () => {
    const withTwo = Object.values(house.services).filter(({ url, internalUrl }) => url !== internalUrl);
    expect(withTwo.map(({ name }) => name)).toEqual(['gateway', 'gateway-2', 'mcp-server']);
  });

  test('has run the migrations of its services', async () => {
    const url = house.databaseUrls['ledger']?.databaseUrl ?? '';
    const { rows } = await withClient(url, client =>
      client.query('SELECT count(*)::int AS count FROM receipts'),
    );
    expect(rows).toEqual([{ count: 0 }]);
  });

  test('starts a killed service again where it was', async () => {
    const ledger = house.services['credit-ledger'];
    const { pid, url } = ledger ?? {};
    await ledger?.kill('SIGKILL');
    await expect(fetch(`${url}/readyz`)).rejects.toThrow();
    await ledger?.restart();
    expect(ledger?.pid).not.toBe(pid);
    await expect(fetch(`${url}/readyz`)).resolves.toMatchObject({ status: 200 });
    expect(lost).toEqual([]);
  });

  test('reports a service that exits unexpectedly', async () => {
    await fetch(`${house.services['gateway-2']?.url}/crash`).catch(() => undefined);
    await waitFor('The loss is told', () => lost.length > 0, { deadlineMs });
    expect(lost).toEqual(['The gateway-2 exited (exit code 1).']);
  });
});

test('a service that ends while it starts fails the start with its last words, and nothing is left', async () => {
  const root = await makeCheckout('runStandIn({ failsToStart: true })');
  const stateDir = await mkdtemp(join(tmpdir(), 'mailproof-failing-'));
  try {
    const attempt = startTestHouse({ projectRoot: root, inOneProcess: false, lab: false, stateDir });
    await expect(attempt).rejects.toThrow(/The gateway ended while it was starting[\s\S]*no wish to start/);
    const secrets = await stat(join(stateDir, 'secrets.json'));
    expect(secrets.mode & 0o777).toBe(0o600);
    const { signingKeys } = JSON.parse(await readFile(join(stateDir, 'secrets.json'), 'utf8'));
    expect(Object.keys(signingKeys)).toEqual(serviceDefinitions.map(({ name }) => name));
  } finally {
    await rm(root, { recursive: true, force: true });
    await rm(stateDir, { recursive: true, force: true });
  }
});

test('a house of a test leaves no folder behind when only its keeper ends it, as after the end of a worker', async () => {
  const root = await makeCheckout();
  const house = await startTestHouse({
    projectRoot: root,
    inOneProcess: false,
    lab: false,
    only: ['gateway'],
  });
  try {
    const stateDir = dirname(house.mail?.directory ?? '');
    expect(existsSync(join(stateDir, 'secrets.json'))).toBe(true);
    await house.keeper.stop();
    expect(existsSync(stateDir)).toBe(false);
  } finally {
    await house.stop();
    await rm(root, { recursive: true, force: true });
  }
});

test('starts the services on other ports if another program takes a port and answers there', async () => {
  const takenFile = 'taken-port';
  // The gateway's first process takes the port that the ledger is about to open, and answers like a ready service.
  const root = await makeCheckout(`
    const { existsSync, writeFileSync } = await import('node:fs');
    const { createServer } = await import('node:http');
    const file = new URL('${takenFile}', import.meta.url);
    if (!existsSync(file)) {
      const port = Number(new URL(process.env.CREDIT_LEDGER_URL).port);
      await new Promise(done => createServer((_, response) => response.end()).listen(port, '127.0.0.1', done).unref());
      writeFileSync(file, String(port));
    }
    runStandIn()`);
  await writeFile(
    join(root, 'services/credit-ledger/src/main.ts'),
    `import { existsSync } from 'node:fs';
    import { runStandIn } from '${pathToFileURL(join(import.meta.dirname, 'fake-service.ts')).href}';
    while (!existsSync(new URL('../../gateway/src/${takenFile}', import.meta.url))) {
      await new Promise(done => setTimeout(done, 20));
    }
    runStandIn();`,
  );
  const house = await startTestHouse({
    projectRoot: root,
    inOneProcess: false,
    lab: false,
    only: ['gateway', 'credit-ledger'],
  });
  try {
    const taken = await readFile(join(root, 'services/gateway/src', takenFile), 'utf8');
    const { gateway, 'credit-ledger': ledger } = house.services;
    expect(new URL(ledger?.url ?? '').port).not.toBe(taken);
    expect(house.environments.gateway['CREDIT_LEDGER_URL']).toBe(ledger?.url);
    expect(house.environments.gateway['PUBLIC_BASE_URL']).toBe(gateway?.url);
    for (const service of [gateway, ledger]) {
      expect(service?.pid).toBeDefined();
      expect(await (await fetch(new URL('/readyz', service?.internalUrl))).text()).toBe('ready');
    }
  } finally {
    await house.stop();
    await rm(root, { recursive: true, force: true });
  }
});

/** Creates a checkout in which every service is a fake, and the ledger has a migration. */
async function makeCheckout(gateway = 'runStandIn()'): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), 'mailproof-checkout-'));
  const standIn = pathToFileURL(join(import.meta.dirname, 'fake-service.ts')).href;
  for (const { name } of serviceDefinitions) {
    const folder = join(root, 'services', name, 'src');
    await mkdir(folder, { recursive: true });
    await writeFile(join(root, 'services', name, 'package.json'), '{"type":"module"}');
    const call = name === 'gateway' ? gateway : 'runStandIn()';
    await writeFile(join(folder, 'main.ts'), `import { runStandIn } from '${standIn}';\n${call};\n`);
  }
  const telemetry = join(root, 'packages/service-kit/src');
  await mkdir(telemetry, { recursive: true });
  await writeFile(join(telemetry, 'telemetry.ts'), '');
  const migrations = join(root, 'services/credit-ledger/migrations');
  await mkdir(migrations);
  const sql = 'CREATE TABLE receipts (id int); GRANT SELECT ON receipts TO mailproof_ledger;';
  await writeFile(join(migrations, '0001_receipts.sql'), sql);
  return root;
}
