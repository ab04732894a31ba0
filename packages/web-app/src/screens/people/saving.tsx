import { queryClient } from '../../api/client.ts';
import { LinkButton } from '../../design/button.tsx';
import { Card } from '../../design/layout.tsx';
import { keepRun } from '../discovery/run-query.ts';
import { RunReceipts } from '../discovery/run-receipts.tsx';
import type { Run } from '../discovery/run-states.ts';
import { RunUnderWay } from '../discovery/run-under-way.tsx';
import { Figures, WhatIsKnown } from './matches-card.tsx';
import { searchHasMoved, searchOf } from './people-queries.ts';
import { SavePanel } from './save-panel.tsx';
import type { Search } from './search-screen.tsx';

/** The run that is under way, or what another would cost; and the runs so far. */
export function Saving({ search }: { readonly search: Search }) {
  const { queryKey } = searchOf(search.search_id);
  function follow(run: Run) {
    keepRun(run);
    queryClient.setQueryData(queryKey, { ...search, state: 'locked', active_run_id: run.run_id });
    void searchHasMoved(search.search_id);
  }
  return (
    <>
      {search.active_run_id ? (
        <RunUnderWay
          runId={search.active_run_id}
          kind="people"
          onEnded={() => void queryClient.invalidateQueries({ queryKey })}
        />
      ) : (
        <SavePanel search={search} onStarted={follow} />
      )}
      <RunReceipts
        searchId={search.search_id}
        next={<LinkButton to="/saved">See the saved people</LinkButton>}
      />
    </>
  );
}

export function SearchFigures({ search }: { readonly search: Search }) {
  const { matching, already_saved, deliverable } = search.estimate;
  return (
    <Card>
      <Figures
        figures={[
          [matching === 1 ? 'person matches' : 'people match', matching],
          ['saved already, left out', already_saved],
          ['can be saved', deliverable],
        ]}
      />
      {search.total > 0 && (
        <WhatIsKnown filters={search.filters} facets={search.facets} total={search.total} />
      )}
    </Card>
  );
}
