import { limits } from '@mailproof/shared-types';
import { useState } from 'react';
import { Checkbox, TextInput } from '../../design/field.tsx';
import { countOf } from '../../design/format.ts';
import type { CrmProperty } from './crms.ts';
import styles from './integrations.module.css';

/** A job's columns have the record's id and the address besides. */
const propertiesMax = limits.jobColumnsMax - 2;

interface PropertyListProps {
  readonly properties: readonly CrmProperty[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

/** Many properties of which some are chosen: they can be searched, and what is chosen stands first. */
export function PropertyList({ properties, chosen, onChange }: PropertyListProps) {
  const [text, setText] = useState('');
  // What was chosen when the list was opened stays first; a box does not jump away when it is ticked.
  const [first] = useState(() => new Set(chosen));
  const wanted = text.trim().toLowerCase();
  const seen = properties
    .filter(({ name, label }) => `${label} ${name}`.toLowerCase().includes(wanted))
    .toSorted((one, other) => Number(first.has(other.name)) - Number(first.has(one.name)));
  return (
    <fieldset className={styles.section}>
      <legend className="visually-hidden">Further properties</legend>
      <TextInput
        label={`Further properties that become columns (${countOf(chosen.length, 'chosen', 'chosen')})`}
        type="search"
        placeholder="Find"
        value={text}
        onChange={event => setText(event.target.value)}
      />
      <div className={styles.columns}>
        {seen.length === 0 && <span className={styles.small}>No property is called that.</span>}
        {seen.map(({ name, label }) => (
          <Checkbox
            key={name}
            label={label || name}
            checked={chosen.includes(name)}
            disabled={!chosen.includes(name) && chosen.length >= propertiesMax}
            onChange={event =>
              onChange(event.target.checked ? [...chosen, name] : chosen.filter(each => each !== name))
            }
          />
        ))}
      </div>
    </fieldset>
  );
}
