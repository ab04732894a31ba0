import { Mailproof, MailproofError } from '@mailproof/sdk';
import { Command, CommanderError, InvalidArgumentError } from 'commander';
import pack from '../package.json' with { type: 'json' };
import {
  CommandError,
  exitCodes,
  type Result,
  sentenceOf,
  type Terminal,
  type ValidateOptions,
  write,
} from './terminal.ts';
import { validateAddresses } from './validate-addresses.ts';
import { isList, type List, validateList } from './validate-list.ts';

/** Runs one command and returns its exit code. */
export async function runCommandLine(args: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode: number = exitCodes.done;
  const program = createProgram(terminal, code => {
    exitCode = code;
  });
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has already reported the error; asking for help is not an error.
      return error.exitCode === 0 ? exitCodes.done : exitCodes.usage;
    }
    if (terminal.signal.aborted || (error as NodeJS.ErrnoException).code === 'EPIPE') {
      return exitCodes.interrupted;
    }
    const { message, code } = described(error);
    terminal.stderr.write(`${message}\n`);
    return code;
  }
}

/** Says what happened and what to do; any other error is a bug, and shows where it is. */
function described(error: unknown): { readonly message: string; readonly code: number } {
  if (error instanceof CommandError) {
    return { message: error.message, code: error.exitCode };
  }
  if (error instanceof MailproofError) {
    const code = error.code === 'credits_exhausted' ? exitCodes.noCredits : exitCodes.failed;
    return { message: sentenceOf(error), code };
  }
  throw error;
}

function createProgram(terminal: Terminal, finish: (exitCode: number) => void): Command {
  const program = new Command('mailproof')
    .description('Validates email addresses and lists with the Mailproof API.')
    .version(pack.version, '--version', 'print the version of this command')
    .option('--url <url>', 'URL of the installation; default: MAILPROOF_URL')
    .option('--key <key>', 'API key; default: MAILPROOF_API_KEY, which other users of the machine cannot see')
    .exitOverride()
    .configureOutput({
      writeOut: text => terminal.stdout.write(text),
      writeErr: text => terminal.stderr.write(text),
    })
    .addHelpText('after', help);

  function client(): Mailproof {
    const { url = terminal.environment['MAILPROOF_URL'], key = terminal.environment['MAILPROOF_API_KEY'] } =
      program.opts<{ url?: string; key?: string }>();
    if (!url || !/^https?:/i.test(url) || !URL.canParse(url)) {
      throw new CommandError(
        'Set MAILPROOF_URL or --url to the URL of the installation, such as https://mailproof.example.',
      );
    }
    if (!key) {
      throw new CommandError('Set MAILPROOF_API_KEY or --key to an API key of your account.');
    }
    if (isUnencrypted(new URL(url))) {
      terminal.stderr.write('The API key and the addresses are sent unencrypted. Use https in the URL.\n');
    }
    // The URL that an installation prints for its API is that of the paths below.
    try {
      return new Mailproof({ baseUrl: url.replace(/\/api\/v1\/*$/, ''), apiKey: key });
    } catch (error) {
      throw error instanceof TypeError ? new CommandError(error.message) : error;
    }
  }

  program
    .command('validate')
    .description(
      'Validate addresses, or a list: a CSV file or an Excel workbook. The results of a list are written to a file.',
    )
    .argument(
      '<list-or-addresses...>',
      'a CSV file or a workbook (.xlsx), - for the standard input, the id of a job that has ended, for its rows without a clear result, or addresses',
    )
    .option(
      '--output <file>',
      'file of the results; - is the standard output; default: list.validated.csv, or .xlsx for a workbook',
    )
    .option('--column <name>', 'the column with the addresses: its name, or its number from 1')
    .option(
      '--sheet <name>',
      'the sheet of a workbook: its name, or its number from 1; default: the first one',
    )
    .option('--delimiter <character>', 'the column separator; detected by default')
    .option('--encoding <name>', 'the encoding of the list; detected by default')
    .option('--max-credits <number>', 'start nothing that could cost more', wholeNumber)
    .option(
      '--finish-after <minutes>',
      'after this time, end the validation without rows that still wait for their mail hosts',
      wholeNumber,
    )
    .option('--yes', 'start a list without asking')
    .option('--force', 'overwrite the file of the results, and ignore an interrupted run')
    .option('--json', 'print one JSON object per address; not for a list')
    .option('--fail-on <results>', 'exit with 3 if an address has one of these results', resultsArgument)
    .action(async (given: string[], options: ValidateOptions) => {
      const list = isList(given, terminal);
      assertApplicable(options, list);
      finish(
        list === undefined
          ? await validateAddresses(given, options, client(), terminal)
          : await validateList(list, options, client(), terminal),
      );
    });

  program
    .command('credits')
    .description('Print how many credits the account has.')
    .action(async () => {
      const { credits } = await client().send('get', '/me', { signal: terminal.signal });
      await write(terminal.stdout, `${credits}\n`);
    });
  return program;
}

const listOptions = [
  'output',
  'column',
  'sheet',
  'delimiter',
  'encoding',
  'finishAfter',
  'yes',
  'force',
] as const satisfies (keyof ValidateOptions)[];

/** How a file is read. */
const readingOptions = [
  'column',
  'sheet',
  'delimiter',
  'encoding',
] as const satisfies (keyof ValidateOptions)[];

/** @throws CommandError for an option without an effect, whose user expects one */
function assertApplicable(options: ValidateOptions, list: List | undefined): void {
  if (list && options.json) {
    throw new CommandError(
      'The option --json is for addresses. For a list, choose a file of results that ends in .ndjson with --output.',
    );
  }
  // The rows of a job were read when they were uploaded.
  const unfit: readonly (keyof ValidateOptions)[] = !list ? listOptions : list.jobId ? readingOptions : [];
  const given = unfit.filter(name => options[name] !== undefined);
  if (given.length === 0) return;
  const flags = given.map(name => `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`);
  throw new CommandError(
    `These options are for lists, and none of the arguments is a file: ${flags.join(', ')}.`,
  );
}

/** Whether others on the way can read what is sent; no one is on the way to the machine's own services. */
function isUnencrypted({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !/^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

const results: readonly Result[] = ['ok', 'catch_all_validated', 'catch_all', 'invalid', 'unknown'];

function resultsArgument(text: string): ReadonlySet<Result> {
  const names = new Set(text.split(',').map(name => name.trim()));
  const known = results.filter(result => names.has(result));
  if (known.length !== names.size) {
    throw new InvalidArgumentError(`Enter one or more of ${results.join(', ')}, with commas.`);
  }
  return new Set(known);
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Enter a whole number.');
  return Number(text);
}

const help = `
If you interrupt the validation of a list, it continues on the server: run the same command again,
without --force, to get its results. It is not charged a second time. Rows that have no result, or are unknown, are not
charged: name the id of the job in place of the list to validate only these.

Exit codes:
  0    done; a verdict is an answer, whether the address is valid or not
  1    a request was refused, there was no response, or the job failed
  2    invalid usage, a list that cannot be read, or a price that is too high
  3    an address has a result of --fail-on
  4    the account has too few credits
  130  interrupted`;
