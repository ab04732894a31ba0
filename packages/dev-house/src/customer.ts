import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import type { ServiceName } from '@mailproof/installation';
import type { House } from './house.ts';
import type { OperatorAnswer, OperatorCommand } from './operator-process.ts';
import { operatorProgram, serviceOfCommand } from './run-operator-command.ts';

let operator: ChildProcess | undefined;
let before: Promise<unknown> = Promise.resolve();

/** Runs an operator command on a house and returns its output. The commands of this process run sequentially. */
export function operate(
  { environments }: Pick<House, 'environments'>,
  args: readonly string[],
): Promise<string> {
  const service = serviceOfCommand(args) as ServiceName;
  const command = { entry: operatorProgram(service), args, environment: environments[service] };
  const output = before.then(() => run(command));
  before = output.catch(() => undefined);
  return output;
}

async function run(command: OperatorCommand): Promise<string> {
  operator ??= startOperator();
  const child = operator;
  const settled = new AbortController();
  const { signal } = settled;
  hold(child);
  try {
    child.send(command);
    const [{ code, output, complaint }] = (await Promise.race([
      once(child, 'message', { signal }),
      once(child, 'exit', { signal }).then(([exitCode]) => {
        throw new Error(`The command "${command.args.join(' ')}" ended its process with ${exitCode}.`);
      }),
    ])) as [OperatorAnswer];
    if (code !== 0) {
      throw new Error(`The command "${command.args.join(' ')}" ended with ${code}:\n${complaint || output}`);
    }
    return output;
  } finally {
    settled.abort();
    detach(child);
  }
}

function startOperator(): ChildProcess {
  const child = fork(join(import.meta.dirname, 'operator-process.ts'), { execArgv: [] });
  child.once('exit', () => {
    operator = undefined;
  });
  return child;
}

/** Makes this process wait for the operator process while a command runs. */
function hold(child: ChildProcess): void {
  child.ref();
  child.channel?.ref();
}

function detach(child: ChildProcess): void {
  child.unref();
  child.channel?.unref();
}

/** An account and its owner, who signs in with a password. */
export interface Customer {
  readonly accountId: string;
  /** Empty on a plan without API access. */
  readonly apiKey: string;
  readonly email: string;
  readonly password: string;
}

interface CustomerOptions {
  readonly plan: string;
  readonly credits: number;
  /** A rate agreed beyond the plan's. */
  readonly requestsPerSecond?: number;
}

/** Creates an account with the operator's command. */
export async function createCustomer(
  house: Pick<House, 'environments'>,
  { plan, credits, requestsPerSecond }: CustomerOptions,
): Promise<Customer> {
  const email = `${randomBytes(10).toString('hex')}@ordinary.example`;
  const args = ['account', 'create', '--name', 'Ordinary Ltd', '--plan', plan, '--email', email, '--json'];
  if (credits > 0) args.push('--credits', String(credits));
  if (requestsPerSecond !== undefined) args.push('--requests-per-second', String(requestsPerSecond));
  const made = JSON.parse(await operate(house, args)) as Partial<Customer>;
  if (!made.accountId || !made.password) {
    throw new Error('The account was created, but its owner was not printed.');
  }
  return { accountId: made.accountId, apiKey: made.apiKey ?? '', email, password: made.password };
}
