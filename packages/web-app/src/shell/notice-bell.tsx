import { noticeWords } from '@mailproof/shared-types';
import { Link } from '@tanstack/react-router';
import { Bell } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { $api, queryClient, type Schema } from '../api/client.ts';
import { byCursor } from '../api/shared-queries.ts';
import { Badge } from '../design/badge.tsx';
import { Button, IconButton, LinkButton } from '../design/button.tsx';
import { Drawer } from '../design/dialog.tsx';
import { countOf, formatMoment } from '../design/format.ts';
import { Row, Stack } from '../design/layout.tsx';
import { ShowMore } from '../design/pager.tsx';
import { Answered, Empty, Failure } from '../design/states.tsx';
import { announce } from '../design/toasts.tsx';
import styles from './notice-bell.module.css';

type Notice = Schema['Notice'];

/** How often notices are polled, in milliseconds; not while the tab is hidden. */
const refreshMs = 15_000;
const pageRows = 20;
const path = '/notices';

function useNotices() {
  const query = { params: { query: { limit: pageRows } } };
  return $api.useInfiniteQuery('get', path, query, { ...byCursor, refetchInterval: refreshMs });
}

/** Tells of notices that come while the application is open, in the live region of the toasts. */
export function useNewNotices(): void {
  const { data } = useNotices();
  const newest = data?.pages[0]?.notices[0];
  const seen = useRef<string | null>(undefined);
  useEffect(() => {
    if (data === undefined) return;
    const before = seen.current;
    seen.current = newest?.event_id ?? null;
    if (before !== undefined && newest && newest.event_id !== before && !newest.read) {
      announce(`${noticeWords(newest).subject}.`);
    }
  }, [data, newest]);
}

/** The button that opens the notices, with the number of unread ones. */
export function NoticeBell() {
  const [isOpen, setOpen] = useState(false);
  const notices = useNotices();
  const unread = notices.data?.pages[0]?.unread ?? 0;
  const shown = notices.data?.pages.flatMap(page => page.notices) ?? [];
  return (
    <>
      <IconButton
        name={unread === 0 ? 'Notices' : `Notices, ${unread} unread`}
        className={styles.bell}
        onClick={() => setOpen(true)}
      >
        <Bell size={18} aria-hidden />
        {unread > 0 && (
          <span className={styles.count} aria-hidden>
            {unread > 99 ? '99+' : unread}
          </span>
        )}
      </IconButton>
      <Drawer title="Notices" open={isOpen} onOpenChange={setOpen}>
        <Stack>
          <Answered question={notices} loading="Loading notices">
            {() =>
              shown.length > 0 ? (
                <NoticeList notices={shown} unread={unread} onGo={() => setOpen(false)} />
              ) : (
                <Empty title="No notices yet">
                  You are told here when a list, run, export or import ends, and when credits run low.
                </Empty>
              )
            }
          </Answered>
          <ShowMore list={notices}>Show older</ShowMore>
          <LinkButton to="/account/notices" look="quiet" onClick={() => setOpen(false)}>
            Choose what you are told
          </LinkButton>
        </Stack>
      </Drawer>
    </>
  );
}

interface NoticeListProps {
  readonly notices: readonly Notice[];
  readonly unread: number;
  readonly onGo: () => void;
}

function NoticeList({ notices, unread, onGo }: NoticeListProps) {
  const mark = $api.useMutation('post', '/notices/{event_id}/read', {
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['get', path] }),
  });
  const read = ({ event_id }: Notice, andOlder = false) =>
    mark.mutate({ params: { path: { event_id } }, body: { and_older: andOlder } });
  const [newest] = notices;
  return (
    <>
      {unread > 0 && newest && (
        <Row>
          <Button onClick={() => read(newest, true)} busy={mark.isPending}>
            Mark all as read
          </Button>
          <span className={styles.small}>{countOf(unread, 'unread notice')}</span>
        </Row>
      )}
      {mark.isError && <Failure error={mark.error} />}
      <ul className={styles.notices} aria-label="Notices">
        {notices.map(notice => (
          <NoticeItem key={notice.event_id} notice={notice} onRead={() => read(notice)} onGo={onGo} />
        ))}
      </ul>
    </>
  );
}

interface NoticeItemProps {
  readonly notice: Notice;
  readonly onRead: () => void;
  readonly onGo: () => void;
}

function NoticeItem({ notice, onRead, onGo }: NoticeItemProps) {
  const { subject, text, path: to } = noticeWords(notice);
  function open() {
    if (!notice.read) onRead();
    onGo();
  }
  return (
    <li className={styles.notice}>
      <span className={styles.title}>
        <Link to={to} onClick={open}>
          {subject}
        </Link>
        {!notice.read && <Badge>Unread</Badge>}
      </span>
      <span>{text}</span>
      <span className={styles.foot}>
        <time className={styles.small} dateTime={notice.happened_at}>
          {formatMoment(notice.happened_at)}
        </time>
        {!notice.read && (
          <Button look="quiet" onClick={onRead}>
            Mark as read<span className="visually-hidden"> {subject}</span>
          </Button>
        )}
      </span>
    </li>
  );
}
