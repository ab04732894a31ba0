import { TriangleAlert, X } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './chip.module.css';
import { classes } from './classes.ts';

/** Values that were chosen, side by side. */
export function Chips({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <ul className={styles.chips} aria-label={name}>
      {children}
    </ul>
  );
}

interface ChipProps {
  /** What the value is of, such as "Country". */
  readonly kind?: string;
  readonly label: string;
  /** Whether it is one that is not wanted. */
  readonly isLeftOut?: boolean;
  /** Why it cannot be taken. */
  readonly fault?: string | undefined;
  /** Takes it away again; without it the value is fixed. */
  readonly onRemove?: (() => void) | undefined;
}

/** One of them. */
export function Chip({ kind, label, isLeftOut, fault, onRemove }: ChipProps) {
  return (
    <li className={classes(styles.chip, isLeftOut && styles.leftOut, fault && styles.fault)} title={fault}>
      {fault && <TriangleAlert size={13} aria-label="Not known:" role="img" />}
      <span className={styles.text}>
        {kind && <span className={styles.kind}>{kind}: </span>}
        {isLeftOut && <em>not </em>}
        {label}
      </span>
      {onRemove && (
        <button
          type="button"
          aria-label={`Remove ${kind ? `${kind}: ` : ''}${isLeftOut ? 'not ' : ''}${label}`}
          onClick={onRemove}
        >
          <X size={14} aria-hidden />
        </button>
      )}
    </li>
  );
}
