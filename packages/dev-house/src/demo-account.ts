import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { within } from './deadline.ts';
import { spawnOperatorCommand } from './run-operator-command.ts';
import type { Environment } from './service-environment.ts';
import { readJsonIfPresent, stateFiles, writePrivateJson } from './state-files.ts';

/** Invented profiles that a newcomer can request; they stay the same until the store is filled differently. */
export interface DemoProfiles {
  readonly profileUrl: string;
  /** Companies of one industry, as seeds of a lookalike search. */
  readonly companyDomains: readonly string[];
}

/** The content of `demo.json`, for a program that tries the API and a person who signs in. */
export interface DemoAccount extends DemoCredentials {
  readonly apiBaseUrl: string;
  readonly mcpBaseUrl: string;
  readonly appUrl: string;
  readonly docsUrl: string;
  /** Examples of invented records, if there are any. */
  readonly profiles?: DemoProfiles;
}

export interface DemoCredentials {
  readonly apiKey: string;
  /** The email address of the account's owner. */
  readonly email: string;
  readonly password: string;
}

const seedTimeoutMs = 30_000;
const requestTimeoutMs = 10_000;
/** A plan by agreement, so that nothing expires: a checkout still works after a year without use. */
const demoAccount = ['--name', 'Demo', '--plan', 'custom', '--credits', '1000'];

/** Keeps the demo account's key while the database knows it; otherwise creates a new account. */
export async function keepDemoAccount({
  stateDir,
  publicBaseUrl,
  mcpBaseUrl,
  gatewayUrl,
  gatewayEnvironment,
}: {
  readonly stateDir: string;
  readonly publicBaseUrl: string;
  readonly mcpBaseUrl: string;
  readonly gatewayUrl: string;
  readonly gatewayEnvironment: Environment;
}): Promise<DemoAccount & { readonly isNew: boolean }> {
  const path = join(stateDir, stateFiles.demo);
  const { apiKey, email, password, profiles } = readJsonIfPresent<Partial<DemoAccount>>(path) ?? {};
  const known = apiKey && email && password ? { apiKey, email, password } : undefined;
  const isNew = !known || !(await isAccepted(known.apiKey, gatewayUrl));
  const credentials = isNew ? await seed(gatewayEnvironment) : known;
  const account = {
    // The port may differ from last time.
    apiBaseUrl: `${publicBaseUrl}/api/v1`,
    mcpBaseUrl,
    appUrl: `${publicBaseUrl}/app`,
    docsUrl: `${publicBaseUrl}/docs`,
    ...credentials,
    ...(!isNew && profiles && { profiles }),
  };
  await writePrivateJson(path, account);
  return { ...account, isNew };
}

async function isAccepted(apiKey: string, gatewayUrl: string): Promise<boolean> {
  const response = await fetch(`${gatewayUrl}/api/v1/me`, {
    headers: { 'x-api-key': apiKey },
    signal: AbortSignal.timeout(requestTimeoutMs),
  });
  await response.body?.cancel();
  return response.status !== 401;
}

async function seed(environment: Environment): Promise<DemoCredentials> {
  // The address is new even in a database that already has accounts.
  const email = `demo-${randomBytes(3).toString('hex')}@mailproof.example`;
  const args = ['account', 'create', ...demoAccount, '--email', email, '--json'];
  const child = spawnOperatorCommand(args, environment, ['ignore', 'pipe', 'pipe']);
  try {
    const finished = Promise.all([
      child.stdout ? text(child.stdout) : '',
      child.stderr ? text(child.stderr) : '',
      once(child, 'exit'),
    ]);
    const [output, complaint, [code]] = await within('The demo account is made', finished, seedTimeoutMs);
    if (code !== 0) throw new Error(`Creating the demo account failed:\n${(complaint || output).trim()}`);
    return readCredentials(output);
  } finally {
    child.kill('SIGKILL');
  }
}

/** Reads the command's answer, which is the last line that it prints. */
export function readCredentials(output: string): DemoCredentials {
  const lastLine = output.trim().split('\n').at(-1) ?? '';
  try {
    const answer = JSON.parse(lastLine.startsWith('{') ? lastLine : output) as Record<string, unknown>;
    const { apiKey, email, password } = answer;
    if (isText(apiKey) && isText(email) && isText(password)) return { apiKey, email, password };
  } catch {
    // The output is not JSON; the error below says so.
  }
  // The message omits the line, which may contain a password.
  throw new Error('The demo account was created, but its key and its owner were not printed.');
}

/**
 * Reads what the command prints for a person: lines such as `API key mp_…`, `Owner   ada@example.com`, `Password …`.
 *
 * @throws Error without the text, which may contain a password
 */
export function readPrintedCredentials(output: string): DemoCredentials {
  const printed = (name: string): string | undefined =>
    new RegExp(`^${name} +(\\S+)\\s*$`, 'm').exec(output)?.[1];
  const [apiKey, email, password] = [printed('API key'), printed('Owner'), printed('Password')];
  if (apiKey && email && password) return { apiKey, email, password };
  throw new Error('The account was created, but its key and its owner were not printed.');
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
