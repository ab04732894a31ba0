import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findReferences, withoutDigest } from '../src/images/image-references.ts';
import { projectRoot } from '../src/project-root.ts';

const program = join(projectRoot, 'packages/dev-house/src/images/digests-command.ts');
const indexType = 'application/vnd.oci.image.index.v1+json';
const digestOf = (content: string) => `sha256:${createHash('sha256').update(content).digest('hex')}`;

describe('pnpm images:digests', () => {
  let root = '';
  let server: Server | undefined;
  let asked: string[] = [];
  let answer: (request: IncomingMessage, response: ServerResponse, origin: string) => unknown = () =>
    undefined;
  const composeFile = () => readFileSync(join(root, 'docker-compose.yml'), 'utf8');

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'mailproof-images-'));
    asked = [];
    writeFileSync(
      join(root, 'docker-compose.yml'),
      'services:\n  a: { image: docker.io/library/redis:8.6.3-bookworm }\n  b: { image: docker.io/prom/prometheus:v3.5.0 }\n',
    );
    mkdirSync(join(root, 'deploy'));
    writeFileSync(
      join(root, 'deploy/Dockerfile'),
      'ARG NODE_IMAGE=docker.io/library/redis:8.6.3-bookworm\nFROM x\n',
    );
  });
  afterEach(async () => {
    server?.closeAllConnections();
    await new Promise(closed => (server ? server.close(closed) : closed(undefined)));
    server = undefined;
    rmSync(root, { recursive: true, force: true });
  });

  /** Starts a registry on loopback. */
  async function listen(): Promise<string> {
    server = createServer((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      answer(request, response, origin);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const origin = originOf(server);
    return origin;
  }

  async function run(...args: string[]): Promise<{ exitCode: number; output: string }> {
    const child = spawn(process.execPath, [program, '--root', root, '--timeout', '2', ...args]);
    const [said, complained, [exitCode]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, 'close'),
    ]);
    return { exitCode: exitCode as number, output: said + complained };
  }

  function originOf(listening: Server | undefined): string {
    const address = listening?.address() as AddressInfo;
    return `http://127.0.0.1:${address.port}`;
  }

  const runAgainst = async (...args: string[]) => run('--registry', await listen(), ...args);

  /** The digest is that of the request's path, so that each tag has its own. */
  function answerWell(request: IncomingMessage, response: ServerResponse): void {
    response
      .writeHead(200, { 'content-type': indexType, 'docker-content-digest': digestOf(request.url ?? '') })
      .end();
  }

  const redisDigest = digestOf('/v2/library/redis/manifests/8.6.3-bookworm');
  const prometheusDigest = digestOf('/v2/prom/prometheus/manifests/v3.5.0');

  it('writes the digest of every tag, asks once for each, and then finds nothing to write', async () => {
    answer = answerWell;
    const { exitCode, output } = await runAgainst('--write');
    expect(output).toContain('2 images written in 2 files');
    expect(exitCode).toBe(0);
    expect(asked).toEqual([
      'HEAD /v2/library/redis/manifests/8.6.3-bookworm',
      'HEAD /v2/prom/prometheus/manifests/v3.5.0',
    ]);
    expect(composeFile()).toBe(
      `services:\n  a: { image: docker.io/library/redis:8.6.3-bookworm@${redisDigest} }\n  b: { image: docker.io/prom/prometheus:v3.5.0@${prometheusDigest} }\n`,
    );
    expect(readFileSync(join(root, 'deploy/Dockerfile'), 'utf8')).toContain(
      `bookworm@${redisDigest}\nFROM x\n`,
    );
    const origin = originOf(server);
    expect(await run('--registry', origin, '--check')).toMatchObject({ exitCode: 0 });
    expect(await run('--registry', origin, '--write')).toMatchObject({ exitCode: 0 });
    expect(composeFile().match(/@sha256/g)).toHaveLength(2);
  });

  it('says which tag has moved, and which has no digest', async () => {
    answer = answerWell;
    const old = digestOf('before');
    writeFileSync(join(root, 'docker-compose.yml'), composeFile().replace('v3.5.0', `v3.5.0@${old}`));
    const { exitCode, output } = await runAgainst('--check');
    expect(exitCode).toBe(1);
    expect(output).toContain(`docker.io/prom/prometheus:v3.5.0 moved from ${old} to ${prometheusDigest}`);
    expect(output).toContain('docker.io/library/redis:8.6.3-bookworm has no digest');
    expect(composeFile()).toContain(old);
  });

  it('gets a token from the server and for the scope that the registry names', async () => {
    answer = (request, response, origin) => {
      const url = new URL(request.url ?? '', origin);
      const scope = `repository:${/^\/v2\/(.*)\/manifests/.exec(url.pathname)?.[1]}:pull`;
      if (url.pathname === '/token') {
        expect(url.searchParams.get('service')).toBe('registry.test');
        return response.end(JSON.stringify({ token: `for ${url.searchParams.get('scope')}` }));
      }
      if (request.headers.authorization === `Bearer for ${scope}`) return answerWell(request, response);
      const challenge = `Bearer realm="${origin}/token",service="registry.test",scope="${scope}"`;
      return response.writeHead(401, { 'www-authenticate': challenge }).end();
    };
    expect(await runAgainst('--write')).toMatchObject({ exitCode: 0 });
    expect(composeFile()).toContain(redisDigest);
  });

  it('computes the digest of the manifest if the registry sends none', async () => {
    answer = (request, response) =>
      response.writeHead(200, { 'content-type': indexType }).end(request.method === 'GET' ? request.url : '');
    expect(await runAgainst('--write')).toMatchObject({ exitCode: 0 });
    expect(composeFile()).toContain(redisDigest);
  });

  it.each<[string, (request: IncomingMessage, response: ServerResponse) => unknown, string]>([
    [
      'that is not there',
      (_request, response) => response.writeHead(404).end(),
      'has no prom/prometheus:v3.5.0',
    ],
    [
      'with a digest that is none',
      (_request, response) =>
        response.writeHead(200, { 'content-type': indexType, 'docker-content-digest': 'sha256:beef' }).end(),
      'that is not SHA-256',
    ],
    [
      'that is a page and no manifest',
      (_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Sign in</p>'),
      'responds with text/html',
    ],
    [
      'with a manifest beyond all bounds',
      (request, response) => {
        response.writeHead(200, { 'content-type': indexType });
        response.end(request.method === 'GET' ? Buffer.alloc(5_000_000) : '');
      },
      'more than 4194304 bytes',
    ],
  ])('writes nothing for a tag %s, and ends with 1', async (_what, answerBadly, complaint) => {
    const before = composeFile();
    answer = (request, response) =>
      request.url?.includes('prometheus') ? answerBadly(request, response) : answerWell(request, response);
    const { exitCode, output } = await runAgainst('--write');
    expect(output).toContain(complaint);
    expect(exitCode).toBe(1);
    expect(composeFile()).toBe(before);
    expect(readdirSync(root).sort()).toEqual(['deploy', 'docker-compose.yml']);
  });

  it.each<[string, (request: IncomingMessage, response: ServerResponse) => unknown, string]>([
    ['does not answer', () => undefined, 'did not respond within 2 s'],
    ['breaks the connection', request => request.socket.destroy(), 'cannot be reached'],
    ['is busy', (_request, response) => response.writeHead(429).end(), 'responds with 429'],
    ['wants a password', (_request, response) => response.writeHead(401).end(), 'requires a password'],
    [
      'redirects clients to another machine without https',
      (_request, response) =>
        response.writeHead(401, { 'www-authenticate': 'Bearer realm="http://192.0.2.1/token"' }).end(),
      'which is not https',
    ],
    [
      'gives tokens that are none',
      (request, response) => {
        const realm = `http://${request.headers.host}/token`;
        if (request.url === '/token') return response.end('{"token": 7}');
        return response.writeHead(401, { 'www-authenticate': `Bearer realm="${realm}"` }).end();
      },
      'responds without a token',
    ],
  ])('writes nothing where the registry %s, and ends with 2', async (_what, answerBadly, complaint) => {
    const before = composeFile();
    answer = answerBadly;
    const { exitCode, output } = await runAgainst('--write');
    expect(output).toContain(complaint);
    expect(output).toContain('images: NOT DONE');
    expect(exitCode).toBe(2);
    expect(composeFile()).toBe(before);
  });

  it('does not query a floating tag', async () => {
    answer = answerWell;
    writeFileSync(
      join(root, 'docker-compose.yml'),
      'services: { a: { image: "docker.io/library/redis:8" } }\n',
    );
    const { exitCode, output } = await runAgainst('--write');
    expect(exitCode).toBe(1);
    expect(output).toContain('the tag of docker.io/library/redis:8 is not an exact version');
    expect(asked).toEqual([]);
  });

  it('queries another machine only over https, and prints its usage', async () => {
    const { exitCode, output } = await run('--check', '--registry', 'http://mirror.example');
    expect([exitCode, output]).toEqual([1, expect.stringContaining('must use https')]);
    expect(await run()).toMatchObject({ exitCode: 1, output: expect.stringContaining('--check or --write') });
    expect(await run('--help')).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining('Exit code: 0'),
    });
  });

  it('writes a checkout whose programs accept names with digests', async () => {
    answer = answerWell;
    rmSync(root, { recursive: true });
    mkdirSync(root);
    const files = [...new Set(findReferences(projectRoot).map(({ file }) => file))];
    for (const file of files) {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      cpSync(join(projectRoot, file), join(root, file));
    }
    expect(await runAgainst('--write')).toMatchObject({ exitCode: 0 });
    const written = findReferences(root);
    expect(written.map(withoutDigest)).toEqual(findReferences(projectRoot).map(withoutDigest));
    expect(written.every(({ digest }) => digest !== undefined)).toBe(true);
    const schema = JSON.parse(
      readFileSync(join(projectRoot, 'helm/mailproof/values.schema.json'), 'utf8'),
    ) as {
      $defs: { bundledStore: { properties: { image: { pattern: string; not: { pattern: string } } } } };
    };
    const { pattern, not } = schema.$defs.bundledStore.properties.image;
    const ofValues = written.filter(({ file }) => basename(file) === 'values.yaml');
    expect(ofValues.length).toBe(2);
    for (const { text: name } of ofValues) {
      expect(name).toMatch(new RegExp(pattern));
      expect(name).not.toMatch(new RegExp(not.pattern));
    }
  });
});
