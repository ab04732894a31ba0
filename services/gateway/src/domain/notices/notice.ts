import {
  type AccountId,
  type EventId,
  eventData,
  limits,
  mailedFromSeconds,
  type Notice,
  type NoticeChannels,
  noticeChannels,
  noticeDefaults,
  type RecordedEvent,
  type SubscribedEventType,
  subscribedEventTypes,
  type UserId,
} from '@mailproof/shared-types';

/** An event whose users are told. */
export type ToldEvent = Omit<Notice, 'read'> & { readonly account_id: AccountId };

/** The settings of a user: the types that the user has changed, and the defaults of the others. */
export type NoticeSettings = Readonly<Record<SubscribedEventType, NoticeChannels>>;

/** The types that a user has changed. */
export type ChangedSettings = { readonly [Type in SubscribedEventType]?: NoticeChannels | undefined };

/** A user of an account in which an event has happened. */
export interface Recipient {
  readonly userId: UserId;
  readonly settings: NoticeSettings;
  /** Notices that the user was mailed in the last hour. */
  readonly mailed: number;
}

/** A notice that waits to be mailed. */
export interface WaitingMail {
  readonly email: string;
  readonly settings: NoticeSettings;
  readonly event: Pick<Notice, 'type' | 'data' | 'happened_at'>;
}

export interface NoticePage {
  readonly notices: readonly Notice[];
  /** Where the next page starts; absent on the last page. */
  readonly nextPosition?: string;
}

/** Stores notices, and the settings of users. */
export interface NoticeStore {
  /**
   * Stores a notice for each user of the event's account as `decide` says, and enqueues its mail, in one transaction.
   * Does nothing the second time.
   */
  add(event: ToldEvent, decide: (recipient: Recipient) => NoticeChannels, now: Date): Promise<void>;
  list(userId: UserId, page: { readonly position?: string; readonly limit: number }): Promise<NoticePage>;
  /** Counted up to `limits.noticesPerUserMax`. */
  countUnread(userId: UserId): Promise<number>;
  /** Returns false if the user has no such notice. */
  markRead(userId: UserId, eventId: EventId, andOlder: boolean, now: Date): Promise<boolean>;
  findWaitingMail(userId: UserId, eventId: EventId): Promise<WaitingMail | undefined>;
  noteMailed(userId: UserId, eventId: EventId): Promise<void>;
  readSettings(userId: UserId): Promise<NoticeSettings>;
  writeSettings(userId: UserId, settings: ChangedSettings): Promise<void>;
  /** Does nothing if the user is gone. */
  stopMail(userId: UserId, type: SubscribedEventType): Promise<void>;
  sweep(createdBefore: Date): Promise<void>;
}

/**
 * The event in the form of the contract; undefined if this release does not know its type or form.
 */
export function toldEventOf({
  event_id,
  account_id,
  happened_at,
  ...event
}: RecordedEvent): ToldEvent | undefined {
  const type = subscribedEventTypes.find(each => each === event.type);
  const data = type && eventData[type].safeParse(event.data);
  return data?.success
    ? ({ event_id, account_id, type, happened_at, data: data.data } as unknown as ToldEvent)
    : undefined;
}

/** What is stored of a user's settings, completed with the defaults. What this release does not know is left out. */
export function settingsOf(stored: unknown): NoticeSettings {
  const given = Object(stored) as Record<string, unknown>;
  return Object.fromEntries(
    subscribedEventTypes.map(type => {
      const channels = noticeChannels.safeParse(given[type]);
      return [type, channels.success ? channels.data : noticeDefaults[type]];
    }),
  ) as unknown as NoticeSettings;
}

/**
 * How a user is told of an event. Work that the user probably waited for is not mailed, nor are more notices than a
 * person reads: those are shown in the application.
 */
export function channelsFor(
  event: ToldEvent,
  { settings, mailed }: Recipient,
  canMail: boolean,
): NoticeChannels {
  const { in_app, mail } = settings[event.type];
  if (isToldByItsJob(event)) {
    return { in_app: false, mail: false };
  }
  if (!mail || !canMail || isShort(event)) {
    return { in_app, mail: false };
  }
  return mailed < limits.noticeMailsPerHourMax ? { in_app, mail } : { in_app: true, mail: false };
}

function isShort({ data }: ToldEvent): boolean {
  return 'seconds' in data && (data.seconds ?? 0) < mailedFromSeconds;
}

/** An import that wrote nothing back ends with its validation job, which is an event too. */
function isToldByItsJob(event: ToldEvent): boolean {
  return (
    event.type === 'crm_import.finished' &&
    'rows_written' in event.data &&
    event.data.state === 'succeeded' &&
    event.data.job_id !== null &&
    event.data.rows_written === 0
  );
}
