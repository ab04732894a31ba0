import { limits } from '@mailproof/shared-types';
import { CircleMinus, Ellipsis, ThumbsDown, ThumbsUp } from 'lucide-react';
import { Badge } from '../../design/badge.tsx';
import { IconButton } from '../../design/button.tsx';
import { Menu, MenuItem } from '../../design/menu.tsx';
import { SiteLink } from '../../design/site-link.tsx';
import { Empty } from '../../design/states.tsx';
import styles from './lookalikes.module.css';
import {
  type Candidate,
  isPaid,
  lessLike,
  moreLike,
  type Question,
  type QuestionChange,
  questionOf,
  type View,
  without,
} from './question.ts';
import { ReasonsWhy } from './reasons.tsx';
import { StrengthMark } from './strength-mark.tsx';

export interface CandidatesProps {
  readonly view: View;
  /** Asks otherwise; undefined where the question is fixed. */
  readonly onAsk: ((change: QuestionChange, done: string) => void) | undefined;
}

/** The strongest matches that were not fetched yet, each with why it is one. */
export function Candidates({ view, onAsk }: CandidatesProps) {
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
          <h3>{company.name}</h3>
          <SiteLink domain={company.domain} />
          {industry && <Badge>{industry}</Badge>}
          {isPaid(candidate) && <Badge tone="good">Paid for already</Badge>}
          {is_synthetic && <Badge tone="caution">Invented</Badge>}
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
        <IconButton name={`Change the search by ${name}`}>
          <Ellipsis size={18} aria-hidden />
        </IconButton>
      }
    >
      <MenuItem
        disabled={seed_domains.length >= limits.seedDomainsMax}
        onSelect={() => onAsk(asked => moreLike(asked, domain), `Now also like ${name}.`)}
      >
        <ThumbsUp size={16} aria-hidden />
        More like this
      </MenuItem>
      <MenuItem
        disabled={unlike_domains.length >= limits.seedDomainsMax}
        onSelect={() => onAsk(asked => lessLike(asked, domain), `Now less like ${name}.`)}
      >
        <ThumbsDown size={16} aria-hidden />
        Less like this
      </MenuItem>
      <MenuItem
        disabled={(filters.excluded_domains?.length ?? 0) >= limits.filterValuesMax}
        onSelect={() => onAsk(asked => without(asked, domain), `${name} is left out.`)}
      >
        <CircleMinus size={16} aria-hidden />
        Leave this company out
      </MenuItem>
    </Menu>
  );
}

function NoCandidates({ view }: { readonly view: View }) {
  if (view.expected === null) return null;
  if (view.delivered > 0) {
    return (
      <Empty title="You have all of them">
        Every match that there is now was fetched. The store may grow.
      </Empty>
    );
  }
  return (
    <Empty title="No company is like these">
      {Object.keys(view.filters).length > 0
        ? 'Widen the filters, or name other companies.'
        : 'Name other companies, or more of them: several seeds say better what they have in common.'}
    </Empty>
  );
}
