import { limits } from '@mailproof/shared-types';
import { useState } from 'react';
import { $api, type Schema } from '../../api/client.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Select } from '../../design/field.tsx';
import { formatNumber } from '../../design/format.ts';
import { Card, Row } from '../../design/layout.tsx';
import { Monogram } from '../../design/monogram.tsx';
import { SelectCell, SelectionOf, SelectShown, useSelection } from '../../design/selection.tsx';
import { Empty, Failure } from '../../design/states.tsx';
import { type Column, DataTable } from '../../design/table.tsx';
import { employeesOf } from '../saved/words.ts';
import type { ValuesFilter } from './filter-fields.ts';
import { labelOf } from './filter-words.ts';
import styles from './people.module.css';
import { usePeopleVocabulary, useSavePeople } from './people-queries.ts';
import { inOrder, type PreviewOrder, previewOrderNames, previewOrders } from './preview-order.ts';
import { SaveChosen } from './save-chosen.tsx';

type Person = Schema['PreviewedPerson'];

interface PersonRow extends Person {
  /** Whether to mark this person as synthetic. */
  readonly isMarked: boolean;
  readonly read: (name: ValuesFilter, value: string | null) => string;
}

interface PeoplePreviewProps {
  readonly search: Schema['PreviewedPeopleSearch'];
  readonly title: string;
  /** Whether people can be selected and saved. */
  readonly canSave?: boolean;
}

/** The preview of the first people of a search. */
export function PeoplePreview({ search, title, canSave = true }: PeoplePreviewProps) {
  const vocabulary = usePeopleVocabulary();
  const saver = useSavePeople(search);
  const [wantsMore, setWantsMore] = useState(false);
  const more = $api.useInfiniteQuery(
    'get',
    '/people-searches/{search_id}/people',
    { params: { path: { search_id: search.search_id } } },
    {
      enabled: wantsMore,
      initialPageParam: search.next_cursor ?? null,
      getNextPageParam: page => page.next_cursor,
    },
  );
  const further = wantsMore ? (more.data?.pages.flatMap(({ people }) => people) ?? []) : [];
  const [order, setOrder] = useState<PreviewOrder>('found');
  const people = inOrder([...search.people, ...further], order);
  const isOpen = canSave && search.active_run_id === null;
  const unsaved = isOpen ? people.filter(({ is_saved }) => !is_saved) : [];
  const selection = useSelection(unsaved.map(({ person_id }) => person_id));
  const hasMore = wantsMore ? more.hasNextPage : search.next_cursor !== undefined;
  if (people.length === 0) {
    return (
      <Empty title="No matches">
        No one in the store matches all of these filters right now. Change the filters.
      </Empty>
    );
  }
  const areInvented = people.every(person => person.is_synthetic);
  const read: PersonRow['read'] = (name, value) => (value === null ? '–' : labelOf(vocabulary, name, value));
  return (
    <Card title={title}>
      <p className={styles.soft}>
        {`The first ${formatNumber(people.length)} of ${formatNumber(search.total)}. Saved people include keywords, revenue, website and profile.`}
        {areInvented && ' All of them are synthetic demo data.'}
      </p>
      <PreviewSort order={order} onChange={setOrder} />
      {unsaved.length > 0 && <SaveChosen search={search} saver={saver} selection={selection} />}
      <SelectionOf value={selection}>
        <DataTable
          name="People"
          columns={unsaved.length > 0 ? selectableColumns : columns}
          rows={people.map(person => ({ ...person, read, isMarked: person.is_synthetic && !areInvented }))}
          rowId={person => person.person_id}
        />
      </SelectionOf>
      {more.isError && <Failure error={more.error} onRetry={more.refetch} />}
      <Row>
        {hasMore && (
          <Button
            busy={wantsMore && more.isFetching}
            onClick={() => (wantsMore ? more.fetchNextPage() : setWantsMore(true))}
          >
            Show more people
          </Button>
        )}
        {!hasMore && search.total > people.length && (
          <span className={styles.soft}>
            A preview shows at most {formatNumber(limits.previewedPeopleMax)} people. Save them to see
            everyone.
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

/** Sorts the people who are shown. */
function PreviewSort({ order, onChange }: PreviewSortProps) {
  return (
    <div className={styles.sort}>
      <Select
        label="Sort the people shown by"
        value={order}
        onChange={({ target }) => onChange(previewOrders.find(each => each === target.value) ?? 'found')}
      >
        {previewOrders.map(each => (
          <option key={each} value={each}>
            {previewOrderNames[each]}
          </option>
        ))}
      </Select>
    </div>
  );
}

const selectColumn: Column<PersonRow> = {
  id: 'select',
  header: 'Select',
  heading: <SelectShown />,
  width: '3.25rem',
  cell: ({ person_id, name, is_saved }) => (is_saved ? null : <SelectCell id={person_id} name={name} />),
};

const columns: readonly Column<PersonRow>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 'minmax(9rem, 1.2fr)',
    cell: person => (
      <div className={styles.name}>
        <strong>{person.name}</strong>
        {(person.is_saved || person.isMarked) && (
          <Row>
            {person.is_saved && <Badge tone="good">Saved</Badge>}
            {person.isMarked && <Badge>Synthetic</Badge>}
          </Row>
        )}
      </div>
    ),
  },
  {
    id: 'title',
    header: 'Job title',
    width: 'minmax(10rem, 1.5fr)',
    cell: ({ job_title, seniority, department, read }) => (
      <div className={styles.name}>
        {job_title ?? '–'}
        <span>
          {[seniority && read('seniorities', seniority), department && read('departments', department)]
            .filter(Boolean)
            .join(' · ')}
        </span>
      </div>
    ),
  },
  {
    id: 'company',
    header: 'Company',
    width: 'minmax(10rem, 1.5fr)',
    cell: ({ company, industry, company_size, read }) => (
      <div className={styles.company}>
        <Monogram name={company.name ?? company.domain ?? ''} />
        <div className={styles.name}>
          {company.name ?? company.domain ?? '–'}
          <span>
            {[industry && read('industries', industry), company_size && employeesOf(company_size)]
              .filter(Boolean)
              .join(' · ')}
          </span>
        </div>
      </div>
    ),
  },
  {
    id: 'location',
    header: 'Location',
    width: 'minmax(7.5rem, 1fr)',
    cell: ({ location, read }) => (
      <div className={styles.name}>
        {location.city ?? location.region ?? read('countries', location.country)}
        {(location.city || location.region) && location.country && (
          <span>{read('countries', location.country)}</span>
        )}
      </div>
    ),
  },
];

const selectableColumns = [selectColumn, ...columns];
