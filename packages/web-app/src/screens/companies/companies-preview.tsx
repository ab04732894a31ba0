import { limits } from '@mailproof/shared-types';
import { useState } from 'react';
import { $api, type Schema } from '../../api/client.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { formatNumber } from '../../design/format.ts';
import { Card, Row } from '../../design/layout.tsx';
import { Monogram } from '../../design/monogram.tsx';
import { SelectCell, SelectionOf, SelectShown, useSelection } from '../../design/selection.tsx';
import { Empty, Failure } from '../../design/states.tsx';
import { type Column, DataTable, SiteLink } from '../../design/table.tsx';
import styles from '../people/people.module.css';
import { SaveChosen } from '../people/save-chosen.tsx';
import { wordsOf } from '../saved/words.ts';
import { type Search, useSaveCompanies } from './company-queries.ts';

type Company = Schema['FoundCompany'];

interface CompaniesPreviewProps {
  readonly search: Search;
  readonly title: string;
  /** Whether companies can be selected and saved. */
  readonly canSave?: boolean;
}

/** The preview of the first companies of a search. */
export function CompaniesPreview({ search, title, canSave = true }: CompaniesPreviewProps) {
  const saver = useSaveCompanies(search);
  const [wantsMore, setWantsMore] = useState(false);
  const more = $api.useInfiniteQuery(
    'get',
    '/company-searches/{search_id}/companies',
    { params: { path: { search_id: search.search_id } } },
    {
      enabled: wantsMore,
      initialPageParam: search.next_cursor ?? null,
      getNextPageParam: page => page.next_cursor,
    },
  );
  const further = wantsMore ? (more.data?.pages.flatMap(({ companies }) => companies) ?? []) : [];
  const companies = [...search.companies, ...further];
  const isOpen = canSave && search.active_run_id === null;
  const unsaved = isOpen ? companies.filter(({ is_saved }) => !is_saved) : [];
  const selection = useSelection(unsaved.map(({ company_id }) => company_id));
  const hasMore = wantsMore ? more.hasNextPage : search.next_cursor !== undefined;
  if (companies.length === 0) {
    return (
      <Empty title="No matches">
        No company in the store matches all of these filters right now. Change the filters.
      </Empty>
    );
  }
  const areInvented = companies.every(company => company.is_synthetic);
  return (
    <Card title={title}>
      <p className={styles.soft}>
        {`The first ${formatNumber(companies.length)} of ${formatNumber(search.total)}. Saved companies include location, employees, revenue, funding and profile.`}
        {areInvented && ' All of them are synthetic demo data.'}
      </p>
      {unsaved.length > 0 && <SaveChosen search={search} saver={saver} selection={selection} />}
      <SelectionOf value={selection}>
        <DataTable
          name="Companies"
          columns={unsaved.length > 0 ? [selectColumn, ...columns] : columns}
          rows={companies}
          rowId={({ company_id }) => company_id}
        />
      </SelectionOf>
      {more.isError && <Failure error={more.error} onRetry={more.refetch} />}
      <Row>
        {hasMore && (
          <Button
            busy={wantsMore && more.isFetching}
            onClick={() => (wantsMore ? more.fetchNextPage() : setWantsMore(true))}
          >
            Show more companies
          </Button>
        )}
        {!hasMore && search.total > companies.length && (
          <span className={styles.soft}>
            A preview shows at most {formatNumber(limits.previewedPeopleMax)} companies. Save them to see all.
          </span>
        )}
      </Row>
    </Card>
  );
}

const selectColumn: Column<Company> = {
  id: 'select',
  header: 'Select',
  heading: <SelectShown />,
  width: '3.25rem',
  cell: ({ company_id, company, is_saved }) =>
    is_saved ? null : <SelectCell id={company_id} name={company.name} />,
};

const columns: readonly Column<Company>[] = [
  {
    id: 'name',
    header: 'Company',
    width: 'minmax(11rem, 1.5fr)',
    cell: ({ company, is_saved }) => (
      <div className={styles.company}>
        <Monogram name={company.name} />
        <div className={styles.name}>
          <strong>{company.name}</strong>
          {is_saved && <Badge tone="good">Saved</Badge>}
        </div>
      </div>
    ),
  },
  {
    id: 'domain',
    header: 'Domain',
    width: 'minmax(9.5rem, 1fr)',
    cell: ({ company }) => <SiteLink domain={company.domain} />,
  },
  {
    id: 'industry',
    header: 'Industry',
    width: 'minmax(8rem, 1fr)',
    cell: ({ industry }) => wordsOf(industry),
  },
  {
    id: 'description',
    header: 'Description',
    width: 'minmax(12rem, 2fr)',
    cell: ({ description, keywords }) => (
      <div className={styles.words}>{description ?? (keywords.join(', ') || '–')}</div>
    ),
  },
];
