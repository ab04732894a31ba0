import { accountHeader, accountParameter } from '@mailproof/shared-types';
import { enterSession } from './kept-in-browser.ts';

/** The user whose data this page shows, and the account that the data belongs to. */
export interface ShownUser {
  readonly userId: string;
  readonly accountId: string;
}

let shown: ShownUser | undefined;

/** Undefined until the page opens a screen that needs a session. */
export function shownUser(): ShownUser | undefined {
  return shown;
}

/** Binds this page to a user until it is loaded again. */
export function showUser(user: ShownUser): void {
  shown = user;
  enterSession(user.userId);
}

/** Leaves what the page showed, on a screen that shows no account's data. */
export function showNobody(): void {
  shown = undefined;
}

/** What a request says of the account that it is made for; the server refuses it where the cookie opens another one. */
export function accountHeaders(): Record<string, string> {
  return shown ? { [accountHeader]: shown.accountId } : {};
}

/** The address of a download or an event stream, which the browser requests without headers of ours. */
export function addressWithAccount(path: string, query: Readonly<Record<string, string>> = {}): string {
  const given = new URLSearchParams({ ...query, ...(shown && { [accountParameter]: shown.accountId }) });
  return `/app/v1${path}${given.size > 0 ? `?${given}` : ''}`;
}
