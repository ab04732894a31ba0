import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import { Chip, Chips } from './chip.tsx';
import styles from './chip-input.module.css';
import { classes } from './classes.ts';
import field from './field.module.css';

interface ChipInputProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  readonly values: readonly string[];
  readonly onChange: (values: string[]) => void;
  /** Makes values of what was typed or pasted. */
  readonly split: (text: string) => string[];
  /** What is wrong with a value, in a sentence that names it. */
  readonly faultOf?: (value: string) => string | undefined;
  readonly placeholder?: string;
}

/** Several short values: each is typed and ended by Enter or a comma, or many are pasted at once. */
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
    <div className={field.field}>
      <label htmlFor={id} className={field.label}>
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
      <div id={`${id}-hint`} className={field.hint}>
        {hint}
      </div>
      <div id={`${id}-error`} className={field.error} aria-live="polite">
        {[...(error ? [error] : []), ...faults].map(sentence => (
          <div key={sentence}>{sentence}</div>
        ))}
      </div>
    </div>
  );
}
