import { OperatorError } from '@mailproof/service-kit/operator-command';
import type { Command } from 'commander';
import type { Operator } from '../compose/operator.ts';
import { lifetimes } from '../domain/oauth/lifetimes.ts';
import { currentKey, type SigningKey } from '../domain/oauth/signing-key.ts';

export type WithOperator = (work: (operator: Operator) => Promise<void>) => Promise<void>;

interface JsonOption {
  readonly json?: true;
}

export function print(json: true | undefined, value: unknown, text: string): void {
  process.stdout.write(`${json ? JSON.stringify(value) : text}\n`);
}

/** Commands for the keys that sign access tokens. */
export function addSigningKeyCommands(program: Command, withOperator: WithOperator): Command {
  const signingKeys = program
    .command('signing-keys')
    .description('Manage the keys that sign assistants’ access tokens: list, rotate and retire them.');
  signingKeys
    .command('list')
    .description('List the published keys, newest first.')
    .option('--json', 'print JSON')
    .action((options: JsonOption) =>
      withOperator(async ({ signingKeys: store }) => {
        const now = new Date();
        const keys = await store.list();
        const lines = keys.map(key => lineOf(key, stateOf(key, keys, now)));
        const json = keys.map(key => ({
          kid: key.kid,
          state: stateOf(key, keys, now),
          createdAt: key.createdAt,
          signsFrom: key.signsFrom,
        }));
        print(
          options.json,
          json,
          lines.length > 0 ? lines.join('\n') : 'No keys yet; the first start creates one.',
        );
      }),
    );
  signingKeys
    .command('rotate')
    .description(
      `Create a new key. It is published immediately and starts signing in ${lifetimes.signingKeyAheadSeconds / 60} minutes. The previous key stays published until its last token expires, and is then removed automatically.`,
    )
    .option('--json', 'print JSON')
    .action((options: JsonOption) =>
      withOperator(async ({ signingKeys: store }) => {
        const now = new Date();
        const signsFrom = new Date(now.getTime() + lifetimes.signingKeyAheadSeconds * 1_000);
        const { kid } = await store.make(now, signsFrom);
        print(
          options.json,
          { kid, signsFrom },
          `Created ${kid}, which signs from ${signsFrom.toISOString()}.`,
        );
      }),
    );
  addRetire(signingKeys, withOperator);
  return signingKeys;
}

function addRetire(signingKeys: Command, withOperator: WithOperator): void {
  signingKeys
    .command('retire')
    .description(
      'Remove a compromised key immediately: its tokens are rejected within seconds, and assistants request new ones automatically. If no other key is signing, a new one is created.',
    )
    .argument('<kid>', 'the key, as listed by `signing-keys list`')
    .option('--json', 'print JSON')
    .action((kid: string, options: JsonOption) =>
      withOperator(async ({ signingKeys: store }) => {
        const now = new Date();
        const keys = await store.list();
        if (!keys.some(key => key.kid === kid)) {
          throw new OperatorError(`Signing key ${kid} not found.`);
        }
        const rest = keys.filter(key => key.kid !== kid);
        // Creates the new key first, so that there is always a key to sign with.
        const made = currentKey(rest, now) ? undefined : await store.make(now, now);
        await store.remove([kid]);
        const successor = made ? ` ${made.kid} signs from now on.` : '';
        print(
          options.json,
          { kid, retired: true, ...(made && { made: made.kid }) },
          `Retired ${kid}.${successor}`,
        );
      }),
    );
}

type KeyState = 'waits' | 'signs' | 'signed';

function stateOf(key: SigningKey, keys: readonly SigningKey[], now: Date): KeyState {
  if (key.signsFrom > now) {
    return 'waits';
  }
  return currentKey(keys, now)?.kid === key.kid ? 'signs' : 'signed';
}

function lineOf({ kid, signsFrom }: SigningKey, state: KeyState): string {
  const words = { waits: 'signs from', signs: 'signs since', signed: 'signed from' } as const;
  return `${kid}  ${words[state]} ${signsFrom.toISOString()}`;
}
