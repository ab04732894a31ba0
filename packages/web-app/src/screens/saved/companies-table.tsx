import { createContext, useContext } from 'react';
import type { Schema } from '../../api/client.ts';
import { Badge } from '../../design/badge.tsx';
import { Drawer } from '../../design/dialog.tsx';
import { formatDay, formatMoment, formatNumber } from '../../design/format.ts';
import { Facts } from '../../design/layout.tsx';
import { Monogram } from '../../design/monogram.tsx';
import { SelectCell, SelectShown } from '../../design/selection.tsx';
import { Notice } from '../../design/states.tsx';
import {
  type Column,
  RowButton,
  SiteLink,
  type VirtualRows,
  VirtualTable,
  WebLink,
} from '../../design/table.tsx';
import styles from './saved.module.css';
import { SourceLine } from './sourced-facts.tsx';
import { locationOf, moneyOf, wordsOf } from './words.ts';

export type SavedCompany = Schema['SavedCompany'];

const OpenCompany = createContext<(companyId: string) => void>(() => undefined);

interface CompaniesTableProps extends VirtualRows<SavedCompany> {
  /** Whether the rows are sorted by their last update, which is then shown. */
  readonly isByUpdate?: boolean;
  readonly onOpen: (companyId: string) => void;
}

/** A table of any number of paid companies. */
export function CompaniesTable({ onOpen, isByUpdate = false, ...rows }: CompaniesTableProps) {
  return (
    <OpenCompany value={onOpen}>
      <VirtualTable name="Companies" columns={isByUpdate ? columnsByUpdate : columns} {...rows} />
    </OpenCompany>
  );
}

function NameCell({ company }: { readonly company: SavedCompany }) {
  const open = useContext(OpenCompany);
  return (
    <span className={styles.name}>
      <Monogram name={company.name} />
      <RowButton onClick={() => open(company.company_id)}>{company.name}</RowButton>
      {company.is_synthetic && <Badge>Synthetic</Badge>}
    </span>
  );
}

const columns: readonly Column<SavedCompany>[] = [
  {
    id: 'select',
    header: 'Select',
    heading: <SelectShown />,
    width: '3.25rem',
    cell: ({ company_id, name }) => <SelectCell id={company_id} name={name} />,
  },
  {
    id: 'name',
    header: 'Company',
    width: 'minmax(11rem, 2fr)',
    cell: company => <NameCell company={company} />,
  },
  {
    id: 'domain',
    header: 'Domain',
    width: 'minmax(9.5rem, 1.5fr)',
    cell: ({ domain }) => <SiteLink domain={domain} />,
  },
  {
    id: 'industry',
    header: 'Industry',
    width: 'minmax(7.5rem, 1fr)',
    cell: ({ industry }) => wordsOf(industry),
  },
  {
    id: 'location',
    header: 'Location',
    width: 'minmax(8.5rem, 1.5fr)',
    cell: ({ location }) => locationOf(location),
  },
  {
    id: 'employees',
    header: 'Employees',
    width: '6.5rem',
    align: 'end',
    cell: ({ employee_count, company_size }) =>
      employee_count === null ? (company_size ?? '–') : formatNumber(employee_count),
  },
  { id: 'paid', header: 'Saved', width: '7.5rem', align: 'end', cell: ({ paid_at }) => formatDay(paid_at) },
];

const columnsByUpdate: readonly Column<SavedCompany>[] = [
  ...columns.slice(0, -1),
  {
    id: 'updated',
    header: 'Updated',
    width: '7.5rem',
    align: 'end',
    cell: ({ updated_at }) => formatDay(updated_at),
  },
];

interface CompanyDrawerProps {
  readonly company: SavedCompany;
  readonly onClose: () => void;
}

/** The details of a paid company and the sources of its record. */
export function CompanyDrawer({ company, onClose }: CompanyDrawerProps) {
  const { employee_count, company_size } = company;
  return (
    <Drawer title={company.name} open onOpenChange={onClose}>
      {company.is_synthetic && (
        <Notice tone="neutral" title="Synthetic company">
          <span>Demo data: the domain does not exist.</span>
        </Notice>
      )}
      {company.description && <p className={styles.long}>{company.description}</p>}
      <Facts
        facts={[
          ['Domain', <SiteLink key="domain" domain={company.domain} />],
          ['Website', <WebLink key="website" url={company.website} />],
          ['Industry', wordsOf(company.industry)],
          ['Type', wordsOf(company.company_type)],
          ['Location', locationOf(company.location)],
          ['Employees', employee_count === null ? (company_size ?? '–') : formatNumber(employee_count)],
          ['Revenue', moneyOf(company.annual_revenue_usd, company.revenue)],
          ['Funding', moneyOf(company.funding_usd, null)],
          ['Categories', company.categories.join(', ') || '–'],
          ['Keywords', company.keywords.join(', ') || '–'],
          ['Profile', <WebLink key="profile" url={company.profile_url} />],
        ]}
      />
      <h3>Source</h3>
      <SourceLine source={company.source} />
      <p className={styles.soft}>Saved {formatMoment(company.paid_at)}.</p>
    </Drawer>
  );
}
