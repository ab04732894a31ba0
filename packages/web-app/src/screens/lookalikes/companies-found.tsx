import { getRouteApi } from '@tanstack/react-router';
import { formatNumber } from '../../design/format.ts';
import { TabLink, TabLinks } from '../../design/tabs.tsx';
import { Candidates, type CandidatesProps } from './candidates.tsx';
import { DeliveredCompanies } from './delivered-companies.tsx';
import styles from './lookalikes.module.css';
import type { View } from './question.ts';

const route = getRouteApi('/signed-in/lookalikes/$searchId');

interface CompaniesFoundProps extends CandidatesProps {
  /** Whether the question is being asked otherwise. */
  readonly isChanging: boolean;
}

/** Companies that were fetched, and those that would come next. */
export function CompaniesFound({ view, onAsk, isChanging }: CompaniesFoundProps) {
  const { show } = route.useSearch();
  const seen = show ?? (view.delivered > 0 ? 'delivered' : 'preview');
  return (
    <section className={styles.found} aria-label="Companies" aria-busy={isChanging}>
      {view.delivered > 0 && (
        <TabLinks name="Companies">
          <ShownLink
            view={view}
            shown="delivered"
            seen={seen}
            label={`Fetched (${formatNumber(view.delivered)})`}
          />
          <ShownLink view={view} shown="preview" seen={seen} label="Next matches" />
        </TabLinks>
      )}
      {seen === 'delivered' && view.delivered > 0 ? (
        <DeliveredCompanies searchId={view.search_id} />
      ) : (
        <>
          {view.preview.length > 0 && <PreviewHead view={view} />}
          <Candidates view={view} onAsk={onAsk} />
        </>
      )}
    </section>
  );
}

interface ShownLinkProps {
  readonly view: View;
  readonly shown: 'delivered' | 'preview';
  readonly seen: 'delivered' | 'preview';
  readonly label: string;
}

function ShownLink({ view, shown, seen, label }: ShownLinkProps) {
  return (
    <TabLink
      to="/lookalikes/$searchId"
      params={{ searchId: view.search_id }}
      search={{ show: shown }}
      // Which of them is seen follows from the search where the address does not say.
      data-state={shown === seen ? 'active' : undefined}
      aria-current={shown === seen ? 'page' : undefined}
      activeProps={{ 'data-status': undefined, 'aria-current': shown === seen ? 'page' : undefined }}
    >
      {label}
    </TabLink>
  );
}

function PreviewHead({ view }: { readonly view: View }) {
  const count = formatNumber(view.preview.length);
  const strongest = view.preview.length === 1 ? 'strongest match' : `${count} strongest matches`;
  return (
    <div className={styles.previewHead}>
      <h2>{view.delivered > 0 ? `The next ${count}` : `The ${strongest}, free`}</h2>
      <p className={styles.soft}>
        Match strength is measured, not guessed: of matches at 80, about 80 in 100 are of a seed’s industry.
      </p>
    </div>
  );
}
