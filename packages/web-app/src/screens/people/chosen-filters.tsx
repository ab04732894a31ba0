import { Button } from '../../design/button.tsx';
import { Chip, Chips } from '../../design/chip.tsx';
import styles from './people.module.css';
import {
  chosenValues,
  type FilterFault,
  type Filters,
  type Vocabulary,
  withValues,
} from './people-filters.ts';

interface ChosenFiltersProps {
  readonly filters: Filters;
  readonly vocabulary: Vocabulary | undefined;
  readonly faults?: readonly FilterFault[];
  /** Without it the filters are fixed. */
  readonly onChange?: (filters: Filters) => void;
}

/** The filters as chips, each of which can be taken away. */
export function ChosenFilters({ filters, vocabulary, faults = [], onChange }: ChosenFiltersProps) {
  const chosen = chosenValues(filters, vocabulary);
  if (chosen.length === 0) {
    return <p className={styles.soft}>{onChange ? 'No filters yet: everybody matches.' : 'Everybody'}</p>;
  }
  const matches = [
    filters.job_title_match === 'exact' && 'titles exactly as written',
    filters.keyword_match === 'all' && 'all of the keywords',
  ].filter(Boolean);
  return (
    <div className={styles.chosen}>
      <Chips name="Chosen filters">
        {chosen.map(({ field, filter, value, label, isLeftOut }) => {
          const index = filters[filter]?.indexOf(value);
          return (
            <Chip
              key={`${filter} ${value}`}
              kind={field.label}
              label={label}
              isLeftOut={isLeftOut}
              fault={faults.find(fault => fault.filter === filter && fault.index === index)?.sentence}
              onRemove={
                onChange &&
                (() =>
                  onChange(
                    withValues(
                      filters,
                      filter,
                      (filters[filter] ?? []).filter(each => each !== value),
                    ),
                  ))
              }
            />
          );
        })}
      </Chips>
      {matches.length > 0 && <p className={styles.soft}>Compared by: {matches.join(', ')}.</p>}
      {onChange && chosen.length > 1 && (
        <Button look="quiet" onClick={() => onChange({})}>
          Clear all filters
        </Button>
      )}
    </div>
  );
}
