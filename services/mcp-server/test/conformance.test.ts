import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signIn } from '@mailproof/dev-house/sign-in-browser';
import { conformanceExceptions, conformanceRequired } from './conformance-exceptions.ts';
import { type Customer, openSharedToolHouse, type ToolHouse } from './house.ts';
import { freePort, type LoopbackProxy, startLoopbackProxy } from './loopback-proxy.ts';
import { connect, register } from './oauth-client.ts';
import { type Ended, programOf, runProgram } from './run-program.ts';

/** A check of a scenario, as the suite records it. */
interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

type Checks = ReadonlyMap<string, readonly Check[]>;

const suite = programOf('@modelcontextprotocol/conformance', 'dist/index.js');

let house: ToolHouse;
let customer: Customer;
let scratch: string;

beforeAll(async () => {
  house = await openSharedToolHouse();
  customer = await house.customer();
  scratch = await mkdtemp(join(tmpdir(), 'mailproof-conformance-'));
});

afterAll(async () => {
  await house?.stop();
  if (scratch) await rm(scratch, { recursive: true, force: true });
});

async function runSuite(command: string, args: readonly string[]): Promise<{ ended: Ended; checks: Checks }> {
  const directory = await mkdtemp(join(scratch, `${command}-`));
  const ended = await runProgram(suite, [command, ...args, '-o', directory], { cwd: scratch });
  return { ended, checks: await readChecks(directory) };
}

/** Every scenario has its own folder: `server-<scenario>-<time>`. */
async function readChecks(directory: string): Promise<Checks> {
  const checks = new Map<string, readonly Check[]>();
  for (const folder of await readdir(directory)) {
    const scenario = /^(?:server-|authorization-server-)?(.+)-\d{4}-\d\d-\d\dT[\d-]+Z$/.exec(folder)?.[1];
    if (scenario)
      checks.set(scenario, JSON.parse(await readFile(join(directory, folder, 'checks.json'), 'utf8')));
  }
  return checks;
}

/** Returns the suite's failures, and the scenarios in which it checked only the form of messages. */
function findings(checks: Checks): string[] {
  return [...checks].flatMap(([scenario, all]) => {
    const failed = all.filter(({ status }) => status === 'FAILURE').map(({ id }) => `${scenario}:${id}`);
    const isTried = all.some(({ id, status }) => status === 'SUCCESS' && !id.startsWith('wire-schema'));
    return failed.length === 0 && !isTried ? [`${scenario}:nothing examined`] : failed;
  });
}

describe.each(Object.keys(conformanceRequired))('the conformance suite for %s', specification => {
  const required = conformanceRequired[specification] ?? [];
  const excused = (conformanceExceptions[specification] ?? []).flatMap(exception => exception.excused);
  let proxy: LoopbackProxy;
  let checks: Checks;
  let found: string[];

  beforeAll(async () => {
    const { accessToken } = await connect(house, customer);
    // The suite has no option to send a header.
    proxy = await startLoopbackProxy(() => ({
      url: house.url,
      headers: { authorization: `Bearer ${accessToken}` },
      asIfDirect: true,
    }));
    const args = ['--url', `${proxy.url}/mcp`, '--suite', 'all', '--spec-version', specification];
    ({ checks } = await runSuite('server', args));
    found = findings(checks);
  });

  afterAll(() => proxy?.close());

  it('runs every scenario that needs no special tool', () => {
    expect(required.filter(scenario => !checks.has(scenario))).toEqual([]);
  });

  it('passes but for what is excused', () => {
    const isExcused = (finding: string) =>
      excused.some(each => finding === each || finding.startsWith(`${each}:`));
    expect(found.filter(finding => !isExcused(finding))).toEqual([]);
  });

  it('excuses nothing that passes, and no required scenario as a whole', () => {
    const isStale = (each: string) =>
      !found.some(finding => finding === each || finding.startsWith(`${each}:`));
    expect(excused.filter(isStale)).toEqual([]);
    expect(excused.filter(each => required.includes(each))).toEqual([]);
  });
});

describe('the conformance suite for authorization servers', () => {
  it('passes with a person who signs in on the pages', async () => {
    const port = await freePort();
    const redirectUri = `http://127.0.0.1:${port}/callback`;
    const { clientId } = await register(house.url, { redirect_uris: [redirectUri] });
    const args = [
      '--url',
      house.url,
      '--client-id',
      clientId,
      '--resource',
      house.resource,
      '--port',
      `${port}`,
    ];
    const directory = await mkdtemp(join(scratch, 'authorization-'));
    let walk: Promise<unknown> | undefined;
    const ended = await runProgram(suite, ['authorization', ...args, '-o', directory], {
      cwd: scratch,
      onOutput: text => {
        const address = /^http:\S+\?response_type=code\S+/m.exec(text)?.[0];
        if (address) walk ??= signInAndFollow(address);
      },
    });
    await walk;
    const checks = await readChecks(directory);
    expect({ exitCode: ended.exitCode, findings: findings(checks) }).toEqual({ exitCode: 0, findings: [] });
    expect([...checks.keys()].sort()).toEqual([
      'authorization-code-grant',
      'authorization-server-metadata-endpoint',
    ]);
  });
});

async function signInAndFollow(address: string): Promise<void> {
  const { redirect } = await signIn(house.browser(), address, customer);
  await (await fetch(redirect)).text();
}
