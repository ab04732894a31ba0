import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { keptInBrowser } from '../api/browser-session.ts';
import { Dialog } from '../design/dialog.tsx';
import { Checkbox } from '../design/field.tsx';
import { areas } from './pages.ts';
import styles from './shortcuts.module.css';

/** How long the second key of a shortcut is awaited. */
const sequenceMs = 1_500;

/** Users of speech input turn single keys off, because words would press them (WCAG 2.1.4). */
function hasSingleKeys(): boolean {
  return localStorage.getItem(keptInBrowser.singleKeysOff) === null;
}

interface ShortcutActions {
  readonly openPalette: () => void;
  readonly openShortcuts: () => void;
}

/** Listens to the shortcuts on every screen, but not while a dialog or a menu is open. */
export function useShortcuts({ openPalette, openShortcuts }: ShortcutActions): void {
  const navigate = useNavigate();
  useEffect(() => {
    let goUntilMs = 0;
    function onKeyDown(event: KeyboardEvent) {
      const { key, ctrlKey, metaKey, altKey, shiftKey, timeStamp } = event;
      if (event.defaultPrevented || event.isComposing || event.repeat || altKey || isLayered()) return;
      if (ctrlKey || metaKey) {
        if (key.toLowerCase() !== 'k' || shiftKey) return;
        event.preventDefault();
        openPalette();
      } else if (hasSingleKeys() && !isTyping(event.target)) {
        const area = timeStamp < goUntilMs ? areas.find(each => each.key === key.toLowerCase()) : undefined;
        goUntilMs = !area && key.toLowerCase() === 'g' ? timeStamp + sequenceMs : 0;
        if (!area && key !== '?') return;
        event.preventDefault();
        if (area) void navigate({ to: area.to });
        else openShortcuts();
      }
    }
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [navigate, openPalette, openShortcuts]);
}

function isLayered(): boolean {
  return document.querySelector('[role="dialog"], [role="menu"]') !== null;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;
}

/** `⌘` on Apple's systems, whose keyboards have no Control key for this. */
export const commandKey = /mac|iphone|ipad/i.test(navigator.userAgent) ? '⌘' : 'Ctrl';

const general: readonly (readonly [action: string, keys: readonly string[]])[] = [
  ['Go to a page, start an action, or search', [commandKey, 'K']],
  ['Show these shortcuts', ['?']],
  ['Close a dialog or a menu', ['Esc']],
];

interface ShortcutsDialogProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Lists the shortcuts, and turns single keys off. */
export function ShortcutsDialog({ open, onOpenChange }: ShortcutsDialogProps) {
  const [isOn, setOn] = useState(hasSingleKeys);
  function choose(on: boolean) {
    if (on) localStorage.removeItem(keptInBrowser.singleKeysOff);
    else localStorage.setItem(keptInBrowser.singleKeysOff, 'true');
    setOn(on);
  }
  return (
    <Dialog title="Keyboard shortcuts" open={open} onOpenChange={onOpenChange}>
      <Checkbox
        label="Use single keys"
        hint={`Turn them off if speech input presses them by accident. ${commandKey} K always works.`}
        checked={isOn}
        onChange={event => choose(event.target.checked)}
      />
      <dl className={styles.shortcuts}>
        {[
          ...general,
          ...areas.map(({ label, key }) => [`Go to: ${label}`, ['G', key.toUpperCase()]] as const),
        ].map(([action, keys]) => (
          <div key={action}>
            <dt>{action}</dt>
            <dd>
              {keys.map(key => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
