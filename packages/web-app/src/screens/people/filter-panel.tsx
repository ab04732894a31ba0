import { ChevronDown, SlidersHorizontal } from 'lucide-react';
import { useState } from 'react';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { classes } from '../../design/classes.ts';
import { Select } from '../../design/field.tsx';
import { ValuePicker } from '../../design/value-picker.tsx';
import styles from './people.module.css';
import {
  chosenValues,
  type Facets,
  type FilterFault,
  type FilterField,
  type Filters,
  filterGroups,
  offeredValues,
  type ValuesFilter,
  type Vocabulary,
  withValues,
} from './people-filters.ts';

interface FilterPanelProps {
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
  readonly facets: Facets | undefined;
  readonly vocabulary: Vocabulary | undefined;
  readonly faults: readonly FilterFault[];
}

/** Open from the start, since most searches begin with them. */
const openFirst: readonly ValuesFilter[] = ['job_titles', 'seniorities'];

/** Everything by which people can be filtered. */
export function FilterPanel(props: FilterPanelProps) {
  const [wish, setOpen] = useState(false);
  // Where it is narrow: what is wrong with a filter is said at its place, which then has to be seen.
  const isOpen = wish || props.faults.length > 0;
  const chosen = chosenValues(props.filters, undefined).length;
  return (
    <aside className={styles.side} aria-label="Filters">
      <Button className={styles.reveal} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <SlidersHorizontal size={16} aria-hidden />
        {isOpen ? 'Hide filters' : chosen > 0 ? `Filters (${chosen})` : 'Choose filters'}
      </Button>
      <div className={classes(styles.groups, isOpen && styles.open)}>
        {filterGroups.map(({ label, fields }) => (
          <section key={label} className={styles.group} aria-label={label}>
            <h2>{label}</h2>
            {fields.map(field => (
              <FieldSection key={field.name} field={field} {...props} />
            ))}
          </section>
        ))}
      </div>
    </aside>
  );
}

function FieldSection({
  field,
  filters,
  onChange,
  facets,
  vocabulary,
  faults,
}: FilterPanelProps & { readonly field: FilterField }) {
  const { name, excluded, label } = field;
  const chosen = filters[name] ?? [];
  const leftOut = excluded ? (filters[excluded] ?? []) : [];
  const [wish, setWish] = useState<boolean>();
  const own = faults.filter(({ filter }) => filter === name || filter === excluded);
  const count = chosen.length + leftOut.length;
  const isOpen = own.length > 0 || (wish ?? (count > 0 || openFirst.includes(name)));
  return (
    <div className={styles.field}>
      <h3>
        <button type="button" aria-expanded={isOpen} onClick={() => setWish(!isOpen)}>
          <span>{label}</span>
          {count > 0 && (
            <Badge tone={own.length > 0 ? 'bad' : 'good'}>
              {count}
              <span className="visually-hidden"> chosen</span>
            </Badge>
          )}
          <ChevronDown size={16} aria-hidden />
        </button>
      </h3>
      {isOpen && (
        <div className={styles.fieldBody}>
          <ValuePicker
            name={label}
            hint={field.hint}
            options={offeredValues(field, filters, facets, vocabulary)}
            chosen={chosen}
            leftOut={excluded && leftOut}
            onChange={(values, unwanted) => {
              const next = withValues(filters, name, values);
              onChange(excluded ? withValues(next, excluded, unwanted) : next);
            }}
            separator={field.separator}
            faults={own.map(({ sentence }) => sentence)}
          />
          <MatchChoice field={field} filters={filters} onChange={onChange} />
        </div>
      )}
    </div>
  );
}

/** How words are compared, where there is a choice. */
function MatchChoice({
  field,
  filters,
  onChange,
}: Pick<FilterPanelProps, 'filters' | 'onChange'> & { readonly field: FilterField }) {
  if (field.name === 'job_titles' && (filters.job_titles || filters.excluded_job_titles)) {
    return (
      <Select
        label="Compare titles"
        hint="By meaning, CEO finds chief executives too."
        value={filters.job_title_match ?? 'similar'}
        onChange={({ target }) => {
          const { job_title_match: _, ...rest } = filters;
          onChange(target.value === 'exact' ? { ...rest, job_title_match: 'exact' } : rest);
        }}
      >
        <option value="similar">By meaning</option>
        <option value="exact">Exactly as written</option>
      </Select>
    );
  }
  if (field.name === 'keywords' && (filters.keywords?.length ?? 0) > 1) {
    return (
      <Select
        label="People need"
        value={filters.keyword_match ?? 'any'}
        onChange={({ target }) => {
          const { keyword_match: _, ...rest } = filters;
          onChange(target.value === 'all' ? { ...rest, keyword_match: 'all' } : rest);
        }}
      >
        <option value="any">One of the keywords</option>
        <option value="all">All of the keywords</option>
      </Select>
    );
  }
  return null;
}
