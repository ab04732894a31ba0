import { limits } from '@mailproof/shared-types';
import { useState } from 'react';
import { $api } from '../../api/client.ts';
import { Button } from '../../design/button.tsx';
import { Select } from '../../design/field.tsx';
import { formatNumber } from '../../design/format.ts';
import { Card, Row } from '../../design/layout.tsx';
import { SelectionOf, useSelection } from '../../design/selection.tsx';
import { Empty, Failure } from '../../design/states.tsx';
import { DataTable } from '../../design/table.tsx';
import { labelOf } from './filter-words.ts';
import { useFinding } from './finding.ts';
import { idOf, type PersonRow, previewColumns } from './preview-columns.tsx';
import { inOrder, type PreviewOrder, previewOrderNames, previewOrders } from './preview-order.ts';
import { SaveChosen } from './save-chosen.tsx';
import { pathsOf, type Search, usePeopleVocabulary, useSaver } from './search-queries.ts';
import styles from './searches.module.css';

interface SearchPreviewProps {
  readonly search: Search;
  readonly title: string;
  /** Whether people or companies can be selected and saved. */
  readonly canSave?: boolean;
}

/** The preview of the first people or companies of a search. */
export function SearchPreview({ search, title, canSave = true }: SearchPreviewProps) {
  const { kind, many, heading, none, all, alsoSaved } = useFinding();
  const vocabulary = usePeopleVocabulary();
  const saver = useSaver(search);
  const [wantsMore, setWantsMore] = useState(false);
  const more = $api.useInfiniteQuery(
    'get',
    pathsOf[kind].found,
    { params: { path: { search_id: search.search_id } } },
    {
      enabled: wantsMore,
      initialPageParam: search.next_cursor ?? null,
      getNextPageParam: page => page.next_cursor,
    },
  );
  const pages = [search, ...(wantsMore ? (more.data?.pages ?? []) : [])];
  const [order, setOrder] = useState<PreviewOrder>('found');
  const people = inOrder(
    pages.flatMap(page => ('people' in page ? page.people : [])),
    order,
  );
  const companies = inOrder(
    pages.flatMap(page => ('companies' in page ? page.companies : [])),
    order,
  );
  const found = [...people, ...companies];
  const isOpen = canSave && search.active_run_id === null;
  const unsaved = isOpen ? found.filter(({ is_saved }) => !is_saved) : [];
  const selection = useSelection(unsaved.map(idOf));
  const hasMore = wantsMore ? more.hasNextPage : search.next_cursor !== undefined;
  if (found.length === 0) {
    return (
      <Empty title="No matches">
        {none} in the store matches all of these filters right now. Change the filters.
      </Empty>
    );
  }
  const areInvented = found.every(({ is_synthetic }) => is_synthetic);
  const read: PersonRow['read'] = (name, value) => (value === null ? '–' : labelOf(vocabulary, name, value));
  const columns = unsaved.length > 0 ? 'selectable' : 'shown';
  return (
    <Card title={title}>
      <p className={styles.soft}>
        {`The first ${formatNumber(found.length)} of ${formatNumber(search.total)}. Saved ${many} include ${alsoSaved}.`}
        {areInvented && ' All of them are synthetic demo data.'}
      </p>
      <PreviewSort order={order} onChange={setOrder} />
      {unsaved.length > 0 && <SaveChosen search={search} saver={saver} selection={selection} />}
      <SelectionOf value={selection}>
        {kind === 'people' ? (
          <DataTable
            name={heading}
            columns={previewColumns.people[columns]}
            rows={people.map(person => ({ ...person, read, isMarked: person.is_synthetic && !areInvented }))}
            rowId={idOf}
          />
        ) : (
          <DataTable
            name={heading}
            columns={previewColumns.companies[columns]}
            rows={companies}
            rowId={idOf}
          />
        )}
      </SelectionOf>
      {more.isError && <Failure error={more.error} onRetry={more.refetch} />}
      <Row>
        {hasMore && (
          <Button
            busy={wantsMore && more.isFetching}
            onClick={() => (wantsMore ? more.fetchNextPage() : setWantsMore(true))}
          >
            Show more {many}
          </Button>
        )}
        {!hasMore && search.total > found.length && (
          <span className={styles.soft}>
            A preview shows at most {formatNumber(limits.previewedPeopleMax)} {many}. Save them to see{' '}
            {all.toLowerCase()}.
          </span>
        )}
      </Row>
    </Card>
  );
}

interface PreviewSortProps {
  readonly order: PreviewOrder;
  readonly onChange: (order: PreviewOrder) => void;
}

/** Sorts the people or companies that are shown. */
function PreviewSort({ order, onChange }: PreviewSortProps) {
  const { kind, many } = useFinding();
  const orders = previewOrders[kind];
  return (
    <div className={styles.sort}>
      <Select
        label={`Sort the ${many} shown by`}
        value={order}
        onChange={({ target }) => onChange(orders.find(each => each === target.value) ?? 'found')}
      >
        {orders.map(each => (
          <option key={each} value={each}>
            {previewOrderNames[each]}
          </option>
        ))}
      </Select>
    </div>
  );
}
