import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useId, useRef, useState } from 'react';
import { Dialog } from '../design/dialog.tsx';
import { findPages } from './pages.ts';
import styles from './shortcuts.module.css';

interface CommandPaletteProps {
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Goes to a page by typing a part of its name. */
export function CommandPalette({ open, onOpenChange }: CommandPaletteProps) {
  return (
    <Dialog title="Go to" open={open} onOpenChange={onOpenChange}>
      <Pages onGone={() => onOpenChange(false)} />
    </Dialog>
  );
}

/** A combobox with its list, as the ARIA practices describe: the focus stays in the text field. */
function Pages({ onGone }: { readonly onGone: () => void }) {
  const navigate = useNavigate();
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const pages = findPages(text);
  function move(to: number) {
    const next = (to + pages.length) % Math.max(1, pages.length);
    setActive(next);
    list.current?.children[next]?.scrollIntoView({ block: 'nearest' });
  }
  function go(at: number) {
    const page = pages[at];
    if (!page) return;
    onGone();
    void navigate({ to: page.to });
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
        aria-label="Page"
        aria-expanded="true"
        aria-controls={`${id}-pages`}
        aria-autocomplete="list"
        aria-activedescendant={pages[active] && `${id}-${active}`}
        autoComplete="off"
        spellCheck={false}
        placeholder="Type a part of its name"
        value={text}
        onChange={event => {
          setText(event.target.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id={`${id}-pages`} role="listbox" aria-label="Pages" className={styles.pages}>
        {pages.map(({ to, label, key }, at) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled by the text field, which has the focus.
          <div
            key={to}
            id={`${id}-${at}`}
            role="option"
            aria-selected={at === active}
            tabIndex={-1}
            onClick={() => go(at)}
            onPointerMove={() => setActive(at)}
          >
            {label}
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
        {pages.length === 0 && 'No page has such a name.'}
      </p>
    </>
  );
}
