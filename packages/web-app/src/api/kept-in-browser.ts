/**
 * Everything that the application keeps in the browser beyond the page itself. The session is a cookie that scripts cannot
 * read. Nothing is kept in IndexedDB or the Cache API, and the HTTP cache holds files of the application alone.
 */
export const keptInBrowser = {
  /** The chosen colors, in `localStorage`. They belong to the browser and stay when a session ends. */
  theme: 'mailproof-theme',
  /** The user that the rest of `sessionStorage` belongs to. */
  user: 'mailproof-user',
  /** Filters that are too long for an address, in `sessionStorage`. */
  triedFilters: 'mailproof-tried-filters',
  // The router keeps the scroll positions of visited screens in `sessionStorage` too.
} as const;

/** Deletes what the browser keeps of a session. */
export function forgetSession(): void {
  sessionStorage.clear();
  for (const key of Object.keys(localStorage)) {
    if (key !== keptInBrowser.theme) localStorage.removeItem(key);
  }
}

/**
 * Deletes what the tab keeps of another user. A browser brings `sessionStorage` back with a tab that it restores, and copies
 * it into a duplicate, so a tab can hold more than its own page has written.
 */
export function enterSession(userId: string): void {
  if (sessionStorage.getItem(keptInBrowser.user) === userId) return;
  forgetSession();
  sessionStorage.setItem(keptInBrowser.user, userId);
}
