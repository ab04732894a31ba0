import { ConfigError } from '@mailproof/service-kit';
import { wholeNumberArgument } from '@mailproof/service-kit/operator-command';
import { fileEncodings, type ValidationResult, validationResults } from '@mailproof/shared-types';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { listKinds } from '../domain/lists/list-kinds.ts';
import { type DoctorOptions, runDoctor } from './doctor/run-doctor.ts';
import { type FitOptions, runFit } from './fit/run-fit.ts';
import { withEnvironment } from './lab.ts';
import { type RefreshListsOptions, runRefreshLists } from './refresh-lists/run-refresh-lists.ts';
import { exitCodes, type Terminal, UsageError } from './terminal.ts';
import { ListError } from './validate/address-list.ts';
import { runValidate, type ValidateOptions } from './validate/run-validate.ts';

/** Runs one command and returns its exit code. */
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
      // Commander has already reported the error; asking for help is not an error.
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
    .description('Validate addresses, and check whether this machine can.')
    .exitOverride()
    .configureOutput({
      writeOut: text => terminal.stdout.write(text),
      writeErr: text => terminal.stderr.write(text),
    });

  program
    .command('validate')
    .description('Validate email addresses. No mail is sent.')
    .argument('[addresses...]', 'the addresses, unless you use --file')
    .option('--file <path>', 'a CSV list of addresses; - reads standard input')
    .option('--column <name>', 'the column with the addresses: its name, or its number from 1')
    .option('--delimiter <character>', 'the column separator; detected by default')
    .addOption(
      new Option('--encoding <name>', 'the encoding of the list; detected by default').choices(fileEncodings),
    )
    .option('--json', 'print one JSON object per line and address')
    .option('--concurrency <number>', 'addresses validated in parallel', wholeNumberArgument(1, 200), 10)
    .option('--deadline-ms <number>', 'deadline per address', wholeNumberArgument(1_000, 120_000))
    .option('--fail-on <results>', 'exit with 1 if an address has one of these results', resultsArgument)
    .option('--lab', 'use a temporary mail lab instead of the internet')
    .addHelpText('after', validateHelp)
    .action((addresses: string[], options: ValidateOptions & { lab?: true }) =>
      withEnvironment(options.lab === true, terminal.environment, async environment =>
        finish(await runValidate(addresses, options, { ...terminal, environment })),
      ),
    );

  program
    .command('doctor')
    .description(
      'Check whether this machine can validate addresses: name servers, port 25, its host name, block lists.',
    )
    .option('--probe-domain <domains...>', 'domains whose mail hosts are contacted (gmail.com outlook.com)')
    .option('--public-address <address>', 'the public IP address of this machine; detected by default')
    .option('--no-blocklists', 'skip block lists')
    .option('--json', 'print one JSON object')
    .option('--lab', 'check a temporary mail lab instead of the internet')
    .addHelpText('after', doctorHelp)
    .action((options: DoctorOptions) =>
      withEnvironment(options.lab === true, terminal.environment, async environment =>
        finish(await runDoctor(options, { ...terminal, environment })),
      ),
    );

  program
    .command('refresh-lists')
    .description('Download current lists of disposable, personal and role names.')
    .option('--disposable <source>', 'list of disposable domains')
    .option('--suspected <source>', 'list of suspected disposable domains; shown in the details only')
    .option('--personal <source>', 'list of personal (free mail) domains')
    .option('--roles <source>', 'list of role names')
    .option('--force', 'accept a list that shrank by more than half')
    .option('--dry-run', 'download and check, but write nothing')
    .addHelpText('after', refreshListsHelp)
    .action(async (options: RefreshListsOptions) => finish(await runRefreshLists(options, terminal)));
  program
    .command('fit-weights')
    .description('Fit the evidence weights on recorded outcomes, and compare them with the current ones.')
    .option('--from <file>', 'labeled addresses, .csv or .jsonl, instead of the recorded outcomes')
    .option('--write [file]', 'write the fitted weights to a file; defaults to the built-in file')
    .option('--json', 'print one JSON object')
    .addHelpText('after', fitHelp)
    .action(async (options: FitOptions) => finish(await runFit(options, terminal)));
  return program;
}

function resultsArgument(text: string): ReadonlySet<ValidationResult> {
  const names = text.split(',').map(name => name.trim());
  const results = validationResults.filter(result => names.includes(result));
  if (results.length !== new Set(names).size) {
    throw new InvalidArgumentError(`Enter one or more of ${validationResults.join(', ')}, with commas.`);
  }
  return new Set(results);
}

const refreshListsHelp = `
A source is an https URL or a file: one name per line, # before comments, or a JSON array.
Without a source, the published lists are downloaded:
${listKinds.flatMap(({ id, publishedAt }) => (publishedAt ? [`  --${id} ${publishedAt}`] : [])).join('\n')}
Lists are written to the folder in VALIDATION_LISTS_DIR. The engine and pnpm validate load them
at start, each instead of the packaged list.

Exit codes:
  0    every list was accepted
  1    at least one was not; the current list stays in use
  2    invalid usage or setting
  130  interrupted`;

const validateHelp = `
Settings come from the environment, as for the service: VALIDATION_DNS_SERVERS,
VALIDATION_HELO_NAME, VALIDATION_MAIL_FROM and so on. No keys are required.

Exit codes:
  0    every address has a verdict
  1    at least one has a result of --fail-on, such as --fail-on invalid,unknown
  2    invalid usage, or the list cannot be read
  130  interrupted`;

const doctorHelp = `
Exit codes:
  0    no check failed; warnings and "cannot tell" do not count as failures
  1    at least one check failed
  2    invalid usage
  130  interrupted`;

const fitHelp = `
Recorded outcomes are read from DATABASE_URL, with the validation engine's own role. Three quarters
of the domains are used for fitting, and the rest for testing. Set VALIDATION_WEIGHTS_FILE to the
written file to use it in the engine.

Exit codes:
  0  the fitted weights are at least as good as the built-in ones, by Brier score
  1  they are worse, or too few outcomes are known
  2  invalid usage, or a file that cannot be read`;
