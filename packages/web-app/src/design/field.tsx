import { limits } from '@mailproof/shared-types';
import { Eye, EyeOff } from 'lucide-react';
import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
  useState,
} from 'react';
import { IconButton } from './button.tsx';
import styles from './field.module.css';
import { classes } from './looks.ts';

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** What is wrong with the input. */
  readonly error?: string | undefined;
}

type TextInputProps = FieldProps & InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement> };

/** A labeled single-line text field. */
export function TextInput({ label, hint, error, className, ...rest }: TextInputProps) {
  return (
    <Labeled {...{ label, hint, error }}>
      {given => <input {...rest} {...given} className={classes(styles.control, className)} />}
    </Labeled>
  );
}

type TextAreaProps = FieldProps &
  TextareaHTMLAttributes<HTMLTextAreaElement> & { ref?: Ref<HTMLTextAreaElement> };

/** A labeled multi-line text field. */
export function TextArea({ label, hint, error, className, ...rest }: TextAreaProps) {
  return (
    <Labeled {...{ label, hint, error }}>
      {given => <textarea {...rest} {...given} className={classes(styles.control, className)} />}
    </Labeled>
  );
}

type SelectProps = FieldProps & SelectHTMLAttributes<HTMLSelectElement> & { ref?: Ref<HTMLSelectElement> };

/** The browser's select element, which works with every keyboard, screen reader and phone. */
export function Select({ label, hint, error, className, children, ...rest }: SelectProps) {
  return (
    <Labeled {...{ label, hint, error }}>
      {given => (
        <select {...rest} {...given} className={classes(styles.control, className)}>
          {children}
        </select>
      )}
    </Labeled>
  );
}

type TickProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'type'> & {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly ref?: Ref<HTMLInputElement>;
};

/** A labeled checkbox. */
export function Checkbox(props: TickProps) {
  return <Tick {...props} type="checkbox" />;
}

/** A checkbox or radio button with its label next to it. */
function Tick({ label, hint, ...rest }: TickProps & { readonly type: 'checkbox' | 'radio' }) {
  const id = useId();
  return (
    <div className={styles.tick}>
      <input {...rest} id={id} aria-describedby={hint ? `${id}-hint` : undefined} />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint && (
          <div id={`${id}-hint`} className={styles.hint}>
            {hint}
          </div>
        )}
      </div>
    </div>
  );
}

interface Given {
  readonly id: string;
  readonly 'aria-invalid': boolean | undefined;
  readonly 'aria-describedby': string | undefined;
}

function Labeled({ label, hint, error, children }: FieldProps & { children: (given: Given) => ReactNode }) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      {children({
        id,
        'aria-invalid': error ? true : undefined,
        'aria-describedby': described || undefined,
      })}
      {hint && (
        <div id={`${id}-hint`} className={styles.hint}>
          {hint}
        </div>
      )}
      {error && (
        <div id={`${id}-error`} className={styles.error}>
          {error}
        </div>
      )}
    </div>
  );
}

interface RadioGroupProps<Value extends string> {
  readonly label: string;
  readonly choices: readonly {
    readonly value: Value;
    readonly label: ReactNode;
    readonly hint?: ReactNode;
    readonly disabled?: boolean;
  }[];
  readonly value: Value;
  readonly onChange: (value: Value) => void;
}

/** A choice of one among a few options, all visible at once. */
export function RadioGroup<Value extends string>({
  label,
  choices,
  value: chosen,
  onChange,
}: RadioGroupProps<Value>) {
  const name = useId();
  return (
    <fieldset className={styles.group}>
      <legend>{label}</legend>
      {choices.map(({ value, ...choice }) => (
        <Tick
          key={value}
          {...choice}
          type="radio"
          name={name}
          checked={value === chosen}
          onChange={() => onChange(value)}
        />
      ))}
    </fieldset>
  );
}

interface CheckboxGroupProps<Value extends string> {
  readonly label: string;
  readonly choices: readonly {
    readonly value: Value;
    readonly label: ReactNode;
    readonly hint?: ReactNode;
  }[];
  readonly values: readonly Value[];
  readonly onChange: (values: readonly Value[]) => void;
}

/** A choice of several among a few options, all visible at once. */
export function CheckboxGroup<Value extends string>({
  label,
  choices,
  values,
  onChange,
}: CheckboxGroupProps<Value>) {
  return (
    <fieldset className={styles.group}>
      <legend>{label}</legend>
      {choices.map(({ value, ...choice }) => (
        <Checkbox
          key={value}
          {...choice}
          checked={values.includes(value)}
          onChange={({ target }) =>
            onChange(target.checked ? [...values, value] : values.filter(each => each !== value))
          }
        />
      ))}
    </fieldset>
  );
}

interface PasswordInputProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'type' | 'maxLength'> {
  readonly label: string;
  readonly hint?: string;
  readonly error?: string | undefined;
  readonly ref?: Ref<HTMLInputElement>;
}

/**
 * A password field that can show the password. It has no `maxLength`: browsers truncate pasted text silently, and the
 * user would not know the password that was set.
 */
export function PasswordInput({ label, ...rest }: PasswordInputProps) {
  const [isSeen, setSeen] = useState(false);
  const Icon = isSeen ? EyeOff : Eye;
  return (
    <div className={styles.password}>
      <TextInput {...rest} label={label} type={isSeen ? 'text' : 'password'} spellCheck={false} />
      <IconButton
        name={isSeen ? 'Hide password' : 'Show password'}
        className={styles.eye}
        onClick={() => setSeen(!isSeen)}
      >
        <Icon size={18} aria-hidden />
      </IconButton>
    </div>
  );
}

/** The hidden user name field for password managers; empty if only the link identifies the user. */
export function PasswordOwner({ email = '' }: { readonly email?: string }) {
  return <input type="email" autoComplete="username" value={email} readOnly hidden />;
}

/** The requirements for a new password. */
export const passwordHint = `At least ${limits.passwordCharactersMin} characters. A few unrelated words work well.`;
