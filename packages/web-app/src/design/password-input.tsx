import { limits } from '@mailproof/shared-types';
import { Eye, EyeOff } from 'lucide-react';
import { type InputHTMLAttributes, type Ref, useState } from 'react';
import { IconButton } from './button.tsx';
import { TextInput } from './field.tsx';
import styles from './password-input.module.css';

interface PasswordInputProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'maxLength'> {
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly ref?: Ref<HTMLInputElement>;
}

/**
 * A password, which can be looked at while it is typed. It has no `maxLength`: browsers cut off what is pasted without a
 * word, and nobody would know the password that was set.
 */
export function PasswordInput({ label, ...rest }: PasswordInputProps) {
  const [isSeen, setSeen] = useState(false);
  const Icon = isSeen ? EyeOff : Eye;
  return (
    <div className={styles.password}>
      <TextInput {...rest} label={label} type={isSeen ? 'text' : 'password'} spellCheck={false} />
      <IconButton
        name={isSeen ? 'Hide what is typed' : 'Show what is typed'}
        className={styles.eye}
        onClick={() => setSeen(!isSeen)}
      >
        <Icon size={18} aria-hidden />
      </IconButton>
    </div>
  );
}

/** Whose password it is, for programs that keep passwords; empty where only the link knows. */
export function PasswordOwner({ email = '' }: { readonly email?: string }) {
  return <input type="email" autoComplete="username" value={email} readOnly hidden />;
}

/** What is asked of a new password, in words. */
export const passwordHint = `${limits.passwordCharactersMin} characters or more. A few words that nobody would guess do well.`;
