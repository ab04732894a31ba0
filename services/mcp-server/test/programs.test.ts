import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { toolNames } from '@mailproof/shared-types';
import type { Client } from '@modelcontextprotocol/client';
import { type Customer, openSharedToolHouse, type ToolHouse } from './house.ts';
import { openKept, startMcpRemote } from './mcp-remote.ts';
import { connect } from './oauth-client.ts';
import { programOf, runProgram } from './run-program.ts';

let house: ToolHouse;
let customer: Customer;
let home: string;

beforeAll(async () => {
  house = await openSharedToolHouse();
  customer = await house.customer();
  home = await mkdtemp(join(tmpdir(), 'mailproof-programs-'));
});

afterAll(async () => {
  await house?.stop();
  if (home) await rm(home, { recursive: true, force: true });
});

describe('mcp-remote', () => {
  const start = (args: readonly string[]) => startMcpRemote({ house, customer, home, args });

  async function useEverything(client: Client): Promise<void> {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual([...toolNames].sort());
    expect(await client.callTool({ name: 'svc_get_account_status', arguments: {} })).toMatchObject({
      structuredContent: { ok: true },
    });
    expect((await client.readResource({ uri: 'svc://usage-guide' })).contents).toHaveLength(1);
  }

  it('connects a program that speaks over standard input alone, and signs in once for all starts', async () => {
    const first = await start([]);
    expect(first.signInsAsked()).toBe(1);
    await useEverything(first.client);
    await first.client.close();
    const second = await start(['--protocol', 'auto']);
    expect(second.signInsAsked()).toBe(0);
    await useEverything(second.client);
    await second.client.close();

    // Two programs that start together find the same expired token.
    await letTokensExpire();
    const together = await Promise.all([start([]), start([])]);
    expect(together.map(each => each.signInsAsked())).toEqual([0, 0]);
    for (const { client } of together) {
      await useEverything(client);
      await client.close();
    }
  });

  /**
   * Simulates that ten minutes have passed: the stored token has expired, and would be refused if it were sent anyway.
   */
  async function letTokensExpire(): Promise<void> {
    const { content, replace } = await openKept(home, 'tokens');
    await replace({ ...content, access_token: 'over', expires_at: 1 });
  }
});

describe('the Inspector’s command line', () => {
  let accessToken: string;

  beforeAll(async () => {
    ({ accessToken } = await connect(house, customer));
  });

  function inspect(args: readonly string[], token: string | undefined) {
    const launcher = programOf('@modelcontextprotocol/inspector', 'clients/launcher/build/index.js');
    return runProgram(
      launcher,
      [
        '--cli',
        house.resource,
        ...args,
        ...(token === undefined ? [] : ['--header', `Authorization: Bearer ${token}`]),
        '--stored-auth-only',
        '--format',
        'json',
      ],
      { cwd: home, env: { HOME: home } },
    );
  }

  const status = ['--method', 'tools/call', '--tool-name', 'svc_get_account_status'];
  const validate = ['--method', 'tools/call', '--tool-name', 'svc_validate_email'];

  it.each(['legacy', 'auto', 'modern'])('ends well in the %s era', async era => {
    for (const args of [
      ['--method', 'tools/list'],
      status,
      ['--method', 'resources/read', '--uri', 'svc://usage-guide'],
    ]) {
      const { exitCode, output } = await inspect([...args, '--protocol-era', era], accessToken);
      expect({ exitCode, output }).toEqual({ exitCode: 0, output: expect.stringContaining('"result"') });
    }
  });

  it('finds no fault in how the tools are described', async () => {
    expect(await inspect(['--method', 'tools/list', '--strict'], accessToken)).toMatchObject({ exitCode: 0 });
  });

  it('ends with 3 without a token', async () => {
    expect(await inspect(['--method', 'tools/list'], undefined)).toMatchObject({ exitCode: 3 });
  });

  it('ends with 5 when a tool fails', async () => {
    const ended = await inspect([...validate, '--tool-args-json', '{"email":12}'], accessToken);
    expect(ended).toMatchObject({ exitCode: 5, output: expect.stringContaining('"isError":true') });
  });
});
