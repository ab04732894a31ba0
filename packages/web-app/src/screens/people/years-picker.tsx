import { limits } from '@mailproof/shared-types';
import { useState } from 'react';
import { TextInput } from '../../design/field.tsx';
import type { Years } from './filter-fields.ts';
import styles from './people.module.css';
import { isYear } from './people-filters.ts';

interface YearsPickerProps {
  readonly name: string;
  readonly hint: string | undefined;
  readonly years: Years;
  readonly onChange: (years: Years) => void;
  readonly faults: readonly string[];
}

/** Chooses a range of years, which can be open at either end. */
export function YearsPicker({ name, hint, years, onChange, faults }: YearsPickerProps) {
  const { min, max } = years;
  return (
    <fieldset className={styles.years}>
      <legend className="visually-hidden">{name}</legend>
      <YearInput label="From year" year={min} onChange={year => onChange({ ...years, min: year })} />
      <YearInput
        label="To year"
        year={max}
        onChange={year => onChange({ ...years, max: year })}
        fault={faults.join(' ')}
      />
      {hint && <p className={styles.soft}>{hint}</p>}
    </fieldset>
  );
}

interface YearInputProps {
  readonly label: string;
  readonly year: number | undefined;
  readonly onChange: (year: number | undefined) => void;
  readonly fault?: string;
}

/** A year is part of the filter as soon as all its digits are there. */
function YearInput({ label, year, onChange, fault }: YearInputProps) {
  const [draft, setDraft] = useState<{ readonly text: string; readonly isLeft: boolean }>();
  const wrong = draft?.isLeft && `Enter a year from ${limits.foundedYearMin} to ${limits.foundedYearMax}.`;
  return (
    <TextInput
      label={label}
      inputMode="numeric"
      autoComplete="off"
      value={draft?.text ?? year ?? ''}
      error={wrong || fault || undefined}
      onBlur={() => setDraft(draft && { ...draft, isLeft: true })}
      onChange={({ target }) => {
        const text = target.value.trim();
        const read = /^\d{4}$/.test(text) ? Number(text) : undefined;
        setDraft(text === '' || isYear(read) ? undefined : { text, isLeft: false });
        onChange(isYear(read) ? read : undefined);
      }}
    />
  );
}
