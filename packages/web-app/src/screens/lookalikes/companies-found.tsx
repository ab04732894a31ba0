import { limits } from '@mailproof/shared-types';
import { CircleMinus, Ellipsis, ThumbsDown, ThumbsUp } from 'lucide-react';
import { Badge } from '../../design/badge.tsx';
import { IconButton } from '../../design/button.tsx';
import { formatNumber } from '../../design/format.ts';
import { Menu, MenuItem } from '../../design/menu.tsx';
import { Monogram } from '../../design/monogram.tsx';
import { Empty } from '../../design/states.tsx';
import { SiteLink } from '../../design/table.tsx';
import { TabLink, TabLinks } from '../../design/tabs.tsx';
import { wordsOf } from '../saved/words.ts';
import { DeliveredCompanies } from './delivered-companies.tsx';
import { ReasonsWhy, StrengthMark } from './likeness.tsx';
import styles from './lookalikes.module.css';
import {
  type Candidate,
  isPaid,
  lessLike,
  moreLike,
  type Question,
  type QuestionChange,
  questionOf,
  type Shown,
  type View,
  without,
} from './question.ts';

interface CompaniesFoundProps extends CandidatesProps {
  readonly shown: Shown;
  /** Whether the seeds or filters are being changed. */
  readonly isChanging: boolean;
}

/** The fetched companies, and the next candidates. */
export function CompaniesFound({ view, shown, onAsk, isChanging }: CompaniesFoundProps) {
  return (
    <section className={styles.found} aria-label="Companies" aria-busy={isChanging}>
      {view.delivered > 0 && (
        <TabLinks name="Companies">
          <ShownLink
            view={view}
            leadsTo="delivered"
            shown={shown}
            label={`Fetched (${formatNumber(view.delivered)})`}
          />
          <ShownLink view={view} leadsTo="preview" shown={shown} label="Next matches" />
        </TabLinks>
      )}
      {shown === 'delivered' ? (
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
  readonly leadsTo: Shown;
  readonly shown: Shown;
  readonly label: string;
}

function ShownLink({ view, leadsTo, shown, label }: ShownLinkProps) {
  const current = leadsTo === shown ? 'page' : undefined;
  return (
    <TabLink
      to="/lookalikes/$searchId"
      params={{ searchId: view.search_id }}
      search={{ show: leadsTo }}
      // If the URL does not name a tab, the search determines which one is active.
      data-state={current && 'active'}
      aria-current={current}
      activeProps={{ 'data-status': undefined, 'aria-current': current }}
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
      <h2>{view.delivered > 0 ? `The next ${count}` : `${strongest}, free`}</h2>
      <p className={styles.soft}>
        Match strength is calibrated: about 80 of 100 matches with strength 80 are in a seed’s industry.
      </p>
    </div>
  );
}

interface CandidatesProps {
  readonly view: View;
  /** Changes the seeds and filters; undefined if they are fixed. */
  readonly onAsk: ((change: QuestionChange, done: string) => void) | undefined;
}

/** The strongest matches that are not fetched yet, each with the reasons for the match. */
function Candidates({ view, onAsk }: CandidatesProps) {
  if (view.preview.length === 0) return <NoCandidates view={view} />;
  return (
    <ol className={styles.candidates} aria-label="Matches">
      {view.preview.map(candidate => (
        <CandidateRow key={candidate.company_id} candidate={candidate} view={view} onAsk={onAsk} />
      ))}
    </ol>
  );
}

function CandidateRow({ candidate, view, onAsk }: CandidatesProps & { readonly candidate: Candidate }) {
  const { company, match_strength, industry, description, is_synthetic, reasons } = candidate;
  return (
    <li className={styles.candidate}>
      <StrengthMark strength={match_strength} />
      <div className={styles.about}>
        <div className={styles.names}>
          <Monogram name={company.name} />
          <h3>{company.name}</h3>
          <SiteLink domain={company.domain} />
          {industry && <Badge>{wordsOf(industry)}</Badge>}
          {isPaid(candidate) && <Badge tone="good">Already paid for</Badge>}
          {is_synthetic && <Badge>Synthetic</Badge>}
        </div>
        {description && <p className={styles.description}>{description}</p>}
        <ReasonsWhy reasons={reasons} />
      </div>
      {onAsk && company.domain && (
        <CandidateMenu
          name={company.name}
          domain={company.domain}
          question={questionOf(view)}
          onAsk={onAsk}
        />
      )}
    </li>
  );
}

interface CandidateMenuProps {
  readonly name: string;
  readonly domain: string;
  readonly question: Question;
  readonly onAsk: NonNullable<CandidatesProps['onAsk']>;
}

function CandidateMenu({ name, domain, question, onAsk }: CandidateMenuProps) {
  const { seed_domains, unlike_domains, filters } = question;
  return (
    <Menu
      trigger={
        <IconButton name={`Refine the search with ${name}`}>
          <Ellipsis size={18} aria-hidden />
        </IconButton>
      }
    >
      <MenuItem
        disabled={seed_domains.length >= limits.seedDomainsMax}
        onSelect={() => onAsk(asked => moreLike(asked, domain), `Added to “like”: ${name}.`)}
      >
        <ThumbsUp size={16} aria-hidden />
        More like this
      </MenuItem>
      <MenuItem
        disabled={unlike_domains.length >= limits.seedDomainsMax}
        onSelect={() => onAsk(asked => lessLike(asked, domain), `Added to “less like”: ${name}.`)}
      >
        <ThumbsDown size={16} aria-hidden />
        Less like this
      </MenuItem>
      <MenuItem
        disabled={(filters.excluded_domains?.length ?? 0) >= limits.filterValuesMax}
        onSelect={() => onAsk(asked => without(asked, domain), `${name} is excluded.`)}
      >
        <CircleMinus size={16} aria-hidden />
        Exclude this company
      </MenuItem>
    </Menu>
  );
}

function NoCandidates({ view }: { readonly view: View }) {
  if (view.expected === null) return null;
  if (view.delivered > 0) {
    return (
      <Empty title="You have all matches">
        All current matches have been fetched. New companies may be added later.
      </Empty>
    );
  }
  return (
    <Empty title="No matching companies">
      {Object.keys(view.filters).length > 0
        ? 'Use fewer filters, or other seed companies.'
        : 'Use other seed companies, or more of them: with several seeds, it is clearer what they have in common.'}
    </Empty>
  );
}
