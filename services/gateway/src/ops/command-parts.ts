import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Operator } from '../compose/operator.ts';

/** Opens the operator's stores and clients for the duration of one command. */
export type WithOperator = (work: (operator: Operator) => Promise<void>) => Promise<void>;

export function print(json: true | undefined, value: unknown, text: string): void {
  process.stdout.write(`${json ? JSON.stringify(value) : text}\n`);
}

/** The options of a command that depends on the current time. */
export interface ClockOptions {
  readonly at?: Date;
  readonly json?: true;
}

/** Lets the operator set a command's effective time. */
export function atOption(): Option {
  return new Option('--at <time>', 'effective time, such as 2026-03-01T00:00:00Z; defaults to now').argParser(
    momentOf,
  );
}

export function jsonOption(command: Command): Command {
  return command.option('--json', 'print JSON');
}

function momentOf(text: string): Date {
  const moment = new Date(text);
  // A time without a zone would mean a different moment on each machine.
  if (
    !/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(text) ||
    Number.isNaN(moment.getTime())
  ) {
    throw new InvalidArgumentError('Enter a date and time with a time zone, such as 2026-03-01T00:00:00Z.');
  }
  return moment;
}

export function textUpTo(maximum: number) {
  return (text: string): string => {
    if (text.trim() === '' || text.length > maximum || /\p{Cc}/u.test(text)) {
      throw new InvalidArgumentError(`Enter 1 to ${maximum} characters on one line.`);
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
      throw new InvalidArgumentError('Not a valid id.');
    }
    return parsed.data;
  };
}
