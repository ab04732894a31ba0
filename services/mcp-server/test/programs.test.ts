import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { signIn } from '@mailproof/dev-house/sign-in-browser';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type Customer, openToolHouse, type ToolHouse } from './house.ts';
import { connect } from './oauth-client.ts';
import { programOf, runProgram } from './run-program.ts';

let house: ToolHouse;
let customer: Customer;
let home: string;

beforeAll(async () => {
  house = await openToolHouse();
  customer = await house.customer();
  home = await mkdtemp(join(tmpdir(), 'mailproof-programs-'));
});

afterAll(async () => {
  await house?.stop();
  if (home) await rm(home, { recursive: true, force: true });
});

describe('mcp-remote', () => {
  interface Started {
    readonly client: Client;
    /** How often it asked the user to sign in. */
    readonly signIns: number;
  }

  async function start(args: readonly string[]): Promise<Started> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [programOf('mcp-remote', 'dist/proxy.js'), house.resource, '--auth-timeout', '120', ...args],
      env: {
        PATH: `${join(home, 'bin')}${delimiter}${process.env['PATH']}`,
        BROWSER: 'true',
        HOME: home,
        MCP_REMOTE_CONFIG_DIR: join(home, 'mcp-remote'),
      },
      stderr: 'pipe',
    });
    let told = '';
    const walks = new Map<string, Promise<void>>();
    const walkFailed = Promise.withResolvers<never>();
    transport.stderr?.on('data', chunk => {
      told += String(chunk);
      const address = /^\s*(http:\S+response_type=code\S*)\s*$/m.exec(told)?.[1];
      if (!address || walks.has(address)) return;
      const walk = signInAndFollow(address);
      walks.set(address, walk);
      walk.catch(walkFailed.reject);
    });
    const client = new Client({ name: 'stdio client', version: '1.0.0' });
    try {
      await Promise.race([client.connect(transport, { timeout: 120_000 }), walkFailed.promise]);
      await Promise.all(walks.values());
      return { client, signIns: walks.size };
    } catch (error) {
      await client.close();
      throw new Error(`mcp-remote said:\n${told}`, { cause: error });
    }
  }

  async function useEverything(client: Client): Promise<void> {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(['svc_get_account_status', 'svc_validate_email']);
    expect(await client.callTool({ name: 'svc_get_account_status', arguments: {} })).toMatchObject({
      structuredContent: { ok: true },
    });
    expect((await client.readResource({ uri: 'svc://usage-guide' })).contents).toHaveLength(1);
  }

  beforeAll(async () => {
    const bin = join(home, 'bin');
    await mkdir(bin);
    // No window opens on the machine of whoever runs the tests.
    for (const name of ['open', 'xdg-open']) await symlink('/usr/bin/true', join(bin, name));
  });

  it('connects a program that speaks over standard input alone, and signs in once for all starts', async () => {
    const first = await start([]);
    expect(first.signIns).toBe(1);
    await useEverything(first.client);
    await first.client.close();
    const second = await start(['--protocol', 'auto']);
    expect(second.signIns).toBe(0);
    await useEverything(second.client);
    await second.client.close();

    // Two programs that are started together find the same token, which is over; its refresh token is good once.
    await letTokensExpire();
    const together = await Promise.all([start([]), start([])]);
    expect(together.map(({ signIns }) => signIns)).toEqual([0, 0]);
    for (const { client } of together) {
      await useEverything(client);
      await client.close();
    }
  });

  /** As if ten minutes had passed: the kept token is over, and would be refused if it were sent all the same. */
  async function letTokensExpire(): Promise<void> {
    const directory = join(home, 'mcp-remote', 'mcp-remote-v1');
    const files = (await readdir(directory)).filter(name => name.endsWith('_tokens.json'));
    expect(files).toHaveLength(1);
    const file = join(directory, String(files[0]));
    const tokens = JSON.parse(await readFile(file, 'utf8')) as Record<string, unknown>;
    await writeFile(file, JSON.stringify({ ...tokens, access_token: 'over', expires_at: 1 }));
  }
});

/** By `node:http`, since the program may listen on a port that `fetch` refuses to call (6665, say). */
async function signInAndFollow(address: string): Promise<void> {
  const { redirect } = await signIn(house.browser(), address, customer);
  const [response] = (await once(get(redirect), 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
}

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
