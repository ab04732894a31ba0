import { constants, type Stats, statSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { CommandError, printable } from './terminal.ts';

/** Undefined also for what cannot be the name of a file, such as an address that is too long. */
export function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** @throws CommandError for a list that cannot be read */
export async function assertReadable(path: string): Promise<void> {
  await access(path, constants.R_OK).catch(error => {
    throw new CommandError(`${printable(basename(path))} cannot be read: ${reasonOf(error)}.`);
  });
}

/** @throws CommandError if the results could not be written there, before the list is uploaded and charged */
export async function assertWritable(output: string, overwrites: boolean): Promise<void> {
  const found = statsOf(output);
  if (found && !found.isFile()) {
    throw new CommandError(
      `${output} is not a file. Use --output to name a file, or - for the standard output.`,
    );
  }
  if (found && !overwrites) {
    throw new CommandError(
      `${output} exists. Use --force to overwrite it, or --output to choose another file. Either validates and charges the whole list again. For only the rows without a clear result, name the id of the job instead of the list.`,
    );
  }
  const folder = dirname(output);
  await access(folder, constants.W_OK).catch(error => {
    throw new CommandError(
      `The results cannot be written to ${folder}: ${reasonOf(error)}. Use --output to choose another file.`,
    );
  });
}

/** Says why the system refused a file, such as `ENOSPC: no space left on device`. */
export function reasonOf(error: unknown): string {
  const { message, syscall } = error as NodeJS.ErrnoException;
  return syscall === undefined ? message : message.replace(new RegExp(`, ${syscall}\\b.*$`, 's'), '');
}
