import { ConfigError, wholeNumberArgument } from '@mailproof/service-kit';
import { fileEncodings } from '@mailproof/shared-types';
import { Command, CommanderError, Option } from 'commander';
import { listKinds } from '../domain/lists/list-kinds.ts';
import { type DoctorOptions, runDoctor } from './doctor/run-doctor.ts';
import { exitCodes } from './exit-codes.ts';
import { type FitOptions, runFit } from './fit/run-fit.ts';
import { inSurroundings } from './lab.ts';
import { type RefreshListsOptions, runRefreshLists } from './refresh-lists/run-refresh-lists.ts';
import { type Terminal, UsageError } from './terminal.ts';
import { ListError } from './validate/address-list.ts';
import { runValidate, type ValidateOptions } from './validate/run-validate.ts';

/** Carries out one command and says with which code to exit. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode: number = exitCodes.good;
  const program = createProgram(terminal, code => {
    exitCode = code;
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has said what is wrong; asking for help is nothing wrong.
      return error.exitCode === 0 ? exitCodes.good : exitCodes.usage;
    }
    if (error instanceof UsageError || error instanceof ConfigError || error instanceof ListError) {
      terminal.stderr.write(`${error.message}\n`);
      return exitCodes.usage;
    }
    throw error;
  }
}

function createProgram(terminal: Terminal, finish: (exitCode: number) => void): Command {
  const program = new Command('pnpm run')
    .description('Validates addresses, and tells whether this machine can.')
    .exitOverride()
    .configureOutput({
      writeOut: text => terminal.stdout.write(text),
      writeErr: text => terminal.stderr.write(text),
    });

  program
    .command('validate')
    .description('Says of each address whether mail to it would arrive. No mail is sent.')
    .argument('[addresses...]', 'the addresses, where --file is not given')
    .option('--file <path>', 'a CSV list of addresses; - reads the standard input')
    .option('--column <name>', 'the column that holds the addresses: its name, or its number from 1')
    .option('--delimiter <character>', 'what parts the columns, where it is not found out')
    .addOption(
      new Option('--encoding <name>', 'what the list is written in, where it is not found out').choices(
        fileEncodings,
      ),
    )
    .option('--json', 'one JSON object a line for each address')
    .option('--concurrency <number>', 'addresses under way at once', wholeNumberArgument(1, 200), 10)
    .option('--deadline-ms <number>', 'the most time for one address', wholeNumberArgument(1_000, 120_000))
    .option('--lab', 'ask a mail lab that is started for this, not the world')
    .addHelpText('after', validateHelp)
    .action((addresses: string[], options: ValidateOptions & { lab?: true }) =>
      inSurroundings(options.lab === true, terminal.environment, async environment =>
        finish(await runValidate(addresses, options, { ...terminal, environment })),
      ),
    );

  program
    .command('doctor')
    .description('Tells whether this machine can validate: name servers, port 25, its name, block lists.')
    .option('--probe-domain <domains...>', 'domains whose mail hosts are greeted (gmail.com outlook.com)')
    .option('--public-address <address>', 'the address that the world sees, where it is not found out')
    .option('--no-blocklists', 'ask no block lists')
    .option('--json', 'one JSON object')
    .option('--lab', 'look at a mail lab that is started for this, not at the world')
    .addHelpText('after', doctorHelp)
    .action((options: DoctorOptions) =>
      inSurroundings(options.lab === true, terminal.environment, async environment =>
        finish(await runDoctor(options, { ...terminal, environment })),
      ),
    );

  program
    .command('refresh-lists')
    .description('Fetches the lists of disposable, personal and role names anew, without a release of ours.')
    .option('--disposable <source>', 'a list of domains of throw-away mailboxes')
    .option('--suspected <source>', 'a list of domains suspected of it, which mark the details only')
    .option('--personal <source>', 'a list of domains of free mailboxes')
    .option('--roles <source>', 'a list of local parts of functions')
    .option('--force', 'take a list that shrank by more than half')
    .option('--dry-run', 'fetch and judge, and write nothing')
    .addHelpText('after', refreshListsHelp)
    .action(async (options: RefreshListsOptions) => finish(await runRefreshLists(options, terminal)));
  program
    .command('fit-weights')
    .description('Fits the weights of evidence on recorded outcomes, and shows whether they got better.')
    .option('--from <file>', 'labelled addresses, .csv or .jsonl, in place of the recorded outcomes')
    .option('--write [file]', 'write the fitted weights, into the built-in file where none is named')
    .option('--json', 'one JSON object')
    .addHelpText('after', fitHelp)
    .action(async (options: FitOptions) => finish(await runFit(options, terminal)));
  return program;
}

const refreshListsHelp = `
A source is an https address or a file: one name a line, # before remarks, or a JSON array.
Without a source the published lists are read:
${listKinds.flatMap(({ id, publishedAt }) => (publishedAt ? [`  --${id} ${publishedAt}`] : [])).join('\n')}
VALIDATION_LISTS_DIR names the folder that they are written to. The engine and pnpm validate read
them there at their start, each in place of the packaged list.

Exit codes:
  0    every list was taken
  1    at least one was not; what was in use stays in use
  2    wrong usage or a wrong setting
  130  interrupted`;

const validateHelp = `
Settings come from the environment, as the service reads them: VALIDATION_DNS_SERVERS,
VALIDATION_HELO_NAME, VALIDATION_MAIL_FROM and the like. No keys are needed.

Exit codes:
  0    every address is usable: ok or catch_all_validated
  1    at least one is not: invalid, catch_all or unknown
  2    wrong usage, or the list cannot be read
  130  interrupted`;

const doctorHelp = `
Exit codes:
  0    nothing failed; warnings and "cannot tell" are no failures
  1    at least one check failed
  2    wrong usage
  130  interrupted`;

const fitHelp = `
Recorded outcomes are read from DATABASE_URL, as the validation engine's own role. Three quarters
of the domains are fitted on, and the rest tells how good the weights are. Set
VALIDATION_WEIGHTS_FILE to a file that was written, and the engine uses it.

Exit codes:
  0  the fitted weights are at least as good as the built-in ones, by their Brier score
  1  they are worse, or too few outcomes are known
  2  wrong usage, or a file that cannot be read`;
