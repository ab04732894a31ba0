import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const advisory = {
  id: 1,
  url: 'https://advisories.example/GHSA-test',
  title: 'Treats every user as the owner',
  severity: 'high',
  vulnerable_versions: '<99',
  cwe: [],
  cvss: { score: 7, vectorString: null },
};

let registry: Server | undefined;

afterEach(async () => {
  registry?.closeAllConnections();
  await new Promise(closed => (registry ? registry.close(closed) : closed(undefined)));
  registry = undefined;
});

/**
 * Runs the audit against a registry with this answer. Returns the exit code, the output and the number of packages
 * sent.
 */
async function audit(status: number, answer: unknown) {
  let packagesAsked = 0;
  registry = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) {
      chunks.push(chunk as Buffer);
    }
    const body = Buffer.concat(chunks);
    const question = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
    packagesAsked = Object.keys(JSON.parse(question.toString()) as object).length;
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await once(registry, 'listening');
  const { port } = registry.address() as AddressInfo;
  const child = spawn('node', ['scripts/audit-dependencies.mjs', `--registry=http://127.0.0.1:${port}/`], {
    cwd: root,
  });
  const [said, complained, [exitCode]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { exitCode, output: said + complained, packagesAsked };
}

describe('the audit of dependencies', () => {
  it('reports known vulnerabilities, and which of our packages depend on them', async () => {
    const { exitCode, output } = await audit(200, { express: [advisory] });
    expect(exitCode).toBe(1);
    expect(output).toContain('high: express <99: Treats every user as the owner');
    expect(output).toMatch(/comes by .*services__[a-z-]+>express/);
  });

  it('passes if the registry knows none, after asking about every package', async () => {
    const { exitCode, output, packagesAsked } = await audit(200, {});
    expect(exitCode).toBe(0);
    expect(packagesAsked).toBeGreaterThan(300);
    expect(output).toMatch(/^audit: \d{3,} packages examined, 0 advisories$/m);
  });

  it('does not take a registry that answers no such question for one that knows no faults', async () => {
    const { exitCode, output } = await audit(405, {});
    expect(exitCode).toBe(2);
    expect(output).toContain('audit: NOT DONE');
  });
});
