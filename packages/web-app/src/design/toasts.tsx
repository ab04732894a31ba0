import { X } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { IconButton } from './button.tsx';
import styles from './toasts.module.css';

interface Toast {
  readonly id: number;
  readonly sentence: string;
}

const shownMs = 8_000;
const toastsMax = 3;

let toasts: readonly Toast[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function change(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) listener();
}

function dismiss(id: number): void {
  change(toasts.filter(toast => toast.id !== id));
}

/** Shows a toast; screen readers read it politely, without interrupting. */
export function announce(sentence: string): void {
  const id = ++lastId;
  change([...toasts.slice(1 - toastsMax), { id, sentence }]);
  setTimeout(() => dismiss(id), shownMs);
}

/** The container of the toasts; the application has exactly one. */
export function Toasts() {
  const shown = useSyncExternalStore(
    listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );
  return (
    <div className={styles.toasts} role="status" aria-live="polite">
      {shown.map(({ id, sentence }) => (
        <div key={id} className={styles.toast}>
          <span>{sentence}</span>
          <IconButton name="Dismiss" onClick={() => dismiss(id)}>
            <X size={16} aria-hidden />
          </IconButton>
        </div>
      ))}
    </div>
  );
}
