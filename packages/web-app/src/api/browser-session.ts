import { type AccountId, accountHeader, accountParameter, sandboxAccountOf } from '@mailproof/shared-types';
import type { ProblemError } from './problem.ts';

/** The user whose data this page shows, and the account that the data belongs to. */
interface ShownUser {
  readonly userId: string;
  readonly accountId: string;
}

let shown: ShownUser | undefined;

/** Undefined until the page opens a screen that needs a session. */
export function shownUser(): ShownUser | undefined {
  return shown;
}

/** Binds this page to a user until the page is reloaded. */
export function showUser(user: ShownUser): void {
  shown = user;
  enterSession(user.userId);
}

/** Unbinds this page from its user, on a screen that shows no account data. */
export function clearShownUser(): void {
  shown = undefined;
}

/**
 * The header that names the account of a request; the server refuses the request if the session belongs to another
 * account.
 */
export function accountHeaders(): Record<string, string> {
  return shown ? { [accountHeader]: shown.accountId } : {};
}

/** The same header for what the account's test keys have created. */
export function sandboxHeaders(): Partial<Record<typeof accountHeader, string>> {
  return shown ? { [accountHeader]: sandboxAccountOf(shown.accountId as AccountId) } : {};
}

/** Returns the URL of a download or an event stream, which the browser requests without our headers. */
export function addressWithAccount(path: string, query: Readonly<Record<string, string>> = {}): string {
  const given = new URLSearchParams({ ...query, ...(shown && { [accountParameter]: shown.accountId }) });
  return `/app/v1${path}${given.size > 0 ? `?${given}` : ''}`;
}

/** The refusals that concern the session: it has ended, or it belongs to another account than the page shows. */
type SessionRefusal = Extract<ProblemError['code'], 'not_signed_in' | 'other_account'>;

type Listener = (refusal: SessionRefusal) => void;

let listener: Listener | undefined;

/** Registers the one listener of the application. */
export function onSessionRefusal(tell: Listener): void {
  listener = tell;
}

/** Reports a refusal to the listener if it concerns the session. A wrong password has a different code. */
export function noteRefusal({ code }: ProblemError): void {
  if (code === 'not_signed_in' || code === 'other_account') listener?.(code);
}

/**
 * Everything that the application stores in the browser outside the page itself. The session is a cookie that scripts
 * cannot read. The application stores nothing in IndexedDB or the Cache API, and the HTTP cache contains only files of
 * the application.
 */
export const keptInBrowser = {
  /** The chosen theme, in `localStorage`. It belongs to the browser and is kept when a session ends. */
  theme: 'mailproof-theme',
  /** Whether single keys are off, in `localStorage`; kept as the theme is. */
  singleKeysOff: 'mailproof-single-keys-off',
  /** Whether the first steps on Home are hidden, in `localStorage`; kept as the theme is. */
  firstStepsHidden: 'mailproof-first-steps-hidden',
  /** The user to whom the rest of `sessionStorage` belongs. */
  user: 'mailproof-user',
  /** Filters that are too long for a URL, in `sessionStorage`. */
  triedFilters: 'mailproof-tried-filters',
  /** The recent checks of single addresses, in `sessionStorage`: the server does not store them. */
  recentChecks: 'mailproof-recent-checks',
  // The router also stores the scroll positions of visited screens in `sessionStorage`.
} as const;

/** What belongs to the browser, not to a session. */
const keptForever: readonly string[] = [
  keptInBrowser.theme,
  keptInBrowser.singleKeysOff,
  keptInBrowser.firstStepsHidden,
];

/** Deletes what the browser stores about a session. */
export function forgetSession(): void {
  sessionStorage.clear();
  for (const key of Object.keys(localStorage)) {
    if (!keptForever.includes(key)) localStorage.removeItem(key);
  }
}

/**
 * Deletes what the tab stores about another user. Browsers restore `sessionStorage` with a restored tab and copy it to
 * a duplicated tab, so a tab can contain data that its own page did not write.
 */
function enterSession(userId: string): void {
  if (sessionStorage.getItem(keptInBrowser.user) === userId) return;
  forgetSession();
  sessionStorage.setItem(keptInBrowser.user, userId);
}
