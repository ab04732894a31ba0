import type { ReactNode } from 'react';
import { useVocabulary } from '../../api/vocabulary.ts';
import { ChosenFilters } from './chosen-filters.tsx';
import { FilterPanel } from './filter-panel.tsx';
import styles from './people.module.css';
import type { Filters } from './people-filters.ts';
import type { Counted } from './people-queries.ts';

interface WorkbenchProps {
  readonly filters: Filters;
  readonly onChange: (filters: Filters) => void;
  readonly counted: Counted;
  readonly children: ReactNode;
}

/** Filters that are being chosen, beside what they find. */
export function Workbench({ filters, onChange, counted, children }: WorkbenchProps) {
  const { data: vocabulary } = useVocabulary();
  const chosen = { filters, onChange, vocabulary, faults: counted.faults };
  return (
    <div className={styles.workbench}>
      <FilterPanel {...chosen} facets={counted.counts?.facets} />
      <div className={styles.main}>
        <ChosenFilters {...chosen} />
        {children}
      </div>
    </div>
  );
}
