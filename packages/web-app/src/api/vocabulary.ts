import { $api } from './client.ts';

/** The values by which people and companies are filtered; they rarely change while somebody works. */
export function useVocabulary() {
  return $api.useQuery('get', '/search-vocabulary', {}, { staleTime: 600_000 });
}
