import { OperatorError } from '@mailproof/service-kit';
import { type Command, InvalidArgumentError } from 'commander';
import type { Subject } from '../domain/privacy/subjects.ts';
import { type ProfileUrl, parseProfileUrl } from '../domain/profile-url/parse-profile-url.ts';
import type { CommandRoom } from './program.ts';

interface JsonOption {
  readonly json?: true;
}

export function addPrivacyCommands(program: Command, room: CommandRoom): void {
  const subjects = program
    .command('subjects')
    .description('What is kept of a person, for a person who asks, and its deletion.');
  subjects
    .command('show')
    .description('Show everything that is kept of a person: fields, sources, licences, dates, history.')
    .argument('<profile-url>', 'the person’s profile', profile)
    .option('--json', 'answer in JSON')
    .action(async ({ profileKey }: ProfileUrl, { json }: JsonOption) => {
      const subject = await room.withOperator(operator => operator.subjects.show(profileKey, new Date()));
      if (!subject && !json) {
        throw new OperatorError('Nobody with this profile is kept.');
      }
      process.stdout.write(json ? `${JSON.stringify(subject ?? null, null, 2)}\n` : subjectText(subject));
    });
  subjects
    .command('delete')
    .description('Delete a person with all that hangs on them, and keep them out from now on.')
    .argument('<profile-url>', 'the person’s profile', profile)
    .option('--json', 'answer in JSON')
    .action((url: ProfileUrl, options: JsonOption) => suppress(room, url, 'deletion', options));
  const suppressions = program
    .command('suppressions')
    .description('People who are kept out. The list holds keyed hashes and cannot be read.');
  suppressions
    .command('add')
    .description('Keep a person out, whether anything is known of them or not.')
    .argument('<profile-url>', 'the person’s profile', profile)
    .option('--json', 'answer in JSON')
    .action((url: ProfileUrl, options: JsonOption) => suppress(room, url, 'operator', options));
  suppressions
    .command('count')
    .description('Say how many hashes the list has; a person has one or several.')
    .option('--json', 'answer in JSON')
    .action(async ({ json }: JsonOption) => {
      const hashes = await room.withOperator(operator => operator.subjects.countSuppressions());
      process.stdout.write(json ? `${JSON.stringify({ hashes })}\n` : `${hashes} hashes.\n`);
    });
  suppressions
    .command('by-day')
    .description('Say how many people were left out each day and by whom; many at once can be an attack.')
    .option('--json', 'answer in JSON')
    .action(async ({ json }: JsonOption) => {
      const days = await room.withOperator(operator => operator.subjects.suppressedByDay());
      const lines = days.map(
        ({ day, actor, requests, deleted }) => `${day}  ${actor}  ${requests} requests, ${deleted} deleted\n`,
      );
      process.stdout.write(
        json ? `${JSON.stringify({ days })}\n` : lines.join('') || 'Nobody was left out.\n',
      );
    });
}

async function suppress(
  room: CommandRoom,
  { profileKey }: ProfileUrl,
  reason: 'deletion' | 'operator',
  { json }: JsonOption,
): Promise<void> {
  const { deleted } = await room.withOperator(operator =>
    operator.subjects.suppress({ profileKey, reason, actor: 'operator', now: new Date() }),
  );
  const text = deleted === 0 ? 'Nothing was kept.' : `Deleted: ${deleted}.`;
  process.stdout.write(
    json ? `${JSON.stringify({ deleted })}\n` : `${text} Whoever has this profile is kept out.\n`,
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
    `  kept until     ${subject.keptUntil?.toISOString() ?? 'it is deleted; this person is invented'}`,
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

function profile(text: string): ProfileUrl {
  const read = parseProfileUrl(text);
  if (read === undefined) {
    throw new InvalidArgumentError('That is no URL of a profile.');
  }
  if (read.kind === 'organisation') {
    throw new InvalidArgumentError(
      'That is the profile of an organisation; these commands are about people.',
    );
  }
  return read;
}
