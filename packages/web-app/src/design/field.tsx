import {
  type InputHTMLAttributes,
  type ReactNode,
  type Ref,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId,
} from 'react';
import { classes } from './classes.ts';
import styles from './field.module.css';

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  /** What is wrong with what was entered. */
  readonly error?: string | undefined;
}

type TextInputProps = FieldProps & InputHTMLAttributes<HTMLInputElement> & { ref?: Ref<HTMLInputElement> };

/** A line of text with its label. */
export function TextInput({ label, hint, error, className, ...rest }: TextInputProps) {
  return (
    <Labelled {...{ label, hint, error }}>
      {given => <input {...rest} {...given} className={classes(styles.control, className)} />}
    </Labelled>
  );
}

type TextAreaProps = FieldProps &
  TextareaHTMLAttributes<HTMLTextAreaElement> & { ref?: Ref<HTMLTextAreaElement> };

/** Several lines of text with their label. */
export function TextArea({ label, hint, error, className, ...rest }: TextAreaProps) {
  return (
    <Labelled {...{ label, hint, error }}>
      {given => <textarea {...rest} {...given} className={classes(styles.control, className)} />}
    </Labelled>
  );
}

type SelectProps = FieldProps & SelectHTMLAttributes<HTMLSelectElement> & { ref?: Ref<HTMLSelectElement> };

/** A choice of one: the browser's own, which every keyboard, screen reader and telephone knows. */
export function Select({ label, hint, error, className, children, ...rest }: SelectProps) {
  return (
    <Labelled {...{ label, hint, error }}>
      {given => (
        <select {...rest} {...given} className={classes(styles.control, className)}>
          {children}
        </select>
      )}
    </Labelled>
  );
}

type TickProps = Omit<InputHTMLAttributes<HTMLInputElement>, 'type'> & {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly ref?: Ref<HTMLInputElement>;
};

/** Yes or no. */
export function Checkbox(props: TickProps) {
  return <Tick {...props} type="checkbox" />;
}

/** What is ticked, with its label beside it. */
export function Tick({ label, hint, ...rest }: TickProps & { readonly type: 'checkbox' | 'radio' }) {
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

function Labelled({ label, hint, error, children }: FieldProps & { children: (given: Given) => ReactNode }) {
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
