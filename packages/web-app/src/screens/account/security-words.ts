import type { Schema } from '../../api/client.ts';

export type SecurityEvent = Schema['SecurityEvent'];

type Looks = Readonly<Record<SecurityEvent['kind'], { readonly words: string; readonly isCaution?: true }>>;

/** The display name of each event; `isCaution` marks events that deserve an owner's attention. */
const looks: Looks = {
  account_created: { words: 'Account created' },
  sign_in: { words: 'Signed in' },
  sign_in_failed: { words: 'Wrong password', isCaution: true },
  signing_in_locked: { words: 'Sign-in locked after wrong passwords', isCaution: true },
  sign_out: { words: 'Signed out' },
  session_ended: { words: 'Session ended remotely' },
  signed_out_everywhere: { words: 'Signed out everywhere' },
  password_changed: { words: 'Password changed' },
  password_reset_asked: { words: 'Password reset requested' },
  email_change_asked: { words: 'Email change requested' },
  email_changed: { words: 'Email address changed' },
  member_invited: { words: 'Member invited' },
  invitation_withdrawn: { words: 'Invitation withdrawn' },
  member_added: { words: 'Member joined' },
  member_removed: { words: 'Member removed' },
  member_role_changed: { words: 'Role changed' },
  api_key_generated: { words: 'API key generated' },
  api_key_regenerated: { words: 'API key regenerated', isCaution: true },
  api_key_revoked: { words: 'API key revoked', isCaution: true },
  api_key_shown: { words: 'API key viewed' },
  plan_changed: { words: 'Plan changed' },
  account_exported: { words: 'Account exported', isCaution: true },
  assistant_sign_in: { words: 'Signed in for an assistant' },
  assistant_connected: { words: 'Assistant connected' },
  assistant_disconnected: { words: 'Assistant disconnected' },
};

export const lookOf = ({ kind }: Pick<SecurityEvent, 'kind'>) => looks[kind];

/** Hides ids, which mean nothing to users; the acting user is shown separately. */
const isForPeople = ([name]: readonly [string, unknown]): boolean => !name.endsWith('_id');

/** Formats the details of an event for display: `plan: growth, from: starter`. */
export function detailWords({ details }: Pick<SecurityEvent, 'details'>): string {
  return Object.entries(details)
    .filter(isForPeople)
    .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${String(value).replaceAll('_', ' ')}`)
    .join(', ');
}

/** The name of the acting user: `You`, an email address, or a description of a former member. */
export function actorName(
  userId: string | null,
  mine: string,
  members: readonly Pick<Schema['Member'], 'user_id' | 'email'>[],
): string {
  if (userId === null) return 'Operator';
  if (userId === mine) return 'You';
  return members.find(({ user_id }) => user_id === userId)?.email ?? 'Former member';
}
