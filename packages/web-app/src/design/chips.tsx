import { TriangleAlert, X } from 'lucide-react';
import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import styles from './chips.module.css';
import fieldStyles from './field.module.css';
import { classes } from './looks.ts';

/** Chosen values, side by side. */
export function Chips({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <ul className={styles.chips} aria-label={name}>
      {children}
    </ul>
  );
}

interface ChipProps {
  /** The kind of value, such as "Country". */
  readonly kind?: string;
  readonly label: string;
  /** Whether the value is excluded. */
  readonly isLeftOut?: boolean;
  /** Why the value is invalid. */
  readonly fault?: string | undefined;
  /** Removes the value; if omitted, the value is fixed. */
  readonly onRemove?: (() => void) | undefined;
}

/** A chosen value. */
export function Chip({ kind, label, isLeftOut, fault, onRemove }: ChipProps) {
  return (
    <li className={classes(styles.chip, isLeftOut && styles.leftOut, fault && styles.fault)} title={fault}>
      {fault && <TriangleAlert size={13} aria-label="Unknown value:" role="img" />}
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

interface ChipInputProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly values: readonly string[];
  readonly onChange: (values: string[]) => void;
  /** Splits typed or pasted text into values. */
  readonly split: (text: string) => string[];
  /** Returns what is wrong with a value, in a sentence that names it. */
  readonly faultOf?: (value: string) => string | undefined;
  readonly placeholder?: string;
}

/** A field for several short values: the user types each one, ended by Enter or a comma, or pastes many at once. */
export function ChipInput({
  label,
  hint,
  error,
  values,
  onChange,
  split,
  faultOf,
  placeholder,
}: ChipInputProps) {
  const id = useId();
  const [text, setText] = useState('');
  const faults = values.flatMap(value => {
    const fault = faultOf?.(value);
    return fault ? [fault] : [];
  });
  const isWrong = Boolean(error) || faults.length > 0;
  function add(typed: string) {
    const added = split(typed);
    if (added.length > 0) onChange([...new Set([...values, ...added])]);
    setText('');
  }
  function remove(value: string) {
    onChange(values.filter(each => each !== value));
  }
  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    const ends = event.key === 'Enter' || event.key === ',';
    if (ends && text.trim() !== '') {
      event.preventDefault();
      add(text);
    }
    const last = values.at(-1);
    if (event.key === 'Backspace' && text === '' && last !== undefined) remove(last);
  }
  return (
    <div className={fieldStyles.field}>
      <label htmlFor={id} className={fieldStyles.label}>
        {label}
      </label>
      <div className={classes(styles.box, isWrong && styles.wrong)}>
        {values.length > 0 && (
          <Chips name={`${label}: chosen`}>
            {values.map(value => (
              <Chip key={value} label={value} fault={faultOf?.(value)} onRemove={() => remove(value)} />
            ))}
          </Chips>
        )}
        <input
          id={id}
          value={text}
          placeholder={values.length === 0 ? placeholder : undefined}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          aria-invalid={isWrong || undefined}
          aria-describedby={`${id}-hint ${id}-error`}
          onChange={event => setText(event.target.value)}
          onKeyDown={onKeyDown}
          onBlur={() => add(text)}
          onPaste={event => {
            const pasted = event.clipboardData.getData('text');
            if (text !== '' || split(pasted).length === 0) return;
            event.preventDefault();
            add(pasted);
          }}
        />
      </div>
      <div id={`${id}-hint`} className={fieldStyles.hint}>
        {hint}
      </div>
      <div id={`${id}-error`} className={fieldStyles.error} aria-live="polite">
        {[...(error ? [error] : []), ...faults].map(sentence => (
          <div key={sentence}>{sentence}</div>
        ))}
      </div>
    </div>
  );
}
