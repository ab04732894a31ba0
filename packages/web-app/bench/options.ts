import { parseArgs } from 'node:util';

export interface BenchOptions {
  readonly rows: number;
  readonly addresses: number;
  readonly check: boolean;
}

/** The longest time for which the page may be unresponsive, in milliseconds. */
export const blockedMsMax = 100;
export const timeLimitMinutes = 10;

const rowsMax = 50_000;
const addressesMax = 500;

const help = `pnpm bench:web [--rows <number>] [--no-check]

Opens the results of a list of ${rowsMax} rows in a Chromium, scrolls through them in jumps and with the wheel, and switches
filters; then does the same with a list of 60 rows, as the overhead of the browser and the machine. Prints the
longest task of the page's main thread, the longest time in which its event loop stood still, frames, and the compressed
script of a first load. The application has to be built (npx pnpm build), and Postgres and Redis be there, as for npm start.

  --rows <number>  rows of the list, 1,000 to ${rowsMax}
  --no-check       exit with 0 also where a bound is missed

Exit codes: 0 no task above ${blockedMsMax} ms and no first load above its bound; 1 it was otherwise; 2 wrong usage.
`;

/** Reads the command line; ends the process after `--help` and on wrong usage. */
export function readOptions(args: readonly string[]): BenchOptions {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        rows: { type: 'string', default: String(rowsMax) },
        'no-check': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) {
      process.stdout.write(help);
      process.exit(0);
    }
    const rows = Number(values.rows);
    if (!Number.isInteger(rows) || rows < 1_000 || rows > rowsMax)
      throw new Error(`--rows: 1000 to ${rowsMax}`);
    return { rows, addresses: addressesMax, check: !values['no-check'] };
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n${help}`);
    process.exit(2);
  }
}
