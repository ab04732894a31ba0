import { type AssistantId, type AssistantRefusal, limits, newId } from '@mailproof/shared-types';
import type {
  AssistantStore,
  Consent,
  Gateway,
  LockOut,
  SignedInUser,
  SignInClient,
} from './assistant-store.ts';

/** The outcome when a user types a password to connect an assistant. */
export type SignInOutcome =
  /** `device` is the value for the browser's device cookie. */
  | { readonly kind: 'signed_in'; readonly user: SignedInUser; readonly device: string }
  /** The address or the password is wrong; we do not say which. */
  | { readonly kind: 'wrong' }
  | ({ readonly kind: 'locked' } & LockOut)
  /** The password is correct, but the account cannot have assistants at present. */
  | { readonly kind: 'refused'; readonly reason: AssistantRefusal; readonly device: string };

/** Longest address that is looked up, in characters. */
const emailCharactersMax = 320;

/** Authenticates the user and checks whether assistants may work for them. Throws when the gateway is unavailable. */
export async function signInForConsent(
  gateway: Pick<Gateway, 'checkPassword' | 'assistantAccess'>,
  { email, password }: { readonly email: string; readonly password: string },
  client: SignInClient & { readonly device: string | undefined },
): Promise<SignInOutcome> {
  const isPossible =
    email !== '' &&
    email.length <= emailCharactersMax &&
    password !== '' &&
    password.length <= limits.passwordCharactersMax;
  const check = isPossible
    ? await gateway.checkPassword({ email, password, ...client })
    : ({ kind: 'refused' } as const);
  if (check.kind === 'refused') {
    return { kind: 'wrong' };
  }
  if (check.kind === 'locked') {
    return check;
  }
  const { kind: _accepted, device, ...user } = check;
  const access = await gateway.assistantAccess(user);
  return access.kind === 'refused'
    ? { kind: 'refused', reason: access.reason, device }
    : { kind: 'signed_in', user, device };
}

/** The outcome when a user allows an assistant. */
export type ConsentOutcome =
  | { readonly kind: 'connected'; readonly assistantId: AssistantId }
  | { readonly kind: 'refused'; readonly reason: AssistantRefusal }
  /** The sign-in is no longer valid, for example because the password was changed. */
  | { readonly kind: 'sign_in_over' };

export interface ConsentPorts {
  readonly gateway: Pick<Gateway, 'assistantAccess' | 'recordConnected'>;
  readonly assistants: Pick<AssistantStore, 'connect'>;
}

/** Connects an assistant. Throws when the gateway or the store is unavailable. */
export async function giveConsent(
  { gateway, assistants }: ConsentPorts,
  consent: Consent,
  { signInId, client, now }: { readonly signInId: string; readonly client: SignInClient; readonly now: Date },
): Promise<ConsentOutcome> {
  // The plan may have lapsed, or the user may have been removed, while the page was open.
  const access = await gateway.assistantAccess(consent.user);
  if (access.kind === 'refused') {
    return { kind: 'refused', reason: access.reason };
  }
  const assistantId = newId('assistant', now.getTime());
  // Recorded before the grant, so that no assistant is connected without an entry in the account's security log.
  const recorded = await gateway.recordConnected({ ...consent.user, signInId, assistantId, ...client });
  if (!recorded) {
    return { kind: 'sign_in_over' };
  }
  await assistants.connect(consent, assistantId, recorded.connectedAt);
  return { kind: 'connected', assistantId };
}
