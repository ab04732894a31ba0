import type { ReactNode } from 'react';
import styles from './row-button.module.css';

interface RowButtonProps {
  readonly onClick: () => void;
  readonly children: ReactNode;
}

/** The name of a row, which opens what is known of it. */
export function RowButton({ onClick, children }: RowButtonProps) {
  return (
    <button type="button" className={styles.rowButton} onClick={onClick} aria-haspopup="dialog">
      {children}
    </button>
  );
}
