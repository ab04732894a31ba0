import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { installRedis, newInstallationSecrets, readInstallationSettings } from '@mailproof/installation';
import { Redis } from 'ioredis';
import { parse, parseAllDocuments } from 'yaml';
import { waitFor } from '../src/deadline.ts';
import { projectRoot } from '../src/project-root.ts';
import { findRedisProgram } from '../src/redis-users.ts';
import { freePort } from '../src/service-instances.ts';
import { answerOfRedis } from '../src/test-redis.ts';

/* Runs the commands with which Compose and the chart start Redis, on a local folder instead of the volume. */

const read = (path: string) => readFileSync(join(projectRoot, path), 'utf8');

interface StatefulSet {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: { readonly template: { readonly spec: { readonly containers: readonly Container[] } } };
}

interface Container {
  readonly command?: readonly string[];
}

function composeCommand(): readonly string[] {
  const { services } = parse(read('docker-compose.yml'), { merge: true }) as {
    services: { redis: Required<Container> };
  };
  return services.redis.command.map(word => word.replaceAll('$$', '$'));
}

function chartCommand(): readonly string[] {
  const manifests = parseAllDocuments(read('helm/mailproof/golden/everything.yaml')).map(
    document => document.toJS() as StatefulSet,
  );
  const redis = manifests.find(each => each?.kind === 'StatefulSet' && each.metadata.name.endsWith('-redis'));
  return redis?.spec.template.spec.containers[0]?.command ?? [];
}

describe.each([
  ['docker-compose.yml', composeCommand()],
  ['the chart', chartCommand()],
])('the Redis of %s', (_where, [shell = '', options = '', script = '']) => {
  let volume = '';
  let port = 0;
  let server: ChildProcess | undefined;
  let environment: Readonly<Record<string, string>> = {};

  beforeAll(async () => {
    volume = await mkdtemp(join(tmpdir(), 'mailproof-redis-volume-'));
    port = await freePort();
    const locations = { postgres: 'none', database: 'none', redis: `127.0.0.1:${port}` };
    const { migrate, stores } = await newInstallationSecrets(locations);
    environment = { ...migrate, ...stores };
  });
  afterEach(stop);
  afterAll(() => rm(volume, { recursive: true, force: true }));

  async function start(password = environment['REDIS_PASSWORD'] ?? ''): Promise<void> {
    const program = await findRedisProgram({ report: () => undefined });
    const here = script
      .replaceAll('/data', volume)
      .replace(/^exec redis-server(?: --port \d+)?/m, `exec redis-server --port ${port} --bind 127.0.0.1`)
      .replace('redis-server', program);
    server = spawn(shell, [options, here], {
      cwd: volume,
      env: { PATH: `${process.env['PATH']}:${dirname(program)}`, REDISCLI_AUTH: password },
      stdio: 'ignore',
    });
    const redis = new Redis(`redis://default:${password}@127.0.0.1:${port}`, { retryStrategy: () => 50 });
    redis.on('error', () => undefined);
    await waitFor('Redis answers', async () => redis.status === 'ready', { deadlineMs: 20_000 });
    redis.disconnect();
  }

  async function stop(): Promise<void> {
    if (!server || server.exitCode !== null) return;
    const gone = once(server, 'exit');
    server.kill('SIGTERM');
    await gone;
  }

  const install = () => installRedis(readInstallationSettings(environment).redis, () => undefined);

  test('admits only the administrator on a new volume, and keeps the users that the migrations create across restarts', async () => {
    await start();
    expect(await answerOfRedis(`redis://127.0.0.1:${port}`)).toMatch(/NOAUTH/);
    expect(await answerOfRedis(environment['GATEWAY_REDIS_URL'] ?? '')).toMatch(/WRONGPASS/);
    await install();
    await stop();
    await start();
    expect(await answerOfRedis(environment['GATEWAY_REDIS_URL'] ?? '')).toBe('PONG');
    expect(await answerOfRedis(`redis://127.0.0.1:${port}`)).toMatch(/NOAUTH/);
  });

  test('accepts a new administrator password at its next start, and keeps the users', async () => {
    await start('of-the-rotation');
    expect(await answerOfRedis(`redis://default:of-the-rotation@127.0.0.1:${port}`)).toBe('PONG');
    expect(await answerOfRedis(environment['MIGRATION_REDIS_URL'] ?? '')).toMatch(/WRONGPASS/);
    expect(await answerOfRedis(environment['GATEWAY_REDIS_URL'] ?? '')).toBe('PONG');
    const users = await readFile(join(volume, 'users.acl'), 'utf8');
    expect(users.match(/^user default /gm)).toHaveLength(1);
    expect(users).not.toContain('of-the-rotation');
  });

  test('has its users again after its volume was lost and the migrations ran', async () => {
    await rm(volume, { recursive: true });
    volume = await mkdtemp(join(tmpdir(), 'mailproof-redis-volume-'));
    await start();
    expect(await answerOfRedis(environment['GATEWAY_REDIS_URL'] ?? '')).toMatch(/WRONGPASS/);
    await install();
    expect(await answerOfRedis(environment['GATEWAY_REDIS_URL'] ?? '')).toBe('PONG');
  });
});
