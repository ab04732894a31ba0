import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { within } from './deadline.ts';
import type { DemoProfiles } from './demo-profiles.ts';
import { spawnOperatorCommand } from './run-operator-command.ts';
import type { Environment } from './service-environment.ts';
import { readJsonIfPresent, stateFiles, writePrivateJson } from './state-files.ts';

/** What `demo.json` tells a program that wants to try the API, and a person who wants to sign in. */
export interface DemoAccount extends DemoCredentials {
  readonly apiBaseUrl: string;
  readonly mcpBaseUrl: string;
  readonly appUrl: string;
  readonly docsUrl: string;
  /** Invented records to ask for, once there are some. */
  readonly profiles?: DemoProfiles;
}

export interface DemoCredentials {
  readonly apiKey: string;
  /** Of the account's owner. */
  readonly email: string;
  readonly password: string;
}

const seedTimeoutMs = 30_000;
const requestTimeoutMs = 10_000;
/** By agreement, so that nothing lapses: a checkout that was left alone for a year still answers. */
const demoAccount = ['--name', 'Demo', '--plan', 'custom', '--credits', '1000'];

/** Keeps the demo account's key while the database knows it, and makes a new account when it does not. */
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
    // The port may be another one than last time.
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
  // Nobody else has such an address, whatever accounts the database knows from before.
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
    if (code !== 0) throw new Error(`The demo account could not be made:\n${(complaint || output).trim()}`);
    return readCredentials(output);
  } finally {
    child.kill('SIGKILL');
  }
}

/** The command's answer is the last line that it prints. */
export function readCredentials(output: string): DemoCredentials {
  const lastLine = output.trim().split('\n').at(-1) ?? '';
  try {
    const answer = JSON.parse(lastLine.startsWith('{') ? lastLine : output) as Record<string, unknown>;
    const { apiKey, email, password } = answer;
    if (isText(apiKey) && isText(email) && isText(password)) return { apiKey, email, password };
  } catch {
    // What was printed is no JSON; the error below says so.
  }
  // The line is not repeated: it may hold a password.
  throw new Error('The demo account was made, but its key and its owner were not printed.');
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
