import { createContext, useContext } from 'react';
import { type Finding, findingPeople } from './filter-fields.ts';

const FindingContext = createContext<Finding>(findingPeople);

/** Says what the screens of a search find; people if nothing else is said. */
export const Finds = FindingContext.Provider;

export function useFinding(): Finding {
  return useContext(FindingContext);
}
