import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Operator } from '../compose/operator.ts';

/** Opens what the operator works with for the time of one command. */
export type WithOperator = (work: (operator: Operator) => Promise<void>) => Promise<void>;

export function print(json: true | undefined, value: unknown, text: string): void {
  process.stdout.write(`${json ? JSON.stringify(value) : text}\n`);
}

/** The options of a command that depends on the clock. */
export interface ClockOptions {
  readonly at?: Date;
  readonly json?: true;
}

/** Lets the operator say when a command counts as given. */
export function atOption(): Option {
  return new Option(
    '--at <time>',
    'when it counts as done, such as 2026-03-01T00:00:00Z; now without it',
  ).argParser(momentOf);
}

export function jsonOption(command: Command): Command {
  return command.option('--json', 'answer in JSON');
}

function momentOf(text: string): Date {
  const moment = new Date(text);
  // A time without its zone would mean another moment on another machine.
  if (
    !/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(text) ||
    Number.isNaN(moment.getTime())
  ) {
    throw new InvalidArgumentError('Give a date and time with its zone, such as 2026-03-01T00:00:00Z.');
  }
  return moment;
}

export function textUpTo(maximum: number) {
  return (text: string): string => {
    if (text.trim() === '' || text.length > maximum || /\p{Cc}/u.test(text)) {
      throw new InvalidArgumentError(`Give 1 to ${maximum} characters in one line.`);
    }
    return text.trim();
  };
}

export function idOf<Id>(schema: {
  safeParse(value: unknown): { success: true; data: Id } | { success: false };
}) {
  return (text: string): Id => {
    const parsed = schema.safeParse(text);
    if (!parsed.success) {
      throw new InvalidArgumentError('That is not such an id.');
    }
    return parsed.data;
  };
}
