import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { Dialog } from '../design/dialog.tsx';
import { findPages, searchesFor, searchTextMax } from './pages.ts';
import styles from './shortcuts.module.css';

interface CommandPaletteProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Goes to a page or starts an action by a part of its name, or searches for a text. */
export function CommandPalette({ open, onOpenChange }: CommandPaletteProps) {
  return (
    <Dialog title="Go to" open={open} onOpenChange={onOpenChange}>
      <Entries onGone={() => onOpenChange(false)} />
    </Dialog>
  );
}

/** A combobox with its list, as the ARIA practices describe: the focus stays in the text field. */
function Entries({ onGone }: { readonly onGone: () => void }) {
  const navigate = useNavigate();
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const found = findPages(text);
  const entries = [...found, ...searchesFor(text)];
  function move(to: number) {
    const next = (to + entries.length) % Math.max(1, entries.length);
    setActive(next);
    list.current?.children[next]?.scrollIntoView({ block: 'nearest' });
  }
  function go(at: number) {
    const entry = entries[at];
    if (!entry) return;
    onGone();
    void navigate(entry.open);
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    switch (event.key) {
      case 'ArrowDown':
        move(active + 1);
        break;
      case 'ArrowUp':
        move(active - 1);
        break;
      case 'Enter':
        go(active);
        break;
      default:
        return;
    }
    event.preventDefault();
  }
  return (
    <>
      <input
        type="text"
        role="combobox"
        className={styles.entry}
        aria-label="Page, action or text to search for"
        maxLength={searchTextMax}
        aria-expanded="true"
        aria-controls={`${id}-entries`}
        aria-autocomplete="list"
        aria-activedescendant={entries[active] && `${id}-${active}`}
        autoComplete="off"
        spellCheck={false}
        placeholder="A page, an action, or a text to search for"
        value={text}
        onChange={event => {
          setText(event.target.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div
        ref={list}
        id={`${id}-entries`}
        role="listbox"
        aria-label="Pages, actions and searches"
        className={styles.pages}
      >
        {entries.map(({ label, key }, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled by the text field, which has the focus.
          <div
            key={label}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === active}
            tabIndex={-1}
            onClick={() => go(at)}
            onPointerMove={() => setActive(at)}
          >
            <span>{label}</span>
            {key && (
              <span className={styles.keys} aria-hidden>
                <kbd>G</kbd>
                <kbd>{key.toUpperCase()}</kbd>
              </span>
            )}
          </div>
        ))}
      </div>
      <p className={styles.small} role="status">
        {found.length === 0 && 'No page or action has such a name.'}
      </p>
    </>
  );
}
