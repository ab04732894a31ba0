import { Drawer } from '../../design/dialog.tsx';
import { formatMoment, formatNumber } from '../../design/format.ts';
import { Facts } from '../../design/layout.tsx';
import { SiteLink, WebLink } from '../../design/site-link.tsx';
import { Notice } from '../../design/states.tsx';
import type { SavedCompany } from './companies-table.tsx';
import styles from './saved.module.css';
import { SourceLine } from './sourced-facts.tsx';
import { moneyOf, placeOf, wordsOf } from './words.ts';

interface CompanyDrawerProps {
  readonly company: SavedCompany;
  readonly onClose: () => void;
}

/** A company that was paid for, and where its record comes from. */
export function CompanyDrawer({ company, onClose }: CompanyDrawerProps) {
  const { employee_count, company_size } = company;
  return (
    <Drawer title={company.name} open onOpenChange={onClose}>
      {company.is_synthetic && (
        <Notice tone="caution" title="An invented company">
          <span>For demonstrations: its domain is nobody’s.</span>
        </Notice>
      )}
      {company.description && <p className={styles.long}>{company.description}</p>}
      <Facts
        facts={[
          ['Domain', <SiteLink key="domain" domain={company.domain} />],
          ['Website', <WebLink key="website" url={company.website} />],
          ['Industry', company.industry ?? '–'],
          ['Kind', wordsOf(company.company_type)],
          ['Place', placeOf(company.location)],
          ['Employees', employee_count === null ? (company_size ?? '–') : formatNumber(employee_count)],
          ['Revenue', moneyOf(company.annual_revenue_usd, company.revenue)],
          ['Funding', moneyOf(company.funding_usd, null)],
          ['Categories', company.categories.join(', ') || '–'],
          ['Keywords', company.keywords.join(', ') || '–'],
          ['Profile', <WebLink key="profile" url={company.profile_url} />],
        ]}
      />
      <h3>Where the record comes from</h3>
      <SourceLine source={company.source} />
      <p className={styles.soft}>Fetched {formatMoment(company.paid_at)}.</p>
    </Drawer>
  );
}
