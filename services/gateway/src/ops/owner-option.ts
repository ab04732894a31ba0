import { randomInt } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { OperatorError } from '@mailproof/service-kit';
import { type AccountId, type EmailAddress, newPassword, parseEmailAddress } from '@mailproof/shared-types';
import { type Command, InvalidArgumentError } from 'commander';
import type { Owners } from '../compose/owners.ts';
import { PasswordFault } from '../domain/users/password-rules.ts';

export interface OwnerOptions {
  readonly email?: EmailAddress;
  readonly passwordStdin?: true;
}

/** An owner who is to be made with an account. */
export interface WantedOwner {
  readonly email: EmailAddress;
  readonly password: string;
  /** Of an account that is made with its owner: what to show, this once. */
  readonly shown: { readonly email: string; readonly password?: string };
}

const generatedDigits = 20;
const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Lets a command make an owner who can sign in. */
export function ownerOption(command: Command): Command {
  return command
    .option('--email <address>', 'make an owner with this address, who can sign in', addressOf)
    .option('--password-stdin', 'read the owner’s password from standard input; without it one is made up');
}

/** Settles who the owner is going to be, before anything is made. Nothing when none is wanted. */
export async function wantedOwner(
  owners: Owners,
  { email, passwordStdin }: OwnerOptions,
): Promise<WantedOwner | undefined> {
  if (!email) {
    if (passwordStdin) {
      throw new OperatorError('A password is for an owner: give --email too.');
    }
    return undefined;
  }
  const password = passwordStdin ? await passwordFromStdin() : generatePassword();
  const canBe = await owners.canBe(email, password).catch((error: unknown) => {
    throw error instanceof PasswordFault ? new OperatorError(error.message) : error;
  });
  if (!canBe) {
    throw new OperatorError('The address belongs to a user already.');
  }
  return {
    email,
    password,
    shown: { email: email.normalised, ...(!passwordStdin && { password }) },
  };
}

export async function addOwner(owners: Owners, accountId: AccountId, owner: WantedOwner): Promise<void> {
  if ((await owners.add(accountId, owner.email, owner.password)) === undefined) {
    throw new OperatorError(`The address became a user’s meanwhile; the account ${accountId} has no owner.`);
  }
}

async function passwordFromStdin(): Promise<string> {
  const given = (await text(process.stdin)).replace(/\r?\n$/, '');
  const parsed = newPassword.safeParse(given);
  if (!parsed.success) {
    throw new OperatorError(`The password ${parsed.error.issues[0]?.message ?? 'cannot be used'}.`);
  }
  return parsed.data;
}

/** 117 bits, without the letters and digits that are taken for one another. */
function generatePassword(): string {
  return Array.from({ length: generatedDigits }, () => base58[randomInt(base58.length)]).join('');
}

function addressOf(given: string): EmailAddress {
  const parsed = parseEmailAddress(given);
  if (!parsed.ok) {
    throw new InvalidArgumentError(parsed.fault.message);
  }
  return parsed.value;
}
