import { $api } from '../../api/client.ts';
import { byCursor } from '../../api/paged-rows.ts';
import { useSession } from '../../api/session.ts';
import { Answered } from '../../design/answered.tsx';
import { Badge } from '../../design/badge.tsx';
import { browserName } from '../../design/browser-name.ts';
import { formatMoment } from '../../design/format.ts';
import { Card } from '../../design/layout.tsx';
import { ShowMore } from '../../design/pager.tsx';
import { Empty } from '../../design/states.tsx';
import { type Column, DataTable } from '../../design/table.tsx';
import styles from './account.module.css';
import { detailWords, lookOf, type SecurityEvent, whoWords } from './security-words.ts';

interface EventRow extends SecurityEvent {
  readonly id: string;
  readonly who: string;
}

const pageRows = 20;

const columns: readonly Column<EventRow>[] = [
  { id: 'at', header: 'When', width: '11.5rem', cell: ({ at }) => formatMoment(at) },
  {
    id: 'what',
    header: 'What',
    width: 'minmax(14rem, 2fr)',
    cell: event => {
      const { words, isCaution } = lookOf(event);
      const details = detailWords(event);
      return (
        <div className={styles.itemText}>
          <span>{isCaution ? <Badge tone="caution">{words}</Badge> : words}</span>
          {details && <span className={styles.small}>{details}</span>}
        </div>
      );
    },
  },
  { id: 'who', header: 'Who', width: 'minmax(10rem, 1.5fr)', cell: ({ who }) => who },
  {
    id: 'where',
    header: 'From where',
    width: 'minmax(11rem, 1.5fr)',
    cell: ({ client_network, user_agent }) => (
      <div className={styles.itemText}>
        <span>{user_agent === '' ? '–' : browserName(user_agent)}</span>
        <span className={styles.small}>{client_network}</span>
      </div>
    ),
  },
];

/** What happened to the safety of the account, newest first. */
export function SecurityEvents() {
  const { user_id: mine } = useSession();
  const members = $api.useQuery('get', '/members').data?.members ?? [];
  const events = $api.useInfiniteQuery(
    'get',
    '/security-events',
    { params: { query: { limit: pageRows } } },
    byCursor,
  );
  const listed = events.data?.pages.flatMap(page => page.events) ?? [];
  // Events have no id; they are appended in time, so the distance from the oldest one would change with each page.
  const rows = listed.map((event, index) => ({
    ...event,
    id: `${event.at}-${event.kind}-${index}`,
    who: whoWords(event.user_id, mine, members),
  }));
  return (
    <Card title="What happened">
      <Answered question={events} lines={5} loading="Loading what happened">
        {() =>
          rows.length > 0 ? (
            <DataTable name="Security events" columns={columns} rows={rows} rowId={({ id }) => id} />
          ) : (
            <Empty title="Nothing yet">
              Sign-ins, wrong passwords, and changes of members and keys come here.
            </Empty>
          )
        }
      </Answered>
      <ShowMore list={events}>Show earlier ones</ShowMore>
    </Card>
  );
}
