import { type AccountId, type AssistantId, limits, type UserId } from '@mailproof/shared-types';
import type { Client } from '../accounts/signed-in.ts';
import type { LockOut, PasswordCheck } from '../users/check-password.ts';
import { deviceToKeep, knownDevice } from '../users/known-device.ts';
import type { User } from '../users/user.ts';

/** The id of a sign-in at the tool server: its number in the security log. */
export type AssistantSignInId = string;

/** Records sign-ins at the tool server and the assistants that they connect. */
export interface AssistantSignInStore {
  /** Records a sign-in. Returns undefined if the user is gone or their password has since changed. */
  begin(signIn: {
    user: User;
    /** The hash that the password matched. */
    passwordHash: string;
    client: Client;
    now: Date;
  }): Promise<{ readonly signInId: AssistantSignInId; readonly accountName: string } | undefined>;
  /**
   * Records that an assistant is being connected, and returns the time. Returns undefined if the sign-in is not this
   * user's, is older than `since`, or was followed by an event that ends the user's assistants.
   */
  connect(
    connection: AssistantConnection & { readonly since: Date; readonly now: Date },
  ): Promise<Date | undefined>;
}

/** An assistant that a user is about to connect. */
export interface AssistantConnection {
  readonly accountId: AccountId;
  readonly userId: UserId;
  readonly assistantId: AssistantId;
  readonly signInId: AssistantSignInId;
  readonly client: Client;
}

export interface AssistantSignInPorts {
  readonly checkPassword: PasswordCheck;
  readonly signIns: AssistantSignInStore;
  readonly deviceKey: Buffer;
  readonly now: () => Date;
}

export type AssistantSignInOutcome =
  | {
      readonly kind: 'accepted';
      readonly accountId: AccountId;
      readonly userId: UserId;
      readonly signInId: AssistantSignInId;
      readonly accountName: string;
      readonly email: string;
      /** The value for the browser's device cookie. */
      readonly device: string;
    }
  | { readonly kind: 'refused' }
  | ({ readonly kind: 'locked' } & LockOut);

/** A browser at the tool server's sign-in page. */
export interface AssistantVisitor {
  readonly client: Client;
  readonly requestId: string;
  /** The value of the browser's device cookie from an earlier sign-in there. */
  readonly device?: string | undefined;
}

/** Signs in at the tool server; checks the password and counts wrong ones exactly as the application does. */
export async function signInForAssistant(
  { checkPassword, signIns, deviceKey, now }: AssistantSignInPorts,
  credentials: { readonly email: string; readonly password: string },
  { client, requestId, device }: AssistantVisitor,
): Promise<AssistantSignInOutcome> {
  const verdict = await checkPassword({
    ...credentials,
    client,
    knownDevice: knownDevice(deviceKey, device, credentials.email),
    requestId,
    now: now(),
  });
  if (verdict.kind !== 'accepted') {
    return verdict;
  }
  const { user, passwordHash } = verdict;
  const opened = await signIns.begin({ user, passwordHash, client, now: now() });
  if (!opened) {
    return { kind: 'refused' };
  }
  const { accountId, userId, email } = user;
  return {
    kind: 'accepted',
    accountId,
    userId,
    email,
    device: deviceToKeep(deviceKey, device, email),
    ...opened,
  };
}

/** Records that an assistant is being connected, and returns the time; undefined if the user must sign in again. */
export function connectAssistant(
  { signIns, now }: Pick<AssistantSignInPorts, 'signIns' | 'now'>,
  connection: AssistantConnection,
): Promise<Date | undefined> {
  const at = now();
  return signIns.connect({
    ...connection,
    since: new Date(at.getTime() - limits.assistantSignInMsMax),
    now: at,
  });
}
