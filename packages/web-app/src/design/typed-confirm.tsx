import { type ReactNode, useState } from 'react';
import { Confirm } from './dialog.tsx';
import { TextInput } from './field.tsx';
import styles from './typed-confirm.module.css';

interface TypedConfirmProps {
  readonly title: string;
  readonly lead: ReactNode;
  /** The word on the button. */
  readonly verb: string;
  /** What has to be typed, such as the account's name, and how it is called. */
  readonly wanted: string;
  readonly wantedName: string;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  /** Does it; says why where it has not been done. */
  readonly onConfirm: () => Promise<unknown>;
  /** Further fields. */
  readonly children?: ReactNode;
}

/** Asks before something is done that cannot be taken back: a name has to be typed, so that nobody does it in passing. */
export function TypedConfirm({ wanted, wantedName, onOpenChange, children, ...rest }: TypedConfirmProps) {
  const [typed, setTyped] = useState('');
  function change(open: boolean) {
    setTyped('');
    onOpenChange(open);
  }
  return (
    <Confirm {...rest} isDanger disabled={typed !== wanted} onOpenChange={change}>
      <p className={styles.wanted}>
        To go on, type {wantedName}: <strong>{wanted}</strong>
      </p>
      <TextInput
        label={wantedName.charAt(0).toUpperCase() + wantedName.slice(1)}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={event => setTyped(event.target.value)}
      />
      {children}
    </Confirm>
  );
}
