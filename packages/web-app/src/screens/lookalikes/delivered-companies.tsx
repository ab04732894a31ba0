import { getRouteApi } from '@tanstack/react-router';
import { createContext, useContext } from 'react';
import { $api } from '../../api/client.ts';
import { byCursor, pagedRows } from '../../api/shared-queries.ts';
import { Drawer } from '../../design/dialog.tsx';
import { formatDollars, formatNumber } from '../../design/format.ts';
import { Facts } from '../../design/layout.tsx';
import { Monogram } from '../../design/monogram.tsx';
import { Failure, Loading, Notice } from '../../design/states.tsx';
import { type Column, RowButton, SiteLink, VirtualTable, WebLink } from '../../design/table.tsx';
import { wordsOf } from '../saved/words.ts';
import { ReasonsWhy, StrengthMark } from './likeness.tsx';
import styles from './lookalikes.module.css';
import { type Company, isPaid } from './question.ts';

const route = getRouteApi('/signed-in/lookalikes/$searchId');
const pageRows = 100;
const OpenCompany = createContext<(companyId: string | undefined) => void>(() => undefined);

/** The companies that a search's runs fetched, in ranking order, with all known fields. */
export function DeliveredCompanies({ searchId }: { readonly searchId: string }) {
  const { company: openId } = route.useSearch();
  const navigate = route.useNavigate();
  const setOpen = (company: string | undefined) =>
    void navigate({ search: before => ({ ...before, company }) });
  const query = $api.useInfiniteQuery(
    'get',
    '/lookalike-searches/{search_id}/companies',
    { params: { path: { search_id: searchId }, query: { limit: pageRows } } },
    byCursor,
  );
  const { rows, ...paged } = pagedRows(query, ({ companies }) => companies.filter(isPaid));
  const open = rows.find(({ company_id }) => company_id === openId);
  return (
    <OpenCompany value={setOpen}>
      {query.isPending && <Loading name="Loading companies" lines={6} />}
      {query.isError && <Failure error={query.error} onRetry={query.refetch} />}
      {rows.length > 0 && <VirtualTable name="Fetched companies" columns={columns} {...paged} />}
      {open && <CompanyDrawer company={open} onClose={() => setOpen(undefined)} />}
    </OpenCompany>
  );
}

function NameCell({ company }: { readonly company: Company }) {
  const open = useContext(OpenCompany);
  return (
    <span className={styles.delivered}>
      <Monogram name={company.company.name} />
      <RowButton onClick={() => open(company.company_id)}>{company.company.name}</RowButton>
    </span>
  );
}

const columns: readonly Column<Company>[] = [
  {
    id: 'name',
    header: 'Company',
    width: 'minmax(13rem, 2fr)',
    cell: company => <NameCell company={company} />,
  },
  {
    id: 'strength',
    header: 'Match',
    width: '8.5rem',
    cell: company => <StrengthMark strength={company.match_strength} />,
  },
  {
    id: 'domain',
    header: 'Domain',
    width: 'minmax(10rem, 1.5fr)',
    cell: ({ company }) => <SiteLink domain={company.domain} />,
  },
  {
    id: 'industry',
    header: 'Industry',
    width: 'minmax(7.5rem, 1fr)',
    cell: company => wordsOf(company.industry),
  },
  { id: 'location', header: 'Location', width: 'minmax(9.5rem, 1.5fr)', cell: locationOf },
  { id: 'employees', header: 'Employees', width: '6.5rem', align: 'end', cell: employeesOf },
  { id: 'revenue', header: 'Revenue', width: '7.5rem', align: 'end', cell: revenueOf },
];

function CompanyDrawer({ company, onClose }: { readonly company: Company; readonly onClose: () => void }) {
  const { funding, links, categories, keywords } = company;
  return (
    <Drawer title={company.company.name} open onOpenChange={onClose}>
      <StrengthMark strength={company.match_strength} />
      {company.is_synthetic && <Notice tone="neutral">This company is synthetic demo data.</Notice>}
      {company.description && <p className={styles.long}>{company.description}</p>}
      <ReasonsWhy reasons={company.reasons} />
      <Facts
        facts={[
          ['Domain', <SiteLink key="domain" domain={company.company.domain} />],
          ['Website', <WebLink key="website" url={links.website ?? company.website} />],
          ['Industry', wordsOf(company.industry)],
          ['Location', locationOf(company)],
          ['Employees', employeesOf(company)],
          ['Revenue', revenueOf(company)],
          ['Funding', funding ? formatDollars(funding.usd) : '–'],
          ['Categories', categories.join(', ') || '–'],
          ['Keywords', keywords.join(', ') || '–'],
          ['Profile', <WebLink key="profile" url={links.profile} />],
        ]}
      />
    </Drawer>
  );
}

function locationOf({ location }: Company): string {
  const parts = [location?.city, location?.region, location?.country].filter(Boolean);
  return parts.join(', ') || '–';
}

function employeesOf({ employee_count }: Company): string {
  if (employee_count?.exact != null) return formatNumber(employee_count.exact);
  return employee_count?.band ?? '–';
}

function revenueOf({ revenue }: Company): string {
  if (revenue?.usd != null) return formatDollars(revenue.usd);
  return revenue?.band ?? '–';
}
