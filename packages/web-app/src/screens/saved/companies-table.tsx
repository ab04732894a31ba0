import { createContext, useContext } from 'react';
import type { Schema } from '../../api/client.ts';
import { Badge } from '../../design/badge.tsx';
import { formatDay, formatNumber } from '../../design/format.ts';
import { RowButton } from '../../design/row-button.tsx';
import { SiteLink } from '../../design/site-link.tsx';
import { type Column, type VirtualRows, VirtualTable } from '../../design/table.tsx';
import styles from './saved.module.css';
import { SelectCell } from './selection.tsx';
import { placeOf } from './words.ts';

export type SavedCompany = Schema['SavedCompany'];

const OpenCompany = createContext<(companyId: string) => void>(() => undefined);

interface CompaniesTableProps extends VirtualRows<SavedCompany> {
  readonly onOpen: (companyId: string) => void;
}

/** Companies that were paid for, as many as there are. */
export function CompaniesTable({ onOpen, ...rows }: CompaniesTableProps) {
  return (
    <OpenCompany value={onOpen}>
      <VirtualTable name="Companies" columns={columns} {...rows} />
    </OpenCompany>
  );
}

function NameCell({ company }: { readonly company: SavedCompany }) {
  const open = useContext(OpenCompany);
  return (
    <span className={styles.name}>
      <RowButton onClick={() => open(company.company_id)}>{company.name}</RowButton>
      {company.is_synthetic && <Badge tone="caution">Invented</Badge>}
    </span>
  );
}

const columns: readonly Column<SavedCompany>[] = [
  {
    id: 'select',
    header: 'Select',
    width: '4rem',
    cell: ({ company_id, name }) => <SelectCell id={company_id} name={name} />,
  },
  {
    id: 'name',
    header: 'Company',
    width: 'minmax(13rem, 2fr)',
    cell: company => <NameCell company={company} />,
  },
  {
    id: 'domain',
    header: 'Domain',
    width: 'minmax(10.5rem, 1.5fr)',
    cell: ({ domain }) => <SiteLink domain={domain} />,
  },
  {
    id: 'industry',
    header: 'Industry',
    width: 'minmax(8.5rem, 1fr)',
    cell: ({ industry }) => industry ?? '–',
  },
  { id: 'place', header: 'Place', width: 'minmax(10rem, 1.5fr)', cell: ({ location }) => placeOf(location) },
  {
    id: 'employees',
    header: 'Employees',
    width: '7rem',
    align: 'end',
    cell: ({ employee_count, company_size }) =>
      employee_count === null ? (company_size ?? '–') : formatNumber(employee_count),
  },
  { id: 'paid', header: 'Fetched', width: '7.5rem', align: 'end', cell: ({ paid_at }) => formatDay(paid_at) },
];
