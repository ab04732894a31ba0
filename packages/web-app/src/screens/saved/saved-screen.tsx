import { getRouteApi } from '@tanstack/react-router';
import { ListPlus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { $api } from '../../api/client.ts';
import { byCursor, pagedRows } from '../../api/paged-rows.ts';
import { Answered } from '../../design/answered.tsx';
import { Button, LinkButton } from '../../design/button.tsx';
import { Page } from '../../design/layout.tsx';
import { Empty } from '../../design/states.tsx';
import { ExportButton } from '../exports/export-button.tsx';
import { AddToList } from './add-to-list.tsx';
import { FilterBar } from './filter-bar.tsx';
import { filterQuery, filtersSet, noFilters, type SavedFilters } from './filters.ts';
import { PeopleTable } from './people-table.tsx';
import { PersonDrawer } from './person-drawer.tsx';
import { RemovePeople } from './remove-people.tsx';
import { SavedTabs } from './saved-tabs.tsx';
import { SelectionBar, SelectionOf, useSelection } from './selection.tsx';

const route = getRouteApi('/signed-in/saved');
const pageRows = 100;

/** Everybody whom the account has saved. */
export function SavedScreen() {
  const { open, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const selection = useSelection();
  const [asked, setAsked] = useState<'list' | 'remove'>();
  const query = $api.useInfiniteQuery(
    'get',
    '/saved-people',
    { params: { query: { limit: pageRows, ...filterQuery(filters) } } },
    byCursor,
  );
  const { rows, ...paged } = pagedRows(query, ({ people }) => people);
  const ids = [...selection.ids];
  const isFiltered = filtersSet(filters) > 0;
  // While an answer is awaited the filters stay, since somebody may be about to change another one.
  const isEmpty = query.data !== undefined && rows.length === 0 && !isFiltered;
  function change(next: SavedFilters) {
    selection.clear();
    void navigate({ search: next, replace: true });
  }
  const close = (isOpen: boolean) => !isOpen && setAsked(undefined);
  return (
    <Page
      title="Saved people"
      lead="Whom you have paid for. Each field says where it comes from."
      actions={rows.length > 0 && !isFiltered && <ExportButton source={{ kind: 'saved_people' }} />}
    >
      <SavedTabs />
      {!isEmpty && <FilterBar kind="people" filters={filters} onChange={change} />}
      <Answered question={query} loading="Loading saved people" lines={6}>
        {() =>
          rows.length > 0 ? null : isEmpty ? (
            <NobodySaved />
          ) : (
            <Empty
              title="Nobody saved is like that"
              action={<Button onClick={() => change(noFilters)}>Clear filters</Button>}
            >
              Take a filter off, or seek another part of the name.
            </Empty>
          )
        }
      </Answered>
      {rows.length > 0 && (
        <SelectionOf value={selection}>
          <SelectionBar
            selection={selection}
            loaded={rows.map(({ person_id }) => person_id)}
            hasMore={query.hasNextPage}
          >
            <Button onClick={() => setAsked('list')}>
              <ListPlus size={16} aria-hidden />
              Put on a list
            </Button>
            <Button onClick={() => setAsked('remove')}>
              <Trash2 size={16} aria-hidden />
              Remove
            </Button>
          </SelectionBar>
          <PeopleTable
            {...paged}
            onOpen={personId => navigate({ search: before => ({ ...before, open: personId }) })}
          />
        </SelectionOf>
      )}
      {open !== undefined && (
        <PersonDrawer
          personId={open}
          onClose={() => navigate({ search: before => ({ ...before, open: undefined }) })}
        />
      )}
      <AddToList
        kind="people"
        ids={ids}
        open={asked === 'list'}
        onOpenChange={close}
        onDone={selection.clear}
      />
      <RemovePeople ids={ids} open={asked === 'remove'} onOpenChange={close} onDone={selection.clear} />
    </Page>
  );
}

function NobodySaved() {
  return (
    <Empty
      title="Nobody is saved yet"
      action={
        <LinkButton to="/people" look="primary">
          Find people
        </LinkButton>
      }
    >
      Find people by what they do, and save those whom you want to keep: they appear here, ready for lists and
      exports.
    </Empty>
  );
}
