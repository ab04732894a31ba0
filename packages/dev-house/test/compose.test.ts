import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { readInstallationSettings, serviceDefinitions, settingPrefix } from '@mailproof/installation';
import { parse } from 'yaml';
import { projectRoot } from '../src/project-root.ts';

const run = promisify(execFile);
const composeFile = join(projectRoot, 'docker-compose.yml');

interface ComposeService {
  readonly image: string;
  readonly build?: {
    readonly dockerfile: string;
    readonly target: string;
    readonly args: { readonly PART: string };
  };
  readonly environment?: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[];
  readonly network_mode?: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
  readonly healthcheck?: unknown;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string; readonly restart?: boolean }>>;
}

function read(text: string): Record<string, ComposeService> {
  return (parse(text, { merge: true }) as { services: Record<string, ComposeService> }).services;
}

/** Interpolates a value as Compose does: `${NAME:-default}`, `${NAME:?complaint}`, `$$`. */
function interpolate(text: string, env: NodeJS.ProcessEnv): string {
  return text.replace(/\$(?:\$|\{(\w+)(?::(-|\?)([^}]*))?\})/g, (whole, name, kind, rest) => {
    if (whole === '$$') return '$';
    const value = env[name];
    if (value) return value;
    if (kind === '?') throw new Error(`${name}: ${rest}`);
    return kind === '-' ? rest : '';
  });
}

const text = readFileSync(composeFile, 'utf8');
const raw = read(text);
const own = Object.entries(raw).filter(([, { image }]) => image.startsWith('mailproof/'));
const names = serviceDefinitions.map(({ name }) => name);
const isPublic = (name: string) =>
  serviceDefinitions.some(each => each.name === name && each.publicUrlSetting);

