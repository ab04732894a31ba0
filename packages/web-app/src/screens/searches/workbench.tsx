import { ChevronDown, SlidersHorizontal } from 'lucide-react';
import { type ReactNode, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Chip, Chips } from '../../design/chips.tsx';
import { Select } from '../../design/field.tsx';
import { countOf } from '../../design/format.ts';
import { classes } from '../../design/looks.ts';
import { ValuePicker } from '../../design/value-picker.tsx';
import { offeredValues } from './filter-counts.ts';
import {
  type Facets,
  type FilterField,
  type FilterName,
  type Filters,
  isRange,
  type Vocabulary,
} from './filter-fields.ts';
import { chosenValues, labelOf } from './filter-words.ts';
import { useFinding } from './finding.ts';
import { RangePicker } from './range-picker.tsx';
import {
  type FilterFault,
  rangeKind,
  valuesOf,
  withoutValue,
  withRange,
  withValues,
} from './search-filters.ts';
import { type Counted, usePeopleVocabulary } from './search-queries.ts';
import styles from './searches.module.css';

interface WorkbenchProps {
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
  readonly counted: Counted;
  readonly children: ReactNode;
}

/** The filters, next to the matching people or companies. */
export function Workbench({ filters, onChange, counted, children }: WorkbenchProps) {
  const vocabulary = usePeopleVocabulary();
  const matches = useRef<HTMLElement>(null);
  function showMatches() {
    matches.current?.focus({ preventScroll: true });
    matches.current?.scrollIntoView();
  }
  const chosen = { filters, onChange, vocabulary, faults: counted.faults };
  return (
    <div className={styles.workbench}>
      <FilterPanel {...chosen} counted={counted} onShow={showMatches} />
      <section ref={matches} className={styles.main} aria-label="Matches" tabIndex={-1}>
        <ChosenFilters {...chosen} />
        {counted.counts?.read?.map(({ filter, value, read_as: readAs }) => (
          <p key={`${filter} ${value}`} className={styles.soft}>
            “{value}” was read as {readAs.map(each => labelOf(vocabulary, filter, each)).join(', ')}.
          </p>
        ))}
        {children}
      </section>
    </div>
  );
}

interface FieldsProps {
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
  readonly vocabulary: Vocabulary | undefined;
  readonly faults: readonly FilterFault[];
}

interface FilterPanelProps extends FieldsProps {
  readonly counted: Counted;
  /** Shows the matches, which the open panel of a phone pushes out of sight. */
  readonly onShow: () => void;
}

/** The panel with all filter fields. */
function FilterPanel({ counted, onShow, ...props }: FilterPanelProps) {
  const { counts, isBehind } = counted;
  const [wish, setOpen] = useState(false);
  // On narrow screens, the panel opens if a filter has a fault, because the fault is shown next to the filter.
  const isOpen = wish || props.faults.length > 0;
  const { groups } = useFinding();
  const chosen = chosenValues(props.filters, undefined).length;
  return (
    <aside className={styles.side} aria-label="Filters">
      <Button className={styles.reveal} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <SlidersHorizontal size={16} aria-hidden />
        {isOpen ? 'Hide filters' : chosen > 0 ? `Filters (${chosen})` : 'Show filters'}
      </Button>
      <div className={classes(styles.groups, isOpen && styles.open)}>
        {groups.map(({ label, fields }) => (
          <section key={label} className={styles.group} aria-label={label}>
            <h2>{label}</h2>
            {fields.map(field => (
              <FieldSection key={field.name} field={field} facets={counts?.facets} {...props} />
            ))}
          </section>
        ))}
        <Button
          look="primary"
          className={styles.show}
          onClick={() => {
            // The panel closes, unless a filter has a fault, before the page scrolls to the matches.
            flushSync(() => setOpen(false));
            onShow();
          }}
        >
          {/* No number until the new filters are counted. The card of the matches tells it to screen readers. */}
          {counts && !isBehind ? `Show ${countOf(counts.total, 'match', 'matches')}` : 'Show matches'}
        </Button>
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
}: FieldsProps & { readonly field: FilterField; readonly facets: Facets | undefined }) {
  const { name, excluded, label } = field;
  const chosen = valuesOf(filters, name);
  const leftOut = excluded ? valuesOf(filters, excluded) : [];
  const finding = useFinding();
  const [wish, setWish] = useState<boolean>();
  const own = faults.filter(({ filter }) => filter === name || filter === excluded);
  const faultsOf = (filter: FilterName) =>
    own.flatMap(fault => (fault.filter === filter ? [fault.sentence] : []));
  const count = chosen.length + leftOut.length;
  const isOpen = own.length > 0 || (wish ?? (count > 0 || finding.openFirst.includes(name)));
  const options = offeredValues(field, filters, facets, vocabulary, finding);
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
          {isRange(name) ? (
            <>
              <RangePicker
                name={label}
                kind={rangeKind(name)}
                hint={field.hint}
                range={filters[name] ?? {}}
                onChange={range => onChange(withRange(filters, name, range))}
                faults={faultsOf(name)}
              />
              {excluded && isRange(excluded) && (
                <RangePicker
                  name={`${label}, excluded`}
                  kind={rangeKind(excluded)}
                  range={filters[excluded] ?? {}}
                  onChange={range => onChange(withRange(filters, excluded, range))}
                  faults={faultsOf(excluded)}
                />
              )}
            </>
          ) : (
            <ValuePicker
              name={label}
              hint={options.length > 0 ? field.hint : (field.hintWithout ?? field.hint)}
              options={options}
              chosen={chosen}
              leftOut={excluded && leftOut}
              onChange={(values, unwanted) => {
                const next = withValues(filters, name, values);
                onChange(excluded && !isRange(excluded) ? withValues(next, excluded, unwanted) : next);
              }}
              separator={field.separator}
              faults={own.map(({ sentence }) => sentence)}
            />
          )}
          <MatchChoice field={field} filters={filters} onChange={onChange} />
        </div>
      )}
    </div>
  );
}

