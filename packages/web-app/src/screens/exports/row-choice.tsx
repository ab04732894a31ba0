import { useState } from 'react';
import { results as allResults, type Result, ResultBadge, resultLooks } from '../../design/badge.tsx';
import { Checkbox } from '../../design/field.tsx';
import { RadioGroup } from '../../design/radio-group.tsx';
import styles from './exports.module.css';
import { type JobSource, presetOf, type RowPreset, usableResults } from './usable-results.ts';

interface RowChoiceProps {
  readonly source: JobSource;
  readonly onChange: (source: JobSource) => void;
}

/** Which rows of a validation job leave. */
export function RowChoice({ source, onChange }: RowChoiceProps) {
  const [preset, setPreset] = useState(() => presetOf(source.results));
  function choose(next: RowPreset) {
    setPreset(next);
    if (next === 'all') onChange(without(source));
    if (next === 'usable') onChange({ ...source, results: [...usableResults] });
    if (next === 'chosen') onChange({ ...source, results: source.results ?? [...allResults] });
  }
  const chosen = source.results ?? allResults;
  function toggle(result: Result, isIn: boolean) {
    // In their own order, so that the same choice is the same question.
    const next = allResults.filter(each => (each === result ? isIn : chosen.includes(each)));
    if (next.length > 0) onChange({ ...source, results: next });
  }
  return (
    <div className={styles.choice}>
      <RadioGroup<RowPreset>
        label="Which rows"
        value={preset}
        onChange={choose}
        choices={[
          {
            value: 'usable',
            label: 'Usable only',
            hint: `${usableResults.map(each => resultLooks[each].name).join(' and ')}: what can be sent to.`,
          },
          { value: 'all', label: 'All rows' },
          { value: 'chosen', label: 'Results that I choose' },
        ]}
      />
      {preset === 'chosen' && (
        <fieldset className={styles.results}>
          <legend className="visually-hidden">Results</legend>
          {allResults.map(result => (
            <Checkbox
              key={result}
              label={<ResultBadge result={result} />}
              checked={chosen.includes(result)}
              // One of them has to stay: no rows are nothing to export.
              disabled={chosen.length === 1 && chosen.includes(result)}
              onChange={({ target }) => toggle(result, target.checked)}
            />
          ))}
        </fieldset>
      )}
      <div className={styles.pair}>
        <Checkbox
          label="Leave out duplicates"
          hint="Rows whose address stood in a row before."
          checked={source.without_duplicates ?? false}
          onChange={({ target }) => onChange({ ...source, without_duplicates: target.checked })}
        />
        <Checkbox
          label="Add when each address was checked"
          checked={source.with_validated_at ?? false}
          onChange={({ target }) => onChange({ ...source, with_validated_at: target.checked })}
        />
      </div>
    </div>
  );
}

function without({ results: _, ...rest }: JobSource): JobSource {
  return rest;
}
