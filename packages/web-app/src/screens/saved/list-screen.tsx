import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ListMinus, ListPlus, Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { $api, api } from '../../api/client.ts';
import {
  byCursor,
  pagedRows,
  refreshSaved,
  type SavedList,
  savedListsQuery,
} from '../../api/shared-queries.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { countOf } from '../../design/format.ts';
import { Page, Row } from '../../design/layout.tsx';
import { SelectionBar, SelectionOf, useSelection } from '../../design/selection.tsx';
import { Answered, Empty } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { ExportButton } from '../exports/export-button.tsx';
import { AddToList } from './add-to-list.tsx';
import { chosenOf, forEachPart, sumOf } from './chosen.ts';
import { CompaniesTable, CompanyDrawer, type SavedCompany } from './companies-table.tsx';
import { ExportSelected } from './export-selected.tsx';
import { FilterBar } from './filter-bar.tsx';
import {
  filterQuery,
  filtersOfCompanies,
  filtersSet,
  matchingOf,
  noFilters,
  type SavedFilters,
} from './filters.ts';
import { ListDialog } from './list-dialog.tsx';
import { ListDomains } from './list-domains.tsx';
import { KindBadge, Tags } from './lists-screen.tsx';
import { PeopleTable, type Person, PersonDrawer } from './people-table.tsx';

const route = getRouteApi('/signed-in/saved/lists/$listId');
const pageRows = 100;

/** One list with its entries. */
export function ListScreen() {
  const { listId } = route.useParams();
  const query = useQuery(savedListsQuery);
  const list = query.data?.find(({ list_id }) => list_id === listId);
  if (list) return <List key={listId} list={list} />;
  return (
    <Page title="Saved list">
      <Answered question={query} loading="Loading list">
        {() => (
          <Empty title="List not found" action={<LinkButton to="/saved/lists">All lists</LinkButton>}>
            It may have been deleted.
          </Empty>
        )}
      </Answered>
    </Page>
  );
}

function List({ list }: { readonly list: SavedList }) {
  const [asked, setAsked] = useState<'change' | 'delete'>();
  const navigate = route.useNavigate();
  const close = (isOpen: boolean) => !isOpen && setAsked(undefined);
  async function remove() {
    await api.DELETE('/saved-lists/{list_id}', { params: { path: { list_id: list.list_id } } });
    announce('List deleted.');
    await navigate({ to: '/saved/lists' });
    refreshSaved();
  }
  return (
    <Page
      title={list.name}
      lead={
        <Row>
          <KindBadge kind={list.kind} />
          <span>{countOf(list.entries, 'entry', 'entries')}</span>
          {list.domains > 0 && <span>{countOf(list.domains, 'domain')}</span>}
          <Tags tags={list.tags} />
        </Row>
      }
      actions={
        <>
          {list.entries > 0 && (
            <ExportButton
              source={{
                kind: list.kind === 'people' ? 'saved_people' : 'saved_companies',
                list_id: list.list_id,
              }}
              name={list.name}
            />
          )}
          <Button onClick={() => setAsked('change')}>
            <Pencil size={16} aria-hidden />
            Edit
          </Button>
          <Button onClick={() => setAsked('delete')}>
            <Trash2 size={16} aria-hidden />
            Delete
          </Button>
        </>
      }
    >
      {(list.kind === 'people' || list.entries > 0 || list.domains === 0) && <Entries list={list} />}
      {list.kind === 'companies' && <ListDomains list={list} />}
      {asked === 'change' && <ListDialog list={list} open onOpenChange={close} />}
      <Confirm
        title="Delete this list?"
        lead={`${countOf(list.entries, 'record')} on it ${list.entries === 1 ? 'stays' : 'stay'} saved. Searches that use the list as a filter need other filters then.`}
        verb="Delete"
        isDanger
        open={asked === 'delete'}
        onOpenChange={close}
        onConfirm={remove}
      />
    </Page>
  );
}

type Entry = Person | SavedCompany;

