import type { Schema } from '../../api/client.ts';

export type SecurityEvent = Schema['SecurityEvent'];

type Looks = Readonly<Record<SecurityEvent['kind'], { readonly words: string; readonly isCaution?: true }>>;

/** What happened, in a few words; what an owner should look at twice is marked. */
const looks: Looks = {
  account_created: { words: 'Account made' },
  sign_in: { words: 'Signed in' },
  sign_in_failed: { words: 'Wrong password', isCaution: true },
  signing_in_locked: { words: 'Signing in held up after wrong passwords', isCaution: true },
  sign_out: { words: 'Signed out' },
  session_ended: { words: 'Session ended from elsewhere' },
  signed_out_everywhere: { words: 'Signed out everywhere' },
  password_changed: { words: 'Password changed' },
  password_reset_asked: { words: 'New password asked for' },
  email_change_asked: { words: 'Other email address asked for' },
  email_changed: { words: 'Email address changed' },
  member_invited: { words: 'Member invited' },
  invitation_withdrawn: { words: 'Invitation withdrawn' },
  member_added: { words: 'Member joined' },
  member_removed: { words: 'Member removed' },
  member_role_changed: { words: 'Role changed' },
  api_key_generated: { words: 'API key made' },
  api_key_regenerated: { words: 'API key regenerated', isCaution: true },
  api_key_revoked: { words: 'API key revoked', isCaution: true },
  api_key_shown: { words: 'API key shown' },
  plan_changed: { words: 'Plan changed' },
  account_exported: { words: 'Account exported', isCaution: true },
  assistant_sign_in: { words: 'Signed in for an assistant' },
  assistant_connected: { words: 'Assistant connected' },
  assistant_disconnected: { words: 'Assistant disconnected' },
};

export const lookOf = ({ kind }: Pick<SecurityEvent, 'kind'>) => looks[kind];

/** Ids mean nothing to people; whose they are is said apart. */
const isForPeople = ([name]: readonly [string, unknown]): boolean => !name.endsWith('_id');

/** The facts of an event as people read them: `plan: growth, from: starter`. */
export function detailWords({ details }: Pick<SecurityEvent, 'details'>): string {
  return Object.entries(details)
    .filter(isForPeople)
    .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${String(value).replaceAll('_', ' ')}`)
    .join(', ');
}

/** Who it was: `You`, an address, or what can be said of somebody who is not here any more. */
export function whoWords(
  userId: string | null,
  mine: string,
  members: readonly Pick<Schema['Member'], 'user_id' | 'email'>[],
): string {
  if (userId === null) return 'The operator';
  if (userId === mine) return 'You';
  return members.find(({ user_id }) => user_id === userId)?.email ?? 'Somebody who has left';
}
