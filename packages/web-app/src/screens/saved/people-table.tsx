import { createContext, useContext } from 'react';
import type { Schema } from '../../api/client.ts';
import { Badge } from '../../design/badge.tsx';
import { formatDay } from '../../design/format.ts';
import { RowButton } from '../../design/row-button.tsx';
import { type Column, type VirtualRows, VirtualTable } from '../../design/table.tsx';
import styles from './saved.module.css';
import { SelectCell } from './selection.tsx';
import { placeOf, wordsOf } from './words.ts';

export type Person = Schema['SavedPerson'];

const OpenPerson = createContext<(personId: string) => void>(() => undefined);

interface PeopleTableProps extends VirtualRows<Person> {
  readonly onOpen: (personId: string) => void;
}

/** Saved people, as many as there are. */
export function PeopleTable({ onOpen, ...rows }: PeopleTableProps) {
  return (
    <OpenPerson value={onOpen}>
      <VirtualTable name="Saved people" columns={columns} {...rows} />
    </OpenPerson>
  );
}

function NameCell({ person }: { readonly person: Person }) {
  const open = useContext(OpenPerson);
  return (
    <span className={styles.name}>
      <RowButton onClick={() => open(person.person_id)}>{person.name}</RowButton>
      {person.is_synthetic && <Badge tone="caution">Invented</Badge>}
    </span>
  );
}

const columns: readonly Column<Person>[] = [
  {
    id: 'select',
    header: 'Select',
    width: '4rem',
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
  { id: 'place', header: 'Place', width: 'minmax(9.5rem, 1.5fr)', cell: ({ location }) => placeOf(location) },
  { id: 'seniority', header: 'Seniority', width: '7.5rem', cell: ({ seniority }) => wordsOf(seniority) },
  {
    id: 'saved',
    header: 'Saved',
    width: '7.5rem',
    align: 'end',
    cell: ({ saved_at }) => formatDay(saved_at),
  },
];