/** Chooses how words are matched, if the field offers a choice. */
function MatchChoice({
  field,
  filters,
  onChange,
}: Pick<FieldsProps, 'filters' | 'onChange'> & { readonly field: FilterField }) {
  if (field.name === 'job_titles' && (filters.job_titles || filters.excluded_job_titles)) {
    return (
      <Select
        label="Match titles"
        hint="With similar titles, CEO also finds chief executives."
        value={filters.job_title_match ?? 'similar'}
        onChange={({ target }) => {
          const { job_title_match: _, ...rest } = filters;
          onChange(target.value === 'exact' ? { ...rest, job_title_match: 'exact' } : rest);
        }}
      >
        <option value="similar">Similar titles</option>
        <option value="exact">Exact titles</option>
      </Select>
    );
  }
  if (field.name === 'keywords' && (filters.keywords || filters.excluded_keywords)) {
    return (
      <>
        {(filters.keywords?.length ?? 0) > 1 && (
          <Select
            label="Match keywords"
            value={filters.keyword_match ?? 'any'}
            onChange={({ target }) => {
              const { keyword_match: _, ...rest } = filters;
              onChange(target.value === 'all' ? { ...rest, keyword_match: 'all' } : rest);
            }}
          >
            <option value="any">Any keyword</option>
            <option value="all">All keywords</option>
          </Select>
        )}
        <Select
          label="Find keywords"
          hint="By parts, learning also finds machine learning."
          value={filters.keyword_terms ?? 'whole'}
          onChange={({ target }) => {
            const { keyword_terms: _, ...rest } = filters;
            onChange(target.value === 'words' ? { ...rest, keyword_terms: 'words' } : rest);
          }}
        >
          <option value="whole">Whole keywords</option>
          <option value="words">Parts of keywords</option>
        </Select>
      </>
    );
  }
  return null;
}

interface ChosenFiltersProps {
  readonly filters: Filters;
  readonly vocabulary: Vocabulary | undefined;
  readonly faults?: readonly FilterFault[];
  /** If omitted, the filters are fixed. */
  readonly onChange?: (filters: Filters) => void;
}

/** The filters as removable chips. */
export function ChosenFilters({ filters, vocabulary, faults = [], onChange }: ChosenFiltersProps) {
  const { kind, all } = useFinding();
  const chosen = chosenValues(filters, vocabulary);
  if (chosen.length === 0) {
    const matches = kind === 'people' ? 'everyone matches' : 'all companies match';
    return <p className={styles.soft}>{onChange ? `No filters yet: ${matches}.` : all}</p>;
  }
  const matches = [
    filters.job_title_match === 'exact' && 'exact job titles',
    filters.keyword_match === 'all' && 'all of the keywords',
    filters.keyword_terms === 'words' && 'parts of keywords',
  ].filter(Boolean);
  return (
    <div className={styles.chosen}>
      <Chips name="Selected filters">
        {chosen.map(({ field, filter, value, label, isLeftOut }) => {
          const index = valuesOf(filters, filter).indexOf(value);
          return (
            <Chip
              key={`${filter} ${value}`}
              kind={field.label}
              label={label}
              isLeftOut={isLeftOut}
              fault={faults.find(fault => fault.filter === filter && fault.index === index)?.sentence}
              onRemove={onChange && (() => onChange(withoutValue(filters, filter, value)))}
            />
          );
        })}
      </Chips>
      {matches.length > 0 && <p className={styles.soft}>Match: {matches.join(', ')}.</p>}
      {onChange && chosen.length > 1 && (
        <Button look="quiet" onClick={() => onChange({})}>
          Clear all filters
        </Button>
      )}
    </div>
  );
}
