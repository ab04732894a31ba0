import { CircleCheck, Eye, LoaderCircle, Plus, SearchX } from 'lucide-react';
import type { Schema } from '../../api/client.ts';
import { Badge } from '../../design/badge.tsx';
import type { Tone } from '../../design/looks.ts';

type Coverage = Schema['LookalikeCoverage'];

const looks = {
  free_preview: { tone: 'neutral', icon: Eye },
  fetching: { tone: 'fair', icon: LoaderCircle },
  more_available: { tone: 'good', icon: Plus },
  complete: { tone: 'good', icon: CircleCheck },
  no_matches: { tone: 'caution', icon: SearchX },
} as const satisfies Record<Coverage['status'], { tone: Tone; icon: typeof Eye }>;

/** How many of a search's matches have been fetched. */
export function CoverageBadge({ coverage }: { readonly coverage: Coverage }) {
  const { tone, icon: Icon } = looks[coverage.status];
  return (
    <>
      <Badge tone={tone}>
        <Icon size={13} aria-hidden />
        {coverage.label}
      </Badge>
      {coverage.last_attempt_failed && <Badge tone="bad">Last run failed</Badge>}
    </>
  );
}
