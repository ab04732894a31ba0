import { $api, queryClient } from '../../api/client.ts';
import { creditsHaveMoved } from '../../api/credits-have-moved.ts';
import { savedHasChanged } from '../../api/saved-lists.ts';

const rankingAskedAgainMs = 5_000;

/** A search with its preview; it is asked again as long as no ranking answers. */
export function viewQuery(searchId: string) {
  return $api.queryOptions(
    'get',
    '/lookalike-searches/{search_id}',
    { params: { path: { search_id: searchId } } },
    {
      refetchInterval: query => (query.state.data?.expected === null ? rankingAskedAgainMs : false),
    },
  );
}

/** After a run has begun or ended: all that says how far a search is. */
export function searchHasMoved(): void {
  const moved = [
    '/lookalike-searches/{search_id}',
    '/lookalike-searches/{search_id}/companies',
    '/lookalike-searches',
    '/discovery-runs',
  ];
  void creditsHaveMoved();
  savedHasChanged();
  for (const path of moved) void queryClient.invalidateQueries({ queryKey: ['get', path] });
}
