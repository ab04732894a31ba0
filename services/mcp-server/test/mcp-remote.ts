import { once } from 'node:events';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { delimiter, join } from 'node:path';
import { signIn } from '@mailproof/dev-house/sign-in-browser';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Customer, ToolHouse } from './house.ts';
import { programOf } from './run-program.ts';

export interface McpRemoteOptions {
  readonly house: ToolHouse;
  readonly customer: Customer;
  /** The user's home folder, where the program stores its tokens. */
  readonly home: string;
  /** Arguments after the URL of the tools. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** `mcp-remote`, which connects a program that only communicates over standard input and output. */
export interface McpRemote {
  /** The program at its other end. */
  readonly client: Client;
  /** How many times it has sent its user to the sign-in page. */
  signInsAsked(): number;
  /** Signs in where it last sent its user. */
  signInAgain(): Promise<void>;
}

/** Starts `mcp-remote`. Its user signs in for the first connection, and later only when the test requests it. */
export async function startMcpRemote(options: McpRemoteOptions): Promise<McpRemote> {
  const { house, home } = options;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [
      programOf('mcp-remote', 'dist/proxy.js'),
      house.resource,
      ...(options.args ?? []),
      ...['--auth-timeout', '120'],
    ],
    env: {
      PATH: `${await folderWithoutBrowsers(home)}${delimiter}${process.env['PATH']}`,
      BROWSER: 'true',
      HOME: home,
      MCP_REMOTE_CONFIG_DIR: join(home, 'mcp-remote'),
      ...options.env,
    },
    stderr: 'pipe',
  });
  let output = '';
  let isConnected = false;
  const walks: Promise<void>[] = [];
  const walkFailed = Promise.withResolvers<never>();
  const addresses = () => [
    ...new Set(
      [...output.matchAll(/^\s*(http:\S+response_type=code\S*)\s*\n/gm)].map(([, address]) => address),
    ),
  ];
  const follow = async () => signInAndFollow(options, addresses().at(-1) ?? '');
  transport.stderr?.on('data', chunk => {
    output += String(chunk);
    if (isConnected || addresses().length === walks.length) return;
    const walk = follow();
    walks.push(walk);
    walk.catch(walkFailed.reject);
  });
  const client = new Client({ name: 'stdio client', version: '1.0.0' });
  try {
    await Promise.race([client.connect(transport, { timeout: 120_000 }), walkFailed.promise]);
    await Promise.all(walks);
    isConnected = true;
    return { client, signInsAsked: () => addresses().length, signInAgain: follow };
  } catch (error) {
    await client.close();
    throw new Error(`mcp-remote said:\n${output}`, { cause: error });
  }
}

/** Prevents browser windows from opening on the machine that runs the tests. */
async function folderWithoutBrowsers(home: string): Promise<string> {
  const folder = join(home, 'bin');
  if (await mkdir(folder, { recursive: true })) {
    for (const name of ['open', 'xdg-open']) await symlink('/usr/bin/true', join(folder, name));
  }
  return folder;
}

/** Uses `node:http`, because the program may listen on a port that `fetch` refuses to call, such as 6665. */
export async function signInAndFollow(
  { house, customer }: Pick<McpRemoteOptions, 'house' | 'customer'>,
  address: string,
): Promise<void> {
  const { redirect } = await signIn(house.browser(), address, customer);
  const [response] = (await once(get(redirect), 'response')) as [IncomingMessage];
  response.resume();
  await once(response, 'end');
}

/** One of the files in which the program stores the state of its only server: `tokens`, `client_info`. */
export async function openKept(home: string, kind: 'tokens' | 'client_info') {
  const folder = join(home, 'mcp-remote', 'mcp-remote-v1');
  const files = (await readdir(folder)).filter(name => name.endsWith(`_${kind}.json`));
  const [file, ...others] = files;
  if (!file || others.length > 0)
    throw new Error(`There must be one file of ${kind}, but there are ${files.length}.`);
  const path = join(folder, file);
  return {
    content: JSON.parse(await readFile(path, 'utf8')) as Record<string, unknown>,
    replace: (content: Record<string, unknown>) => writeFile(path, JSON.stringify(content)),
  };
}
