import { LogOut, Monitor, Moon, Settings2, Sun } from 'lucide-react';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import { IconButton } from '../design/button.tsx';
import { Menu, MenuItem } from '../design/menu.tsx';
import { announce } from '../design/toasts.tsx';
import { endedHere } from './session-changes.ts';
import { chooseTheme, chosenTheme, type Theme, themes } from './theme.ts';

const looks: Record<Theme, { readonly label: string; readonly icon: typeof Sun }> = {
  system: { label: 'Colours of the system', icon: Monitor },
  light: { label: 'Light colours', icon: Sun },
  dark: { label: 'Dark colours', icon: Moon },
};

/** Colours, and the way out. */
export function SessionMenu() {
  const [theme, setTheme] = useState(chosenTheme);
  function choose(next: Theme) {
    chooseTheme(next);
    setTheme(next);
  }
  async function signOut() {
    try {
      await api.DELETE('/session');
    } catch (error) {
      announce(`You are still signed in. ${asProblem(error).message}`);
      return;
    }
    endedHere();
  }
  return (
    <Menu
      trigger={
        <IconButton name="Settings">
          <Settings2 size={18} aria-hidden />
        </IconButton>
      }
    >
      {themes.map(each => {
        const { label, icon: Icon } = looks[each];
        return (
          <MenuItem key={each} onSelect={() => choose(each)}>
            <Icon size={16} aria-hidden />
            {label}
            {each === theme && ' ✓'}
          </MenuItem>
        );
      })}
      <MenuItem onSelect={signOut}>
        <LogOut size={16} aria-hidden />
        Sign out
      </MenuItem>
    </Menu>
  );
}
