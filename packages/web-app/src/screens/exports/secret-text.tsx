import { CopyButton } from '../../design/copy-button.tsx';
import styles from './exports.module.css';

/** A secret that is shown once, to be taken along. */
export function SecretText({ secret }: { readonly secret: string }) {
  return (
    <span className={styles.secret}>
      <code>{secret}</code>
      <CopyButton text={secret} what="The secret" />
    </span>
  );
}
