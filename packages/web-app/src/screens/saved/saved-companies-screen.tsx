import { getRouteApi } from '@tanstack/react-router';
import { ListPlus } from 'lucide-react';
import { useState } from 'react';
import { $api } from '../../api/client.ts';
import { byCursor, pagedRows } from '../../api/shared-queries.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { Page } from '../../design/layout.tsx';
import { SelectionBar, SelectionOf, useSelection } from '../../design/selection.tsx';
import { Answered, Empty } from '../../design/states.tsx';
import { ExportButton } from '../exports/export-button.tsx';
import { AddToList } from './add-to-list.tsx';
import { chosenOf } from './chosen.ts';
import { CompaniesTable, CompanyDrawer } from './companies-table.tsx';
import { ExportSelected } from './export-selected.tsx';
import { FilterBar, SavedTabs } from './filter-bar.tsx';
import { filtersOfCompanies, filtersSet, matchingOf, noFilters, type SavedFilters } from './filters.ts';

const route = getRouteApi('/signed-in/saved/companies');
const pageRows = 100;

/** All companies that the account has paid for. */
export function SavedCompaniesScreen() {
  const { open, ...search } = route.useSearch();
  const filters = filtersOfCompanies(search);
  const navigate = route.useNavigate();
  const [isAdding, setAdding] = useState(false);
  const { text, country, sort } = filters;
  const query = $api.useInfiniteQuery(
    'get',
    '/saved-companies',
    {
      params: {
        query: {
          limit: pageRows,
          ...(text && { text }),
          ...(country && { country }),
          ...(sort && { sort }),
        },
      },
    },
    byCursor,
  );
  const { rows, ...paged } = pagedRows(query, ({ companies }) => companies);
  const selection = useSelection(rows.map(({ company_id }) => company_id));
  const total = query.data?.pages[0]?.total;
  const chosen = chosenOf(selection, total, matchingOf(filters));
  const isFiltered = filtersSet(filters) > 0;
  const isEmpty = query.data !== undefined && rows.length === 0 && !isFiltered;
  const company = rows.find(({ company_id }) => company_id === open);
  function change(next: SavedFilters) {
    selection.clear();
    void navigate({ search: next, replace: true });
  }
  const show = (id: string | undefined) => navigate({ search: before => ({ ...before, open: id }) });
  return (
    <Page
      title="Saved companies"
      lead="Companies you have paid for, from company searches and lookalikes."
      actions={rows.length > 0 && !isFiltered && <ExportButton source={{ kind: 'saved_companies' }} />}
    >
      <SavedTabs />
      {!isEmpty && <FilterBar kind="companies" filters={filters} onChange={change} />}
      <Answered question={query} loading="Loading saved companies" lines={6}>
        {() =>
          rows.length > 0 ? null : isEmpty ? (
            <Empty
              title="No saved companies yet"
              action={
                <LinkButton to="/companies" look="primary">
                  Find companies
                </LinkButton>
              }
            >
              Search for companies, preview them for free, and save those that you need. They appear here,
              ready for lists, exports and your CRM.
            </Empty>
          ) : (
            <Empty
              title="No matching companies"
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
            hint="Select rows to export them or to add them to a list. Shift selects a range."
          >
            <ExportSelected
              kind="companies"
              chosen={chosen}
              whole={chosen.count === total && !isFiltered ? { kind: 'saved_companies' } : undefined}
            />
            <Button onClick={() => setAdding(true)}>
              <ListPlus size={16} aria-hidden />
              Add to list
            </Button>
          </SelectionBar>
          <CompaniesTable {...paged} isByUpdate={sort === 'updated_at'} onOpen={show} />
        </SelectionOf>
      )}
      {company && <CompanyDrawer company={company} onClose={() => show(undefined)} />}
      <AddToList
        kind="companies"
        chosen={chosen}
        open={isAdding}
        onOpenChange={setAdding}
        onDone={selection.clear}
      />
    </Page>
  );
}
