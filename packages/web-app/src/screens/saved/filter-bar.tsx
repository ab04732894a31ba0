import { departments, limits, savedCompanySorts, savedSorts, seniorities } from '@mailproof/shared-types';
import { useEffect, useEffectEvent, useState } from 'react';
import { useVocabulary } from '../../api/shared-queries.ts';
import { Button } from '../../design/button.tsx';
import { Select, TextInput } from '../../design/field.tsx';
import { TabLink, TabLinks } from '../../design/tabs.tsx';
import { filtersSet, noFilters, type SavedFilters } from './filters.ts';
import styles from './saved.module.css';
import { countryName, wordsOf } from './words.ts';

interface FilterBarProps {
  readonly kind: 'people' | 'companies';
  readonly filters: SavedFilters;
  readonly onChange: (filters: SavedFilters) => void;
}

const sortNames = {
  saved_at: 'Newest first',
  name: 'Name',
  job_title: 'Job title',
  company: 'Company',
  industry: 'Industry',
  company_size: 'Company size',
  updated_at: 'Last updated',
} as const;

const sortsOf = { people: savedSorts, companies: savedCompanySorts } as const;

/** The filters for saved records. */
export function FilterBar({ kind, filters, onChange }: FilterBarProps) {
  const countries = useVocabulary().data?.countries.map(({ value }) => value) ?? [];
  const isSet = filtersSet(filters) > 0;
  function change(part: SavedFilters) {
    onChange({ ...filters, ...part });
  }
  return (
    <search className={styles.filters} aria-label="Filters">
      <TypedFilter
        label={kind === 'people' ? 'Name, title or company' : 'Name, domain or description'}
        value={filters.text}
        onChange={text => change({ text })}
      />
      {kind === 'people' && (
        <>
          <TypedFilter label="Company" value={filters.company} onChange={company => change({ company })} />
          <CodeFilter
            label="Seniority"
            codes={seniorities}
            value={filters.seniority}
            nameOf={wordsOf}
            onChange={seniority => change({ seniority })}
          />
          <CodeFilter
            label="Department"
            codes={departments}
            value={filters.department}
            nameOf={wordsOf}
            onChange={department => change({ department })}
          />
        </>
      )}
      <CodeFilter
        label="Country"
        codes={
          filters.country && !countries.includes(filters.country)
            ? [filters.country, ...countries]
            : countries
        }
        value={filters.country}
        nameOf={countryName}
        onChange={country => change({ country })}
      />
      <Select
        label="Sort by"
        value={filters.sort ?? 'saved_at'}
        onChange={event => change({ sort: savedSorts.find(each => each === event.target.value) })}
      >
        {sortsOf[kind].map(sort => (
          <option key={sort} value={sort}>
            {sortNames[sort]}
          </option>
        ))}
      </Select>
      {isSet && (
        <Button look="quiet" onClick={() => onChange({ ...noFilters, sort: filters.sort })}>
          Clear filters
        </Button>
      )}
    </search>
  );
}

const typingPauseMs = 300;

interface TypedFilterProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

/** A text filter that applies when the user pauses typing. */
export function TypedFilter({ label, value, onChange }: TypedFilterProps) {
  const [text, setText] = useState(value ?? '');
  // A value that was set elsewhere, such as by a button that clears the filters, replaces the typed text.
  const [told, setTold] = useState(value);
  if (value !== told) {
    setTold(value);
    if (value !== (text.trim() || undefined)) setText(value ?? '');
  }
  const tell = useEffectEvent((typed: string) => {
    const sought = typed.trim() || undefined;
    if (sought !== value) onChange(sought);
  });
  useEffect(() => {
    const pause = setTimeout(() => tell(text), typingPauseMs);
    return () => clearTimeout(pause);
  }, [text]);
  return (
    <TextInput
      label={label}
      type="search"
      value={text}
      maxLength={limits.filterValueCharactersMax}
      onChange={event => setText(event.target.value)}
    />
  );
}

interface CodeFilterProps<Code extends string> {
  readonly label: string;
  readonly codes: readonly Code[];
  readonly value: Code | undefined;
  readonly nameOf: (code: Code) => string;
  readonly onChange: (code: Code | undefined) => void;
}

function CodeFilter<Code extends string>({ label, codes, value, nameOf, onChange }: CodeFilterProps<Code>) {
  return (
    <Select
      label={label}
      value={value ?? ''}
      onChange={event => onChange(codes.find(code => code === event.target.value))}
    >
      <option value="">Any</option>
      {codes.map(code => (
        <option key={code} value={code}>
          {nameOf(code)}
        </option>
      ))}
    </Select>
  );
}

/** The tabs of the saved area. */
export function SavedTabs() {
  const exactly = { exact: true, includeSearch: false };
  return (
    <TabLinks name="Saved">
      <TabLink to="/saved" activeOptions={exactly}>
        People
      </TabLink>
      <TabLink to="/saved/companies" activeOptions={exactly}>
        Companies
      </TabLink>
      <TabLink to="/saved/lists" activeOptions={exactly}>
        Lists
      </TabLink>
      <TabLink to="/saved/imports" activeOptions={exactly}>
        Imports
      </TabLink>
    </TabLinks>
  );
}
