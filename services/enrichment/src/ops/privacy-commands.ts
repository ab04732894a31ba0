import { OperatorError } from '@mailproof/service-kit/operator-command';
import { type Command, InvalidArgumentError } from 'commander';
import type { ImportedCopy, Subject } from '../domain/privacy/subjects.ts';
import { type ProfileUrl, parseProfileUrl } from '../domain/profile-url/parse-profile-url.ts';
import type { CommandContext } from './command-context.ts';

interface JsonOption {
  readonly json?: true;
}

export function addPrivacyCommands(program: Command, context: CommandContext): void {
  const subjects = program
    .command('subjects')
    .description('Show or delete the data about a person who asks.');
  subjects
    .command('show')
    .description('Show all data about a person: fields, sources, licenses, dates, history.')
    .argument('<profile-url>', 'the person’s profile URL', profile)
    .option('--json', 'print JSON')
    .action(async ({ profileKey }: ProfileUrl, { json }: JsonOption) => {
      const { stored, imported } = await context.withOperator(operator =>
        operator.subjects.show(profileKey, new Date()),
      );
      const isKnown = stored !== undefined || imported.length > 0;
      if (!isKnown && !json) {
        throw new OperatorError('There is no data about a person with this profile.');
      }
      const shown = isKnown ? { ...stored, imported } : null;
      process.stdout.write(
        json ? `${JSON.stringify(shown, null, 2)}\n` : `${subjectText(stored)}${importedText(imported)}`,
      );
    });
  subjects
    .command('delete')
    .description('Delete all data about a person, and prevent it from being stored again.')
    .argument('<profile-url>', 'the person’s profile URL', profile)
    .option('--json', 'print JSON')
    .action((url: ProfileUrl, options: JsonOption) => suppress(context, url, 'deletion', options));
  const suppressions = program
    .command('suppressions')
    .description('Manage suppressed people. The list contains keyed hashes and cannot be read.');
  suppressions
    .command('add')
    .description('Suppress a person, whether or not there is data about them.')
    .argument('<profile-url>', 'the person’s profile URL', profile)
    .option('--json', 'print JSON')
    .action((url: ProfileUrl, options: JsonOption) => suppress(context, url, 'operator', options));
  suppressions
    .command('count')
    .description('Show the number of hashes on the list; a person has one or more.')
    .option('--json', 'print JSON')
    .action(async ({ json }: JsonOption) => {
      const hashes = await context.withOperator(operator => operator.subjects.countSuppressions());
      process.stdout.write(json ? `${JSON.stringify({ hashes })}\n` : `${hashes} hashes.\n`);
    });
  suppressions
    .command('by-day')
    .description('Show how many people were suppressed per day and by whom; many at once can be an attack.')
    .option('--json', 'print JSON')
    .action(async ({ json }: JsonOption) => {
      const days = await context.withOperator(operator => operator.subjects.suppressedByDay());
      const lines = days.map(
        ({ day, actor, requests, deleted }) => `${day}  ${actor}  ${requests} requests, ${deleted} deleted\n`,
      );
      process.stdout.write(
        json ? `${JSON.stringify({ days })}\n` : lines.join('') || 'No one was suppressed.\n',
      );
    });
}

async function suppress(
  context: CommandContext,
  { profileKey }: ProfileUrl,
  reason: 'deletion' | 'operator',
  { json }: JsonOption,
): Promise<void> {
  const { deleted } = await context.withOperator(operator =>
    operator.subjects.suppress({ profileKey, reason, actor: 'operator', now: new Date() }),
  );
  const text = deleted === 0 ? 'Nothing was kept.' : `Deleted: ${deleted}.`;
  process.stdout.write(
    json ? `${JSON.stringify({ deleted })}\n` : `${text} The person with this profile is suppressed.\n`,
  );
}

function subjectText(subject: Subject | undefined): string {
  if (!subject) {
    return '';
  }
  const source = ({ source: { name, licence, retrievedOn } }: Subject['fields'][number]) =>
    `${name}, ${licence}, of ${retrievedOn}`;
  const lines = [
    subject.profileUrl,
    `  first loaded   ${subject.firstLoadedAt.toISOString()}`,
    `  last changed   ${subject.changedAt.toISOString()}`,
    `  kept until     ${subject.keptUntil?.toISOString() ?? 'it is deleted; this person is synthetic'}`,
    `  saved by       ${subject.accounts} accounts, in ${subject.lists} lists`,
    'Fields:',
    ...subject.fields.map(kept => `  ${kept.field}: ${JSON.stringify(kept.value)} (${source(kept)})`),
    ...(subject.history.length > 0 ? ['Before:'] : []),
    ...subject.history.map(
      kept =>
        `  ${kept.field}: ${JSON.stringify(kept.value)} (${source(kept)}), until ${kept.changedAt.toISOString()}`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}

function importedText(copies: readonly ImportedCopy[]): string {
  const lines = copies.flatMap(({ fields, firstImportedAt, changedAt }) => [
    'Imported by an account:',
    `  first imported ${firstImportedAt.toISOString()}`,
    `  last changed   ${changedAt.toISOString()}`,
    ...Object.entries(fields).map(([field, value]) => `  ${field}: ${JSON.stringify(value)}`),
  ]);
  return lines.map(line => `${line}\n`).join('');
}

function profile(text: string): ProfileUrl {
  const read = parseProfileUrl(text);
  if (read === undefined) {
    throw new InvalidArgumentError('That is no URL of a profile.');
  }
  if (read.kind === 'organisation') {
    throw new InvalidArgumentError('This is the profile of an organization; these commands are for people.');
  }
  return read;
}
