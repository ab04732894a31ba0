import { randomInt } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { OperatorError } from '@mailproof/service-kit/operator-command';
import { type AccountId, type EmailAddress, newPassword, parseEmailAddress } from '@mailproof/shared-types';
import { type Command, InvalidArgumentError } from 'commander';
import type { Owners } from '../compose/owners.ts';
import { PasswordFault } from '../domain/users/password-rules.ts';

export interface OwnerOptions {
  readonly email?: EmailAddress;
  readonly passwordStdin?: true;
}

/** An owner to create together with an account. */
export interface NewOwner {
  readonly email: EmailAddress;
  readonly password: string;
  /** What to show, once only, after the account is created. */
  readonly shown: { readonly email: string; readonly password?: string };
}

const generatedDigits = 20;
const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Lets a command create an owner who can sign in. */
export function ownerOption(command: Command): Command {
  return command
    .option('--email <address>', 'create an owner with this email address', addressOf)
    .option('--password-stdin', 'read the owner’s password from standard input; generated if omitted');
}

/** Determines the owner before anything is created; returns undefined if none is wanted. */
export async function prepareOwner(
  owners: Owners,
  { email, passwordStdin }: OwnerOptions,
): Promise<NewOwner | undefined> {
  if (!email) {
    if (passwordStdin) {
      throw new OperatorError('A password requires an owner: add --email.');
    }
    return undefined;
  }
  const password = passwordStdin ? await passwordFromStdin() : generatePassword();
  const canBe = await owners.canBe(email, password).catch((error: unknown) => {
    throw error instanceof PasswordFault ? new OperatorError(error.message) : error;
  });
  if (!canBe) {
    throw new OperatorError('The email address already belongs to a user.');
  }
  return {
    email,
    password,
    shown: { email: email.normalized, ...(!passwordStdin && { password }) },
  };
}

export async function addOwner(owners: Owners, accountId: AccountId, owner: NewOwner): Promise<void> {
  if ((await owners.add(accountId, owner.email, owner.password)) === undefined) {
    throw new OperatorError(
      `Another user registered the email address in the meantime; the account ${accountId} has no owner.`,
    );
  }
}

async function passwordFromStdin(): Promise<string> {
  const given = (await text(process.stdin)).replace(/\r?\n$/, '');
  const parsed = newPassword.safeParse(given);
  if (!parsed.success) {
    throw new OperatorError(`The password ${parsed.error.issues[0]?.message ?? 'is not valid'}.`);
  }
  return parsed.data;
}

/** Generates 117 random bits, without letters and digits that look alike. */
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
