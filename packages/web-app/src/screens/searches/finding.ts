import { useNavigate, useSearch } from '@tanstack/react-router';
import { createContext, useContext, useState } from 'react';
import { type Filters, type Finding, filtersOfCompanies, findingPeople } from './filter-fields.ts';
import { areSameFilters } from './search-filters.ts';
import { keepTried, triedFilters } from './tried-filters.ts';

const FindingContext = createContext<Finding>(findingPeople);

/** Says what the screens of a search find; people if nothing else is said. */
export const Finds = FindingContext.Provider;

export function useFinding(): Finding {
  return useContext(FindingContext);
}

/** The filters while the user changes them; the URL keeps those that differ from the saved ones. */
export function useTriedFilters(saved: Filters): readonly [Filters, (next: Filters) => void] {
  const { kind } = useFinding();
  const tried = useSearch({ strict: false });
  const navigate = useNavigate();
  const [filters, setFilters] = useState<Filters>(() => {
    const read = triedFilters(tried, sessionStorage) ?? saved;
    return kind === 'people' ? read : filtersOfCompanies(read);
  });
  function change(next: Filters) {
    setFilters(next);
    const kept = keepTried(areSameFilters(next, saved) ? undefined : next, sessionStorage);
    navigate({ to: '.', search: before => ({ ...before, ...kept }), replace: true, resetScroll: false });
  }
  return [filters, change];
}
