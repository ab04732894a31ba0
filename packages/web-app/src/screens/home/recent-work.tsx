import { Link } from '@tanstack/react-router';
import { Building2, Copy, Download, ListChecks, UsersRound } from 'lucide-react';
import { StateBadge } from '../../design/badge.tsx';
import { formatDay, formatShare } from '../../design/format.ts';
import { Card } from '../../design/layout.tsx';
import { Failure, Loading } from '../../design/states.tsx';
import styles from './home.module.css';
import type { RecentWorkState, Work } from './recent-work.ts';

const icons = {
  job: ListChecks,
  people: UsersRound,
  companies: Building2,
  lookalikes: Copy,
  export: Download,
} as const;

/** Lists, runs and exports, in any state. */
export function RecentWork({ recent }: { readonly recent: RecentWorkState }) {
  return (
    <Card title="Recent work">
      {recent.isPending && recent.work.length === 0 && <Loading lines={4} name="Loading recent work" />}
      {recent.error !== undefined && <Failure error={recent.error} onRetry={recent.refetch} />}
      {recent.work.length > 0 && (
        <ul className={styles.work}>
          {recent.work.map(work => (
            <WorkRow key={work.key} work={work} />
          ))}
        </ul>
      )}
    </Card>
  );
}

function WorkRow({ work }: { readonly work: Work }) {
  const Icon = icons[work.kind];
  return (
    <li>
      <Icon size={20} aria-hidden />
      <div className={styles.workName}>
        <strong>
          <WorkLink work={work} />
        </strong>
        <span className={styles.soft}>
          {work.about} · <time dateTime={work.createdAt}>{formatDay(work.createdAt)}</time>
        </span>
      </div>
      <StateBadge look={work.look}>
        {work.isActive && `, ${formatShare(Math.floor(work.progress * 100) / 100)}`}
      </StateBadge>
    </li>
  );
}

function WorkLink({ work: { id, kind, name } }: { readonly work: Work }) {
  switch (kind) {
    case 'job':
      return (
        <Link to="/validations/$jobId" params={{ jobId: id }}>
          {name}
        </Link>
      );
    case 'people':
      return (
        <Link to="/people/$searchId" params={{ searchId: id }}>
          {name}
        </Link>
      );
    case 'companies':
      return (
        <Link to="/companies/$searchId" params={{ searchId: id }}>
          {name}
        </Link>
      );
    case 'lookalikes':
      return (
        <Link to="/lookalikes/$searchId" params={{ searchId: id }}>
          {name}
        </Link>
      );
    case 'export':
      return (
        <Link
          to="/exports/$exportId"
          params={{ exportId: id }}
          search={{ rows: undefined, action: undefined }}
        >
          {name}
        </Link>
      );
  }
}
