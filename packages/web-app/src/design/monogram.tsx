import { monogramOf } from './format.ts';
import styles from './monogram.module.css';

/** A logo made of letters, for a company; decoration next to its name. */
export function Monogram({ name }: { readonly name: string }) {
  const { letters, tint } = monogramOf(name);
  return (
    <span className={styles.monogram} data-tint={tint} aria-hidden>
      {letters}
    </span>
  );
}
