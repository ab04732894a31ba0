import { keptInBrowser } from '../api/browser-session.ts';

const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

export type Theme = 'system' | 'light' | 'dark';

export const themes = ['system', 'light', 'dark'] as const satisfies readonly Theme[];

/** Returns the theme chosen on this device. */
export function chosenTheme(): Theme {
  const kept = localStorage.getItem(keptInBrowser.theme);
  return themes.find(theme => theme === kept) ?? 'system';
}

/** Applies the theme, and stores it for the next visit on this device. */
export function chooseTheme(theme: Theme): void {
  localStorage.setItem(keptInBrowser.theme, theme);
  applyTheme();
}

/** Applies the previously chosen theme; without one, follows the system's theme. */
export function followTheme(): void {
  systemIsDark.addEventListener('change', applyTheme);
  applyTheme();
}

function applyTheme(): void {
  const theme = chosenTheme();
  const isDark = theme === 'system' ? systemIsDark.matches : theme === 'dark';
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
}
