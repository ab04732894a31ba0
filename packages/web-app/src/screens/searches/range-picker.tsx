import { useState } from 'react';
import { TextInput } from '../../design/field.tsx';
import type { Range } from './filter-fields.ts';
import type { RangeKind } from './search-filters.ts';
import styles from './searches.module.css';

interface RangePickerProps {
  readonly name: string;
  readonly kind: RangeKind;
  readonly hint?: string | undefined;
  readonly range: Range;
  readonly onChange: (range: Range) => void;
  readonly faults: readonly string[];
}

/** Chooses a range of numbers, which can be open at either end. */
export function RangePicker({ name, kind, hint, range, onChange, faults }: RangePickerProps) {
  const { min, max } = range;
  return (
    <fieldset className={styles.range}>
      <legend>{name}</legend>
      <NumberInput
        label={`From ${kind.label}`}
        kind={kind}
        number={min}
        onChange={number => onChange({ ...range, min: number })}
      />
      <NumberInput
        label={`To ${kind.label}`}
        kind={kind}
        number={max}
        onChange={number => onChange({ ...range, max: number })}
        fault={faults.join(' ')}
      />
      {hint && <p className={styles.soft}>{hint}</p>}
    </fieldset>
  );
}

interface NumberInputProps {
  readonly label: string;
  readonly kind: RangeKind;
  readonly number: number | undefined;
  readonly onChange: (number: number | undefined) => void;
  readonly fault?: string;
}

function NumberInput({ label, kind, number, onChange, fault }: NumberInputProps) {
  const [draft, setDraft] = useState<{ readonly text: string; readonly isLeft: boolean }>();
  // The draft is shown while it means the number, so that `5m` stays as it was typed.
  const text = draft && kind.read(draft.text.trim()) === number ? draft.text : undefined;
  const wrong = text && draft?.isLeft && number === undefined && kind.fault;
  return (
    <TextInput
      label={label}
      inputMode={kind.label === 'year' ? 'numeric' : 'text'}
      autoComplete="off"
      value={text ?? number ?? ''}
      error={wrong || fault || undefined}
      onBlur={() => setDraft(draft && { ...draft, isLeft: true })}
      onChange={({ target }) => {
        setDraft({ text: target.value, isLeft: false });
        onChange(kind.read(target.value.trim()));
      }}
    />
  );
}