function Entries({ list: { list_id, kind } }: { readonly list: SavedList }) {
  const { open, ...search } = route.useSearch();
  const filters = kind === 'people' ? search : filtersOfCompanies(search);
  const navigate = route.useNavigate();
  const [asked, setAsked] = useState<'remove' | 'add'>();
  const query = $api.useInfiniteQuery(
    'get',
    '/saved-lists/{list_id}/entries',
    { params: { path: { list_id }, query: { limit: pageRows, ...filterQuery(filters) } } },
    byCursor,
  );
  const { rows, rowAt, ...paged } = pagedRows(query, (page): readonly Entry[] =>
    page.kind === 'people' ? page.people : page.companies,
  );
  const selection = useSelection(rows.map(idOf));
  const total = query.data?.pages[0]?.total;
  const matching = matchingOf(filters);
  const chosen = chosenOf(selection, total, { ...matching, list_id });
  // The filters stay during a request, because the user may be about to change another one.
  const isEmpty = query.data !== undefined && rows.length === 0 && filtersSet(filters) === 0;
  const isWhole = chosen.count === total && filtersSet(filters) === 0;
  const sourceKind = kind === 'people' ? 'saved_people' : 'saved_companies';
  const company = kind === 'companies' ? rows.find(row => idOf(row) === open) : undefined;
  function change(next: SavedFilters) {
    selection.clear();
    void navigate({ search: next, replace: true });
  }
  const show = (id: string | undefined) => navigate({ search: before => ({ ...before, open: id }) });
  const close = (isOpen: boolean) => !isOpen && setAsked(undefined);
  async function remove() {
    const answers = await forEachPart(chosen, part =>
      api.POST('/saved-lists/{list_id}/entries/removals', {
        params: { path: { list_id } },
        body: 'ids' in part ? part : { matching },
      }),
    );
    announce(`${countOf(sumOf(answers.map(({ removed }) => removed)), 'record')} removed from the list.`);
    selection.clear();
    refreshSaved();
  }
  return (
    <>
      {!isEmpty && <FilterBar kind={kind} filters={filters} onChange={change} />}
      <Answered question={query} loading="Loading entries" lines={6}>
        {() =>
          rows.length > 0 ? null : isEmpty ? (
            <NoEntries kind={kind} />
          ) : (
            <Empty
              title="No matching records"
              action={<Button onClick={() => change(noFilters)}>Clear filters</Button>}
            />
          )
        }
      </Answered>
      {rows.length > 0 && (
        <SelectionOf value={selection}>
          <SelectionBar
            selection={selection}
            total={total}
            hint="Select rows to export them, to add them to another list, or to remove them. Shift selects a range."
          >
            <ExportSelected
              kind={kind}
              chosen={chosen}
              whole={isWhole ? { kind: sourceKind, list_id } : undefined}
            />
            <Button onClick={() => setAsked('add')}>
              <ListPlus size={16} aria-hidden />
              Add to list
            </Button>
            <Button onClick={() => setAsked('remove')}>
              <ListMinus size={16} aria-hidden />
              Remove from list
            </Button>
          </SelectionBar>
          {kind === 'people' ? (
            <PeopleTable
              {...paged}
              isByUpdate={filters.sort === 'updated_at'}
              rowAt={index => personAt(rowAt(index))}
              onOpen={show}
            />
          ) : (
            <CompaniesTable
              {...paged}
              isByUpdate={filters.sort === 'updated_at'}
              rowAt={index => companyAt(rowAt(index))}
              onOpen={show}
            />
          )}
        </SelectionOf>
      )}
      {open !== undefined && kind === 'people' && (
        <PersonDrawer personId={open} onClose={() => show(undefined)} />
      )}
      {company && 'company_id' in company && (
        <CompanyDrawer company={company} onClose={() => show(undefined)} />
      )}
      <AddToList
        kind={kind}
        chosen={chosen}
        open={asked === 'add'}
        onOpenChange={close}
        onDone={selection.clear}
      />
      <Confirm
        title={`Remove ${countOf(chosen.count, 'record')} from this list?`}
        lead="The records stay saved and on other lists."
        verb="Remove"
        open={asked === 'remove'}
        onOpenChange={close}
        onConfirm={remove}
      />
    </>
  );
}

function NoEntries({ kind }: Pick<SavedList, 'kind'>) {
  return kind === 'people' ? (
    <Empty
      title="No people on this list yet"
      action={
        <LinkButton to="/saved" look="primary">
          Choose from saved people
        </LinkButton>
      }
    >
      Select saved people and add them to this list.
    </Empty>
  ) : (
    <Empty
      title="No companies on this list yet"
      action={
        <LinkButton to="/companies" look="primary">
          Find companies
        </LinkButton>
      }
    >
      Company searches and lookalike searches add what they save to the list that you choose there.
    </Empty>
  );
}

function idOf(entry: Entry): string {
  return 'person_id' in entry ? entry.person_id : entry.company_id;
}

function personAt(entry: Entry | undefined): Person | undefined {
  return entry && 'person_id' in entry ? entry : undefined;
}

function companyAt(entry: Entry | undefined): SavedCompany | undefined {
  return entry && 'company_id' in entry ? entry : undefined;
}
