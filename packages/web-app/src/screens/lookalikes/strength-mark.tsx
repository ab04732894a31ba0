import styles from './lookalikes.module.css';
import { outOfHundred, strengthWords } from './strength.ts';

/** How alike a company is: a number out of a hundred, a bar, and a word. */
export function StrengthMark({ strength }: { readonly strength: number }) {
  const number = outOfHundred(strength);
  return (
    <div className={styles.strength}>
      <span className={styles.strengthNumber}>
        <strong>{number}</strong>
        <span className="visually-hidden"> out of 100, </span>
        <span className={styles.strengthWord}>{strengthWords(strength)}</span>
      </span>
      <ShareBar share={strength} />
    </div>
  );
}

/** A share as the length of a bar; what stands beside it says the same. */
export function ShareBar({ share }: { readonly share: number }) {
  return (
    <span className={styles.bar} aria-hidden>
      <span style={{ width: `${Math.round(share * 100)}%` }} />
    </span>
  );
}
