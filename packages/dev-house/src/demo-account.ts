import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { within } from './deadline.ts';
import { spawnOperatorCommand } from './run-operator-command.ts';
import type { Environment } from './service-environment.ts';
import { readJsonIfPresent, stateFiles, writePrivateJson } from './state-files.ts';

/** What `demo.json` tells a program that wants to try the API. */
export interface DemoAccount {
  readonly apiBaseUrl: string;
  readonly apiKey: string;
  readonly docsUrl: string;
}

const seedTimeoutMs = 30_000;
const requestTimeoutMs = 10_000;
/** By agreement, so that nothing lapses: a checkout that was left alone for a year still answers. */
const demoAccount = ['--name', 'Demo', '--plan', 'custom', '--credits', '1000'];

/** Keeps the demo account's key while the database knows it, and makes a new account when it does not. */
export async function keepDemoAccount({
  stateDir,
  publicBaseUrl,
  gatewayUrl,
  gatewayEnvironment,
}: {
  readonly stateDir: string;
  readonly publicBaseUrl: string;
  readonly gatewayUrl: string;
  readonly gatewayEnvironment: Environment;
}): Promise<DemoAccount & { readonly isNew: boolean }> {
  const path = join(stateDir, stateFiles.demo);
  const known = readJsonIfPresent<Partial<DemoAccount>>(path)?.apiKey;
  const isNew = !known || !(await isAccepted(known, gatewayUrl));
  const apiKey = isNew ? await seed(gatewayEnvironment) : known;
  // The port may be another one than last time.
  const account = { apiBaseUrl: `${publicBaseUrl}/api/v1`, apiKey, docsUrl: `${publicBaseUrl}/docs` };
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

async function seed(environment: Environment): Promise<string> {
  const args = ['account', 'create', ...demoAccount, '--json'];
  const child = spawnOperatorCommand(args, environment, ['ignore', 'pipe', 'pipe']);
  try {
    const finished = Promise.all([
      child.stdout ? text(child.stdout) : '',
      child.stderr ? text(child.stderr) : '',
      once(child, 'exit'),
    ]);
    const [output, complaint, [code]] = await within('The demo account is made', finished, seedTimeoutMs);
    if (code !== 0) throw new Error(`The demo account could not be made:\n${(complaint || output).trim()}`);
    return readApiKey(output);
  } finally {
    child.kill('SIGKILL');
  }
}

/** The command's answer is the last line that it prints. */
export function readApiKey(output: string): string {
  const lastLine = output.trim().split('\n').at(-1) ?? '';
  try {
    const { apiKey } = JSON.parse(lastLine.startsWith('{') ? lastLine : output) as { apiKey?: unknown };
    if (typeof apiKey === 'string' && apiKey) return apiKey;
  } catch {
    // What was printed is no JSON; the error below shows it.
  }
  throw new Error(`The demo account was made, but no key was printed: ${lastLine}`);
}
