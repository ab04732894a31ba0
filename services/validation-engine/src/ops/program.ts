import { OperatorError } from '@mailproof/service-kit/operator-command';
import { domainName } from '@mailproof/shared-types';
import { Command, InvalidArgumentError, Option } from 'commander';
import { composeOperator } from '../compose/store.ts';
import { loadOperatorConfig } from '../config.ts';
import {
  type DoNotProbeScope,
  type DoNotProbeStore,
  doNotProbeScopes,
} from '../domain/standing/do-not-probe.ts';

const noteCharactersMax = 500;

/** The operator's commands for the do-not-probe list. */
export function createProgram(
  environment: NodeJS.ProcessEnv,
  say: (line: string) => void = line => void process.stdout.write(`${line}\n`),
): Command {
  const program = new Command('ops').description('Manage the validation engine of a Mailproof installation.');
  const withList = async (work: (list: DoNotProbeStore) => Promise<void>) => {
    const operator = composeOperator(loadOperatorConfig(environment));
    try {
      await work(operator.doNotProbe);
    } finally {
      await operator.close();
    }
  };
  const scope = () =>
    new Option('--scope <scope>', 'whether the name is a domain of addresses or a mail host')
      .choices(doNotProbeScopes)
      .default('domain');

  const doNotProbe = program
    .command('do-not-probe')
    .description('Manage domains and mail hosts that are never probed, including every name below them.');
  doNotProbe
    .command('add')
    .description('Stop probing a name; running services apply this within 30 seconds.')
    .argument('<name>', 'the domain, or the mail host’s name', name)
    .addOption(scope())
    .option('--note <text>', 'the reason, as a note', note)
    .action((listed: string, options: { scope: DoNotProbeScope; note?: string }) =>
      withList(async list => {
        const isNew = await list.add({ scope: options.scope, name: listed }, 'operator', options.note);
        say(isNew ? `Listed ${listed}.` : `${listed} is already listed.`);
      }),
    );
  doNotProbe
    .command('remove')
    .description('Probe a name again.')
    .argument('<name>', 'the domain, or the mail host’s name', name)
    .addOption(scope())
    .action((listed: string, options: { scope: DoNotProbeScope }) =>
      withList(async list => {
        if (!(await list.remove({ scope: options.scope, name: listed }))) {
          throw new OperatorError(`${listed} with the scope ${options.scope} is not listed.`);
        }
        say(`Removed ${listed}.`);
      }),
    );
  doNotProbe
    .command('list')
    .description('Show the list, sorted by name.')
    .option('--json', 'print JSON')
    .action((options: { json?: true }) =>
      withList(async list => {
        const entries = await list.list();
        if (options.json) {
          say(JSON.stringify(entries));
          return;
        }
        for (const { name: listed, scope: kind, origin, createdAt, note: why } of entries) {
          say([listed, kind, origin, createdAt.toISOString(), why ?? ''].join('\t').trimEnd());
        }
      }),
    );
  return program;
}

function name(text: string): string {
  const parsed = domainName.safeParse(text);
  if (!parsed.success) {
    throw new InvalidArgumentError(parsed.error.issues[0]?.message ?? 'That is no domain name.');
  }
  return parsed.data;
}

function note(text: string): string {
  if (text.trim() === '' || text.length > noteCharactersMax) {
    throw new InvalidArgumentError(`Enter 1 to ${noteCharactersMax} characters.`);
  }
  return text.trim();
}
