import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@mailproof/dev-house';
import { toolNames } from '@mailproof/shared-types';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { strFromU8, unzipSync } from 'fflate';
import { z } from 'zod';
import { allTools } from '../src/domain/tools/tools.ts';
import { startToolServer, type ToolServer } from './lone-tool-server.ts';
import { freePort } from './loopback-proxy.ts';
import { send } from './messages.ts';
import { runProgram } from './run-program.ts';

const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const exactVersion = z.string().regex(/^\d+\.\d+\.\d+$/);

let server: ToolServer;
let scratch: string;

beforeAll(async () => {
  const port = await freePort();
  server = await startToolServer({ PORT: `${port}`, MCP_PUBLIC_BASE_URL: `http://127.0.0.1:${port}` });
  scratch = await mkdtemp(join(tmpdir(), 'mailproof-bundle-'));
});

afterAll(async () => {
  await server?.stop();
  if (scratch) await rm(scratch, { recursive: true, force: true });
});

/** The version that the server reports to its clients. */
async function servedVersion(): Promise<string> {
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1.0.0' },
  };
  const headers = { authorization: `Bearer ${await server.token()}` };
  const { body } = await send(server.url, '2025-11-25', { method: 'initialize', params }, headers);
  return (body['result'] as { serverInfo: { version: string } }).serverInfo.version;
}

describe('server.json', () => {
  /** The rules of the registry's schema 2025-12-11, for the parts that the file uses. */
  const listing = z.strictObject({
    $schema: z.literal('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json'),
    name: z
      .string()
      .min(3)
      .max(200)
      .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
    title: z.string().min(1).max(100),
    description: z.string().min(1).max(100),
    version: exactVersion,
    remotes: z
      .array(
        z.strictObject({
          type: z.literal('streamable-http'),
          url: z.string(),
          variables: z.record(
            z.string(),
            z.strictObject({
              description: z.string(),
              isRequired: z.boolean(),
              placeholder: z.string(),
            }),
          ),
        }),
      )
      .length(1),
  });

  it('follows the rules of the registry, and has the server’s version', async () => {
    const { version } = listing.parse(read('../server.json'));
    expect(version).toBe(await servedVersion());
  });

  it('gives the address of the tools when its variables are replaced', () => {
    const [remote] = listing.parse(read('../server.json')).remotes;
    const { url = '', variables = {} } = remote ?? {};
    const names = [...url.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    expect(names).toEqual(Object.keys(variables));
    const filled = url.replaceAll(/\{(\w+)\}/g, (_all, name: string) => variables[name]?.placeholder ?? '');
    expect(new URL(filled).href).toBe('https://mcp.example.com/mcp');
  });
});

describe('the bundle for Claude Desktop', () => {
  /** The rules of the manifest 0.3, for the parts that the file uses. */
  const manifestOf = z.strictObject({
    manifest_version: z.literal('0.3'),
    name: z.string().regex(/^[a-z-]+$/),
    display_name: z.string(),
    version: exactVersion,
    description: z.string(),
    long_description: z.string(),
    author: z.strictObject({ name: z.string() }),
    license: z.literal('MIT'),
    icon: z.string(),
    server: z.strictObject({
      type: z.literal('node'),
      entry_point: z.string(),
      mcp_config: z.strictObject({ command: z.literal('node'), args: z.array(z.string()) }),
    }),
    tools: z.array(z.strictObject({ name: z.enum(toolNames), description: z.string() })),
    prompts_generated: z.literal(true),
    compatibility: z.strictObject({ runtimes: z.strictObject({ node: z.string() }) }),
    user_config: z.record(
      z.string(),
      z.strictObject({
        type: z.literal('string'),
        title: z.string(),
        description: z.string(),
        required: z.boolean(),
      }),
    ),
  });

  let bundle: Uint8Array;
  let files: Record<string, Uint8Array>;
  let manifest: z.output<typeof manifestOf>;

  beforeAll(async () => {
    const file = join(scratch, 'mailproof.mcpb');
    // In a separate process, because the bundler does not work within Jest's realm.
    const { exitCode, complaint } = await runProgram(
      fileURLToPath(new URL('../mcpb/main.ts', import.meta.url)),
      [file],
    );
    expect({ exitCode, complaint }).toEqual({ exitCode: 0, complaint: '' });
    bundle = readFileSync(file);
    files = unzipSync(bundle);
    manifest = manifestOf.parse(JSON.parse(strFromU8(files['manifest.json'] ?? new Uint8Array())));
  });

  it('is small, and has the server’s version, its tools, and all files that the manifest names', async () => {
    expect(bundle.byteLength).toBeLessThan(2_000_000);
    expect(manifest.version).toBe(await servedVersion());
    expect(manifest.tools).toEqual(allTools.map(({ name, title }) => ({ name, description: title })));
    expect(Object.keys(files)).toEqual(expect.arrayContaining([manifest.icon, manifest.server.entry_point]));
  });

  it('has the license of each package in it', () => {
    const notices = strFromU8(files['THIRD-PARTY.txt'] ?? new Uint8Array());
    for (const name of ['mcp-remote', 'undici', 'express'])
      expect(notices).toMatch(new RegExp(`^${name} \\d`, 'm'));
    expect(strFromU8(files['LICENSE'] ?? new Uint8Array())).toContain('MIT License');
  });

  it('starts as its manifest says, and sends the user to the sign-in of the address that was entered', async () => {
    const folder = join(scratch, 'unpacked');
    for (const [name, octets] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), octets);
    }
    // Prevents browser windows from opening on the machine that runs the tests.
    const bin = join(scratch, 'bin');
    await mkdir(bin);
    for (const name of ['open', 'xdg-open']) await symlink('/usr/bin/true', join(bin, name));
    expect(existsSync(join(folder, manifest.server.entry_point))).toBe(true);
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: manifest.server.mcp_config.args.map(argument => {
        const values: Record<string, string> = {
          __dirname: folder,
          'user_config.address': `${server.url}/mcp`,
        };
        return argument.replace(/\$\{([\w.]+)\}/g, (_all, name: string) => values[name] ?? 'unknown');
      }),
      env: {
        PATH: `${bin}${delimiter}${process.env['PATH']}`,
        BROWSER: 'true',
        HOME: scratch,
        MCP_REMOTE_CONFIG_DIR: join(scratch, 'kept'),
      },
      stderr: 'pipe',
    });
    let output = '';
    transport.stderr?.on('data', chunk => {
      output += String(chunk);
    });
    const client = new Client({ name: 'Claude Desktop', version: '1.0.0' });
    const connecting = client.connect(transport, { timeout: 120_000 }).catch(() => 'closed');
    try {
      await waitFor(
        'The bridge asks for a sign-in',
        async () => /http:\S+response_type=code\S*/.test(output),
        {
          deadlineMs: 60_000,
        },
      );
      const asked = new URL(/http:\S+response_type=code\S*/.exec(output)?.[0] ?? '');
      expect([asked.origin, asked.pathname]).toEqual([server.url, '/authorize']);
      expect(asked.searchParams.get('resource')).toBe(`${server.url}/mcp`);
    } finally {
      await client.close();
      await connecting;
    }
  });
});
