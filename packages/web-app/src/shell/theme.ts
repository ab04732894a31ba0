import { keptInBrowser } from '../api/kept-in-browser.ts';

const systemIsDark = matchMedia('(prefers-color-scheme: dark)');

export type Theme = 'system' | 'light' | 'dark';

export const themes = ['system', 'light', 'dark'] as const satisfies readonly Theme[];

/** The theme that was chosen on this device. */
export function chosenTheme(): Theme {
  const kept = localStorage.getItem(keptInBrowser.theme);
  return themes.find(theme => theme === kept) ?? 'system';
}

/** Shows the application in the theme, and keeps it for the next visit on this device. */
export function chooseTheme(theme: Theme): void {
  localStorage.setItem(keptInBrowser.theme, theme);
  applyTheme();
}

/** Shows the application in the theme that was chosen before, and follows the system's where none was. */
export function followTheme(): void {
  systemIsDark.addEventListener('change', applyTheme);
  applyTheme();
}

function applyTheme(): void {
  const theme = chosenTheme();
  const isDark = theme === 'system' ? systemIsDark.matches : theme === 'dark';
  document.documentElement.dataset['theme'] = isDark ? 'dark' : 'light';
}
