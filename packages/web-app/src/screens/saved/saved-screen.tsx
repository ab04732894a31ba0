import { prices } from '@mailproof/shared-types';
import { getRouteApi } from '@tanstack/react-router';
import { ListPlus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { $api, api } from '../../api/client.ts';
import { byCursor, pagedRows, refreshSaved } from '../../api/shared-queries.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { countOf, formatCredits } from '../../design/format.ts';
import { Page, Row } from '../../design/layout.tsx';
import { SelectionBar, SelectionOf, useSelection } from '../../design/selection.tsx';
import { Answered, Empty } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { ExportButton } from '../exports/export-button.tsx';
import { AddToList } from './add-to-list.tsx';
import { type Chosen, chosenOf, forEachPart, sumOf } from './chosen.ts';
import { ExportSelected } from './export-selected.tsx';
import { FilterBar, SavedTabs } from './filter-bar.tsx';
import { filterQuery, filtersSet, matchingOf, noFilters, type SavedFilters } from './filters.ts';
import { PeopleTable, PersonDrawer } from './people-table.tsx';

const route = getRouteApi('/signed-in/saved');
const pageRows = 100;

/** All people that the account has saved. */
export function SavedScreen() {
  const { open, ...filters } = route.useSearch();
  const navigate = route.useNavigate();
  const [asked, setAsked] = useState<'list' | 'remove'>();
  const query = $api.useInfiniteQuery(
    'get',
    '/saved-people',
    { params: { query: { limit: pageRows, ...filterQuery(filters) } } },
    byCursor,
  );
  const { rows, ...paged } = pagedRows(query, ({ people }) => people);
  const selection = useSelection(rows.map(({ person_id }) => person_id));
  const total = query.data?.pages[0]?.total;
  const chosen = chosenOf(selection, total, matchingOf(filters));
  const isFiltered = filtersSet(filters) > 0;
  // The filters stay during a request, because the user may be about to change another one.
  const isEmpty = query.data !== undefined && rows.length === 0 && !isFiltered;
  function change(next: SavedFilters) {
    selection.clear();
    void navigate({ search: next, replace: true });
  }
  const close = (isOpen: boolean) => !isOpen && setAsked(undefined);
  return (
    <Page
      title="Saved people"
      lead="People you have saved or imported. Each field shows its source."
      actions={rows.length > 0 && !isFiltered && <ExportButton source={{ kind: 'saved_people' }} />}
    >
      <SavedTabs />
      {!isEmpty && <FilterBar kind="people" filters={filters} onChange={change} />}
      <Answered question={query} loading="Loading saved people" lines={6}>
        {() =>
          rows.length > 0 ? null : isEmpty ? (
            <NoSavedPeople />
          ) : (
            <Empty
              title="No matching people"
              action={<Button onClick={() => change(noFilters)}>Clear filters</Button>}
            >
              Remove a filter, or search for another part of the name.
            </Empty>
          )
        }
      </Answered>
      {rows.length > 0 && (
        <SelectionOf value={selection}>
          <SelectionBar
            selection={selection}
            total={total}
            hint="Select rows to export them, to add them to a list, or to remove them. Shift selects a range."
          >
            <ExportSelected
              kind="people"
              chosen={chosen}
              whole={chosen.count === total && !isFiltered ? { kind: 'saved_people' } : undefined}
            />
            <Button onClick={() => setAsked('list')}>
              <ListPlus size={16} aria-hidden />
              Add to list
            </Button>
            <Button onClick={() => setAsked('remove')}>
              <Trash2 size={16} aria-hidden />
              Remove
            </Button>
          </SelectionBar>
          <PeopleTable
            {...paged}
            isByUpdate={filters.sort === 'updated_at'}
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
        chosen={chosen}
        open={asked === 'list'}
        onOpenChange={close}
        onDone={selection.clear}
      />
      <RemovePeople chosen={chosen} open={asked === 'remove'} onOpenChange={close} onDone={selection.clear} />
    </Page>
  );
}

function NoSavedPeople() {
  return (
    <Empty
      title="No saved people yet"
      action={
        <Row>
          <LinkButton to="/people" look="primary">
            Find people
          </LinkButton>
          <LinkButton to="/saved/imports">Import people</LinkButton>
        </Row>
      }
    >
      Search for people, preview them for free, and save those whom you need: each costs a credit once. Or
      import your own people, free of charge. They appear here, ready for lists, exports and your CRM.
    </Empty>
  );
}

interface RemovePeopleProps {
  readonly chosen: Chosen;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  readonly onDone: () => void;
}

/** Removes saved people after a confirmation. */
function RemovePeople({ chosen, open, onOpenChange, onDone }: RemovePeopleProps) {
  async function remove() {
    const answers = await forEachPart(chosen, part =>
      api.POST('/saved-people/removals', { body: 'ids' in part ? { person_ids: part.ids } : part }),
    );
    const removed = sumOf(answers.map(answer => answer.removed));
    // Each request for matching people counts the same people that are kept.
    const kept = chosen.matching ? (answers.at(-1)?.kept ?? 0) : sumOf(answers.map(answer => answer.kept));
    announce(
      `${countOf(removed, 'person', 'people')} removed${kept > 0 ? `; ${kept} kept until their run ends` : ''}.`,
    );
    refreshSaved();
    onDone();
  }
  return (
    <Confirm
      title={`Remove ${countOf(chosen.count, 'person', 'people')}?`}
      lead={`They are removed from saved people and from every list. Nothing is refunded, and saving them again costs ${formatCredits(prices.savedPerson)} each. Imported people are deleted.`}
      verb="Remove"
      isDanger
      open={open}
      onOpenChange={onOpenChange}
      onConfirm={remove}
    />
  );
}
