import { createContext, useContext } from 'react';
import { $api, type Schema } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { Badge } from '../../design/badge.tsx';
import { Drawer } from '../../design/dialog.tsx';
import { formatDay, formatMoment, formatNumber } from '../../design/format.ts';
import { Row } from '../../design/layout.tsx';
import { SelectCell, SelectShown } from '../../design/selection.tsx';
import { Empty, Failure, Loading, Notice } from '../../design/states.tsx';
import { type Column, RowButton, type VirtualRows, VirtualTable, WebLink } from '../../design/table.tsx';
import styles from './saved.module.css';
import { type SourcedFact, SourcedFacts } from './sourced-facts.tsx';
import { locationOf, moneyOf, wordsOf } from './words.ts';

export type Person = Schema['SavedPerson'];

const OpenPerson = createContext<(personId: string) => void>(() => undefined);

interface PeopleTableProps extends VirtualRows<Person> {
  /** Whether the rows are sorted by their last update, which is then shown. */
  readonly isByUpdate?: boolean;
  readonly onOpen: (personId: string) => void;
}

/** A table of any number of saved people. */
export function PeopleTable({ onOpen, isByUpdate = false, ...rows }: PeopleTableProps) {
  return (
    <OpenPerson value={onOpen}>
      <VirtualTable name="Saved people" columns={isByUpdate ? columnsByUpdate : columns} {...rows} />
    </OpenPerson>
  );
}

function NameCell({ person }: { readonly person: Person }) {
  const open = useContext(OpenPerson);
  return (
    <span className={styles.name}>
      <RowButton onClick={() => open(person.person_id)}>{person.name}</RowButton>
      {person.is_synthetic && <Badge>Synthetic</Badge>}
    </span>
  );
}

const columns: readonly Column<Person>[] = [
  {
    id: 'select',
    header: 'Select',
    heading: <SelectShown />,
    width: '3.25rem',
    cell: ({ person_id, name }) => <SelectCell id={person_id} name={name} />,
  },
  { id: 'name', header: 'Name', width: 'minmax(13rem, 2fr)', cell: person => <NameCell person={person} /> },
  {
    id: 'title',
    header: 'Job title',
    width: 'minmax(10.5rem, 2fr)',
    cell: ({ job_title }) => job_title ?? '–',
  },
  {
    id: 'company',
    header: 'Company',
    width: 'minmax(9.5rem, 1.5fr)',
    cell: ({ company }) => company.name ?? '–',
  },
  {
    id: 'location',
    header: 'Location',
    width: 'minmax(9.5rem, 1.5fr)',
    cell: ({ location }) => locationOf(location),
  },
  { id: 'seniority', header: 'Seniority', width: '8.75rem', cell: ({ seniority }) => wordsOf(seniority) },
  {
    id: 'saved',
    header: 'Saved',
    width: '7.5rem',
    align: 'end',
    cell: ({ saved_at }) => formatDay(saved_at),
  },
];

const columnsByUpdate: readonly Column<Person>[] = [
  ...columns.slice(0, -1),
  {
    id: 'updated',
    header: 'Updated',
    width: '7.5rem',
    align: 'end',
    cell: ({ updated_at }) => formatDay(updated_at),
  },
];

type SourcedPerson = Schema['SavedPersonWithProvenance'];

interface PersonDrawerProps {
  readonly personId: string;
  readonly onClose: () => void;
}

/** A saved person, with the source of every field. */
export function PersonDrawer({ personId, onClose }: PersonDrawerProps) {
  const query = $api.useQuery('get', '/saved-people/{person_id}', {
    params: { path: { person_id: personId } },
  });
  const person = query.data;
  const isGone = query.isError && asProblem(query.error).code === 'saved_person_not_found';
  return (
    <Drawer
      title={person?.name ?? 'Saved person'}
      lead={person && leadOf(person)}
      open
      onOpenChange={onClose}
    >
      {query.isPending && <Loading name="Loading person" lines={8} />}
      {isGone && <Empty title="No longer saved">The person may have been removed, or opted out.</Empty>}
      {query.isError && !isGone && <Failure error={query.error} onRetry={query.refetch} />}
      {person && (
        <>
          {person.is_synthetic && (
            <Notice tone="neutral" title="Synthetic person">
              <span>Demo data: this person does not exist.</span>
            </Notice>
          )}
          <h3>Data and sources</h3>
          <SourcedFacts facts={factsOf(person)} />
          <p className={styles.soft}>
            Saved {formatMoment(person.saved_at)}. Records of people contain no email address.
          </p>
        </>
      )}
    </Drawer>
  );
}

function badgesOf(badges: readonly string[]): SourcedFact['value'] {
  if (badges.length === 0) return null;
  return (
    <Row>
      {badges.map(badge => (
        <Badge key={badge}>{wordsOf(badge)}</Badge>
      ))}
    </Row>
  );
}

function leadOf({ job_title, company }: SourcedPerson): string | undefined {
  return [job_title, company.name].filter(Boolean).join(', ') || undefined;
}

function factsOf(person: SourcedPerson): SourcedFact[] {
  const { provenance, follower_count, connection_count } = person;
  const fact = (field: string, name: string, value: SourcedFact['value']) => ({
    name,
    value,
    source: provenance[field],
  });
  return [
    fact('name', 'Name', person.name),
    fact('job_title', 'Job title', person.job_title),
    fact('headline', 'Headline', person.headline),
    fact('seniority', 'Seniority', wordsOf(person.seniority)),
    fact('department', 'Department', wordsOf(person.department)),
    fact('location', 'Location', locationOf(person.location)),
    fact('company', 'Company', [person.company.name, person.company.domain].filter(Boolean).join(', ')),
    fact('industry', 'Industry', wordsOf(person.industry)),
    fact('company_size', 'Company size', person.company_size),
    // If the exact number is known, the band follows from it.
    ...(person.annual_revenue_usd === null
      ? [fact('revenue', 'Company revenue', person.revenue)]
      : [fact('annual_revenue_usd', 'Company revenue', moneyOf(person.annual_revenue_usd, null))]),
    fact('company_type', 'Company type', wordsOf(person.company_type)),
    fact('website', 'Website', <WebLink url={person.website} />),
    fact('profile_url', 'Profile', <WebLink url={person.profile_url} />),
    fact('follower_count', 'Followers', follower_count === null ? null : formatNumber(follower_count)),
    fact(
      'connection_count',
      'Connections',
      connection_count === null ? null : formatNumber(connection_count),
    ),
    fact('keywords', 'Keywords', person.keywords.join(', ')),
    fact('profile_badges', 'Profile badges', badgesOf(person.profile_badges)),
  ];
}
