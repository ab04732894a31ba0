import { useState } from 'react';
import type { Schema } from '../../api/client.ts';
import { results as allResults, type Result, ResultBadge, resultLooks } from '../../design/badge.tsx';
import { Checkbox, RadioGroup } from '../../design/field.tsx';
import styles from './exports.module.css';

interface RowChoiceProps {
  readonly source: JobSource;
  readonly onChange: (source: JobSource) => void;
}

/** Chooses which rows of a validation job to export. */
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
    // Keeps a fixed order, so that the same choice has the same query key.
    const next = allResults.filter(each => (each === result ? isIn : chosen.includes(each)));
    if (next.length > 0) onChange({ ...source, results: next });
  }
  return (
    <div className={styles.choice}>
      <RadioGroup<RowPreset>
        label="Rows"
        value={preset}
        onChange={choose}
        choices={[
          {
            value: 'usable',
            label: 'Usable only',
            hint: `${usableResults.map(each => `“${resultLooks[each].name}”`).join(' and ')}: safe to send to.`,
          },
          { value: 'all', label: 'All rows' },
          { value: 'chosen', label: 'Selected results' },
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
              // At least one result must stay selected, because an export needs rows.
              disabled={chosen.length === 1 && chosen.includes(result)}
              onChange={({ target }) => toggle(result, target.checked)}
            />
          ))}
        </fieldset>
      )}
      <div className={styles.pair}>
        <Checkbox
          label="Skip duplicates"
          hint="Rows with the same address as an earlier row."
          checked={source.without_duplicates ?? false}
          onChange={({ target }) => onChange({ ...source, without_duplicates: target.checked })}
        />
        <Checkbox
          label="Include the validation time"
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

type JobSource = Schema['ValidationJobSource'];

/** The results of deliverable addresses. */
export const usableResults = ['ok', 'catch_all_validated'] as const satisfies readonly Result[];

type RowPreset = 'usable' | 'all' | 'chosen';

/** Returns the choice that matches the results, regardless of their order. */
function presetOf(results: JobSource['results']): RowPreset {
  if (!results) return 'all';
  const isUsable =
    results.length === usableResults.length && usableResults.every(each => results.includes(each));
  return isUsable ? 'usable' : 'chosen';
}
