import { OperatorError } from '@mailproof/service-kit';
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

/** Commands on the keys that sign access tokens. */
export function addSigningKeyCommands(program: Command, withOperator: WithOperator): Command {
  const signingKeys = program
    .command('signing-keys')
    .description('The keys that sign access tokens of assistants: list, rotate and retire them.');
  signingKeys
    .command('list')
    .description('List the published keys, the newest first.')
    .option('--json', 'answer in JSON')
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
          lines.length > 0 ? lines.join('\n') : 'There is none; the first start makes one.',
        );
      }),
    );
  signingKeys
    .command('rotate')
    .description(
      `Make a new key. It is published at once and signs in ${lifetimes.signingKeyAheadSeconds / 60} minutes; the one before stays published until its last token is over, and is then taken away by itself.`,
    )
    .option('--json', 'answer in JSON')
    .action((options: JsonOption) =>
      withOperator(async ({ signingKeys: store }) => {
        const now = new Date();
        const signsFrom = new Date(now.getTime() + lifetimes.signingKeyAheadSeconds * 1_000);
        const { kid } = await store.make(now, signsFrom);
        print(options.json, { kid, signsFrom }, `Made ${kid}, which signs from ${signsFrom.toISOString()}.`);
      }),
    );
  addRetire(signingKeys, withOperator);
  return signingKeys;
}

function addRetire(signingKeys: Command, withOperator: WithOperator): void {
  signingKeys
    .command('retire')
    .description(
      'Take a key away at once, because others may know it: its tokens are refused within seconds, and assistants fetch new ones by themselves. If no other key signs, a new one does at once.',
    )
    .argument('<kid>', 'the key, as `signing-keys list` names it')
    .option('--json', 'answer in JSON')
    .action((kid: string, options: JsonOption) =>
      withOperator(async ({ signingKeys: store }) => {
        const now = new Date();
        const keys = await store.list();
        if (!keys.some(key => key.kid === kid)) {
          throw new OperatorError(`There is no signing key ${kid}.`);
        }
        const rest = keys.filter(key => key.kid !== kid);
        // The new one first, so that there is a key to sign with at any time.
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