describe('docker-compose.yml', () => {
  let folder = '';
  let env: NodeJS.ProcessEnv = {};

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mailproof-compose-'));
    const output = join(folder, 'env');
    const program = `${process.execPath} packages/installation/src/main.ts`;
    await run('sh', [join(projectRoot, 'deploy/write-env.sh'), '--program', program, '--output', output]);
    env = parseEnv(readFileSync(output, 'utf8'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** Returns the environment that a service gets from the file and its image. */
  function environmentOf(name: string): Record<string, string> {
    const given = Object.entries(raw[name]?.environment ?? {}).map(([key, value]) => [
      key,
      interpolate(value, env),
    ]);
    return { HOST: '0.0.0.0', PORT: '8080', ...Object.fromEntries(given) };
  }

  async function schemaFaults(content: string): Promise<string[]> {
    const file = join(folder, 'docker-compose.yml');
    await writeFile(file, content);
    const program = join(
      dirname(createRequire(import.meta.url).resolve('dclint/package.json')),
      'bin/dclint.cjs',
    );
    const { stdout } = await run(process.execPath, [program, '--formatter', 'json', file], {
      cwd: folder,
    }).catch((error: { stdout: string }) => error);
    const reports = JSON.parse(stdout) as { messages: { rule: string; message: string }[] }[];
    expect(reports).toHaveLength(1);
    return reports.flatMap(({ messages }) =>
      messages.flatMap(({ rule, message }) => (rule.startsWith('invalid') ? [message] : [])),
    );
  }

  test('follows the Compose specification, which a misspelled setting does not', async () => {
    await expect(schemaFaults(text)).resolves.toEqual([]);
    await expect(schemaFaults(text.replace('read_only: true', 'readonly: true'))).resolves.not.toEqual([]);
  });

  test('has every service of the list, built from its folder, and an image for each', () => {
    expect(own.map(([name]) => name).sort()).toEqual([...names, 'mail-lab', 'migrate'].sort());
    for (const name of names)
      expect(raw[name]?.build).toMatchObject({ target: 'service', args: { PART: `services/${name}` } });
    const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
      version: string;
    };
    for (const [name, { image, build }] of own) {
      expect(image).toBe(`mailproof/${name}:${version}`);
      expect(existsSync(join(projectRoot, build?.dockerfile ?? '-'))).toBe(true);
      expect(existsSync(join(projectRoot, build?.args.PART ?? '-', 'package.json'))).toBe(true);
    }
  });

  test.each(Object.keys(raw))('confines %s, and pins its image to one version', name => {
    const service = raw[name];
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    expect(service?.image).toMatch(/:v?\d+\.\d+(\.\d+)?[\w.-]*(@sha256:[0-9a-f]{64})?$/);
  });

  test('publishes the public ports of gateway and tool server, and Grafana, on loopback, and no port for peers, probes or metrics', () => {
    const published = Object.entries(raw).flatMap(([name, { ports = [] }]) =>
      ports.map(port => [name, interpolate(port, {})]),
    );
    expect(published).toEqual([
      ['gateway', '127.0.0.1:8080:8080'],
      ['mcp-server', '127.0.0.1:8090:8080'],
      ['grafana', '127.0.0.1:3000:3000'],
    ]);
  });

  test('keeps the stores in a network without a way out', () => {
    expect(parse(text)).toMatchObject({ networks: { stores: { internal: true } } });
    for (const store of ['postgres', 'redis']) expect(raw[store]?.networks).toEqual(['stores']);
  });

  test('lets only enrichment reach the search engine, which has no password and no way out', async () => {
    const output = join(folder, 'env-search');
    const program = `${process.execPath} packages/installation/src/main.ts`;
    await run('sh', [
      ...[join(projectRoot, 'deploy/write-env.sh'), '--lab', '--search'],
      ...['--program', program, '--output', output],
    ]);
    const written = parseEnv(readFileSync(output, 'utf8'));
    expect(written['COMPOSE_PROFILES']).toBe('lab,search');
    const url = interpolate(raw['enrichment']?.environment?.['SEARCH_ENGINE_URL'] ?? '', written);
    expect(new URL(url).hostname).toBe('search-engine');
    expect(interpolate(raw['enrichment']?.environment?.['SEARCH_ENGINE_URL'] ?? '', env)).toBe('');
    expect(parse(text)).toMatchObject({ networks: { search: { internal: true } } });
    const inside = Object.entries(raw).filter(([, { networks = [] }]) => networks.includes('search'));
    expect(inside.map(([name]) => name)).toEqual(['enrichment', 'search-engine']);
    expect(raw['search-engine']).toMatchObject({ profiles: ['search'], networks: ['search'] });
  });

  test('mounts files that are there', () => {
    const mounted = Object.values(raw)
      .flatMap(({ volumes = [] }) => volumes)
      .filter(volume => volume.startsWith('./'));
    expect(mounted.length).toBeGreaterThan(0);
    for (const volume of mounted)
      expect(existsSync(join(projectRoot, volume.split(':')[0] ?? '-'))).toBe(true);
  });

  test('starts the services when the migrations have been applied, and says when each is ready', () => {
    for (const name of names) {
      expect(raw[name]?.depends_on).toMatchObject({
        migrate: { condition: 'service_completed_successfully' },
      });
      expect(raw[name]?.healthcheck).toMatchObject({ test: ['CMD', 'node', '/app/is-ready.mjs'] });
    }
  });

  test('restarts a container together with the one whose network it shares', () => {
    const sharing = Object.entries(raw).filter(([, { network_mode: mode }]) => mode?.startsWith('service:'));
    expect(sharing.map(([name]) => name)).toEqual(['mail-lab']);
    for (const [, { network_mode: mode = '', depends_on: on = {} }] of sharing)
      expect(on[mode.replace('service:', '')]).toMatchObject({ restart: true });
  });

  test('does not start without the secrets, and says how to generate them', () => {
    const value = raw['gateway']?.environment?.['SERVICE_SIGNING_KEY'] ?? '';
    expect(() => interpolate(value, {})).toThrow('run sh deploy/write-env.sh first');
  });

  test.each(names)('gives %s its peers, its own secrets, and settings that it knows', name => {
    const environment = environmentOf(name);
    const service = serviceDefinitions.find(each => each.name === name);
    for (const [setting, peer] of Object.entries(service?.peers ?? {}))
      expect(environment[setting]).toBe(`http://${peer}:${isPublic(peer) ? 8081 : 8080}`);
    expect(environment['INTERNAL_PORT']).toBe(isPublic(name) ? '8081' : undefined);
    expect(JSON.parse(environment['SERVICE_SIGNING_KEY'] ?? '')).toMatchObject({ kid: name });
    const references = Object.values(raw[name]?.environment ?? {}).flatMap(value =>
      [...value.matchAll(/\$\{(\w+):\?/g)].map(match => match[1] ?? ''),
    );
    const foreign = references.filter(
      // All services get the same public keys.
      variable => !variable.startsWith(`${settingPrefix(name)}_`) && variable !== 'GATEWAY_SERVICE_PEER_KEYS',
    );
    expect(foreign).toEqual([]);

    const folderOfService = join(projectRoot, 'services', name);
    const declared = [
      readFileSync(join(folderOfService, 'src/config.ts'), 'utf8'),
      readFileSync(join(projectRoot, 'packages/service-kit/src/config.ts'), 'utf8'),
    ].join();
    // OpenTelemetry’s SDK reads its own settings.
    const unknown = Object.keys(environment).filter(
      setting => !setting.startsWith('OTEL_') && !new RegExp(`^\\s+${setting}[:,]`, 'm').test(declared),
    );
    expect(unknown).toEqual([]);
  });

  test('gives every service settings with which it starts', async () => {
    const environments = Object.fromEntries(names.map(name => [name, environmentOf(name)]));
    const load = `for (const [name, environment] of Object.entries(JSON.parse(process.env.ENVIRONMENTS)))
      (await import('./services/' + name + '/src/config.ts')).loadConfig(environment);`;
    await run(process.execPath, ['--input-type=module', '--eval', load], {
      cwd: projectRoot,
      env: { ENVIRONMENTS: JSON.stringify(environments) },
    });
  });

  test.each([
    ['written now', {}, true],
    ['of a release before users of Redis', { MIGRATION_REDIS_URL: undefined }, false],
  ])('gives the migrations settings that they read, with an env file %s', (_when, changes, makesUsers) => {
    const given = Object.entries(raw['migrate']?.environment ?? {}).map(([key, value]) => [
      key,
      interpolate(value, { ...env, ...changes }),
    ]);
    const { redis } = readInstallationSettings(Object.fromEntries(given));
    expect(redis !== undefined).toBe(makesUsers);
  });

  test('has an env file that only its owner reads, and that is never overwritten', async () => {
    const output = join(folder, 'env');
    expect((await stat(output)).mode & 0o777).toBe(0o600);
    await expect(
      run('sh', [join(projectRoot, 'deploy/write-env.sh'), '--program', 'true', '--output', output]),
    ).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('is there already') });
  });
});

test('images have the Node that the tests run on', () => {
  const dockerfile = readFileSync(join(projectRoot, 'deploy/Dockerfile'), 'utf8');
  const { devDependencies } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  const [, name] = /^ARG NODE_IMAGE=([^@\s]+)/m.exec(dockerfile) ?? [];
  expect(name).toBe(`docker.io/library/node:${devDependencies['node']}-bookworm-slim`);
});
