import { Ban, Plus } from 'lucide-react';
import { type KeyboardEvent, useId, useState } from 'react';
import { Button } from './button.tsx';
import { formatNumber } from './format.ts';
import { classes, type PickerOption } from './looks.ts';
import styles from './value-picker.module.css';

interface ValuePickerProps {
  /** The name of the filter, such as "Country". */
  readonly name: string;
  readonly hint?: string | undefined;
  readonly options: readonly PickerOption[];
  readonly chosen: readonly string[];
  /** The excluded values; if omitted, values cannot be excluded. */
  readonly leftOut?: readonly string[] | undefined;
  /** Receives both lists; a value is never in both. */
  readonly onChange: (chosen: readonly string[], leftOut: readonly string[]) => void;
  /** Allows values that are not offered; splits pasted text into several values. */
  readonly separator?: RegExp | undefined;
  /** What is wrong with the chosen values. */
  readonly faults?: readonly string[];
}

/** The number of options from which a search field is shown. */
const narrowedFrom = 12;

/** A picker for many values, each with the number of its matches. */
export function ValuePicker(props: ValuePickerProps) {
  const { name, hint, options, chosen, leftOut = [], onChange, separator, faults = [] } = props;
  const canLeaveOut = props.leftOut !== undefined;
  const id = useId();
  const [text, setText] = useState('');
  const narrowed = narrowedBy(text, options);
  const canNarrow = separator !== undefined || options.length >= narrowedFrom;
  const countMax = Math.max(1, ...options.map(({ count }) => count ?? 0));
  function put(values: readonly string[], where: 'chosen' | 'leftOut' | 'nowhere') {
    const without = (from: readonly string[]) => from.filter(each => !values.includes(each));
    onChange(
      where === 'chosen' ? [...new Set([...chosen, ...values])] : without(chosen),
      where === 'leftOut' ? [...new Set([...leftOut, ...values])] : without(leftOut),
    );
  }
  function add(where: 'chosen' | 'leftOut') {
    const values = meantBy(text, options, narrowed, separator);
    if (values.length === 0) return;
    put(values, where);
    setText('');
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    add('chosen');
  }
  return (
    <div className={styles.picker}>
      {canNarrow && (
        <div className={styles.entry}>
          <input
            type="text"
            value={text}
            placeholder={options.length > 0 ? 'Search' : 'Type and press Enter'}
            aria-label={separator ? `Search or add: ${name}` : `Search: ${name}`}
            aria-invalid={faults.length > 0 || undefined}
            aria-describedby={
              [hint && `${id}-hint`, faults.length > 0 && `${id}-faults`].filter(Boolean).join(' ') ||
              undefined
            }
            onChange={event => setText(event.target.value)}
            onKeyDown={onKeyDown}
          />
          {text.trim() !== '' && (
            <div className={styles.buttons}>
              <Button onClick={() => add('chosen')}>
                <Plus size={14} aria-hidden />
                Add
              </Button>
              {canLeaveOut && (
                <Button onClick={() => add('leftOut')}>
                  <Ban size={14} aria-hidden />
                  Exclude
                </Button>
              )}
            </div>
          )}
        </div>
      )}
      {hint && (
        <p id={`${id}-hint`} className={styles.hint}>
          {hint}
        </p>
      )}
      {faults.length > 0 && (
        <div id={`${id}-faults`} className={styles.faults} role="alert">
          {faults.map(fault => (
            <p key={fault}>{fault}</p>
          ))}
        </div>
      )}
      {narrowed.length > 0 && (
        <ul className={styles.options} aria-label={`${name}: values`}>
          {narrowed.map(option => (
            <Option
              key={option.value}
              option={option}
              share={(option.count ?? 0) / countMax}
              isWanted={chosen.includes(option.value)}
              isUnwanted={leftOut.includes(option.value)}
              canLeaveOut={canLeaveOut}
              onPut={where => put([option.value], where)}
            />
          ))}
        </ul>
      )}
      {narrowed.length === 0 && text.trim() !== '' && (
        <p className={styles.hint}>
          {separator ? 'Not among the most frequent values. Press Enter to add it.' : 'No matching value.'}
        </p>
      )}
    </div>
  );
}

interface OptionProps {
  readonly option: PickerOption;
  readonly share: number;
  readonly isWanted: boolean;
  readonly isUnwanted: boolean;
  readonly canLeaveOut: boolean;
  readonly onPut: (where: 'chosen' | 'leftOut' | 'nowhere') => void;
}

function Option({ option, share, isWanted, isUnwanted, canLeaveOut, onPut }: OptionProps) {
  const { label, count } = option;
  return (
    <li className={classes(styles.option, count === 0 && !isWanted && styles.none)}>
      <label>
        <input type="checkbox" checked={isWanted} onChange={() => onPut(isWanted ? 'nowhere' : 'chosen')} />
        <span className={styles.label} title={label}>
          {label}
        </span>
        <span className={styles.count}>{count !== undefined && formatNumber(count)}</span>
      </label>
      {canLeaveOut && (
        <button
          type="button"
          className={styles.ban}
          aria-pressed={isUnwanted}
          aria-label={`Exclude ${label}`}
          title={`Leave out ${label}`}
          onClick={() => onPut(isUnwanted ? 'nowhere' : 'leftOut')}
        >
          <Ban size={14} aria-hidden />
        </button>
      )}
      <span className={styles.share} style={{ width: `${100 * share}%` }} aria-hidden />
    </li>
  );
}

function narrowedBy(text: string, options: readonly PickerOption[]): readonly PickerOption[] {
  const words = text.trim().toLowerCase();
  if (words === '') return options;
  return options.filter(
    ({ label, value }) => label.toLowerCase().includes(words) || value.toLowerCase() === words,
  );
}

/**
 * Returns the values that a text means: options that match in any letter case, the only remaining option, or the text
 * itself.
 */
function meantBy(
  text: string,
  options: readonly PickerOption[],
  narrowed: readonly PickerOption[],
  separator: RegExp | undefined,
): readonly string[] {
  const words = (separator ? text.split(separator) : [text]).map(word => word.trim()).filter(Boolean);
  if (!separator && narrowed.length === 1) return narrowed.map(({ value }) => value);
  return words.map(word => {
    const known = options.find(({ value, label }) =>
      [value, label].some(each => each.toLowerCase() === word.toLowerCase()),
    );
    return known?.value ?? word;
  });
}
