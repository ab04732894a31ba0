import type { RunEvents } from '@mailproof/durable-work';
import {
  createCounter,
  createDurations,
  createGauge,
  createRareWarning,
  type Logger,
} from '@mailproof/service-kit';
import type { AccountId, OutcomeReport } from '@mailproof/shared-types';
import type { IntakeFault } from './domain/intake/intake-fault.ts';
import type { JobView } from './domain/intake/job-view.ts';
import type { JobRun } from './domain/job-runs/job-run.ts';
import type { SmtpEvents } from './domain/smtp/smtp-events.ts';
import type { StandingEvents } from './domain/standing/clearance.ts';
import type { DoNotProbeEntry } from './domain/standing/do-not-probe.ts';
import type { Finding } from './domain/standing/examination/finding.ts';
import type { Answer } from './domain/validation/answer-address.ts';

/** The events of this service, one function per event. Neither addresses nor their domains are logged. */
export interface Events extends StandingEvents, SmtpEvents, RunEvents<JobRun> {
  /** Jobs that had lost their work got it again. */
  jobsTakenUp(jobs: number): void;
  addressAnswered(requestId: string, answer: Answer): void;
  /** An address of a job was answered. This is only counted, since jobs have fifty thousand. */
  addressOfJobAnswered(answer: Answer): void;
  validationTurnedAway(requestId: string): void;
  harvestSuspected(requestId: string, accountId: AccountId): void;
  standingChanged(findings: readonly Finding[]): void;
  standingUnknown(error: unknown): void;
  doNotProbeListed(entry: DoNotProbeEntry): void;
  outcomesRecorded(requestId: string, accountId: AccountId, report: OutcomeReport): void;
  outcomesForgotten(accountId: AccountId, deleted: number): void;
  jobTakenIn(requestId: string, job: JobView): void;
  jobRefused(requestId: string, accountId: AccountId, code: IntakeFault['code']): void;
  jobsSwept(swept: { readonly interrupted: number; readonly removed: number }): void;
  storeFailed(error: unknown): void;
}

export function createEvents(logger: Logger): Events {
  const countPause = createCounter('mailproof.probing.pauses', 'Pauses because our IP address was rejected.');
  const countHarvest = createCounter(
    'mailproof.harvest.refusals',
    'Validations rejected as address guessing.',
  );
  const showStanding = createGauge('mailproof.standing.failed', '1 if a reputation check fails.');
  const countJob = createCounter('mailproof.validation.jobs', 'Ended validation jobs, by state.');
  const countAnswer = countAnswers();
  const countUnpaid = createCounter(
    'mailproof.runs.unpaid',
    'Credits for delivered results that could not be charged.',
  );
  const countLostHold = createCounter(
    'mailproof.validation.holds_lost',
    'Replaced holds of validation jobs.',
  );
  return {
    runStarted: ({ runId: jobId, accountId, addresses }) =>
      logger.info({ jobId, accountId, addresses }, 'job started'),
    runHoldLost({ runId: jobId, accountId, holds }) {
      countLostHold();
      logger.warn({ jobId, accountId, holds }, 'job lost its hold; requesting another');
    },
    runEnded({ runId: jobId, accountId, ending, addresses, failure }, spent) {
      countJob({ state: ending ?? 'succeeded' });
      logger.info({ jobId, accountId, state: ending, addresses, failure, spent }, 'job ended');
    },
    runUnpaid({ runId: jobId, accountId }, credits) {
      countUnpaid({}, credits);
      logger.error({ jobId, accountId, credits }, 'settlement failed');
    },
    jobsTakenUp: jobs => logger.warn({ jobs }, 're-enqueued orphaned jobs'),
    ...smtpEvents(),
    addressOfJobAnswered: answer => countAnswer(answer, 'job'),
    addressAnswered(requestId, answer) {
      const { verdict, validation } = answer;
      countAnswer(answer, 'request');
      logger.info(
        {
          requestId,
          result: verdict.result,
          reason: verdict.reason,
          mxProvider: verdict.mxProvider,
          elapsedMs: verdict.elapsedMs,
          ageSeconds: verdict.details.age_seconds,
          hostsTried: validation?.evidence.attempts.length ?? 0,
        },
        'address answered',
      );
    },
    validationTurnedAway: requestId =>
      logger.warn({ requestId }, 'validation rejected, too many in progress'),
    probingPaused: ({ name, isProvider }, untilMs) => {
      const mxProvider = isProvider ? name : 'none';
      countPause({ mx_provider: mxProvider });
      logger.warn(
        { mxProvider, until: new Date(untilMs).toISOString() },
        'probing paused, our address is rejected',
      );
    },
    probingResumed: ({ name, isProvider }) =>
      logger.info({ mxProvider: isProvider ? name : 'none' }, 'probing resumed'),
    harvestSuspected: (requestId, accountId) => {
      countHarvest();
      logger.warn({ requestId, accountId }, 'account may be guessing addresses');
    },
    standingChanged: findings => {
      for (const [check, ofCheck] of Map.groupBy(findings, finding => finding.check)) {
        showStanding(ofCheck.some(({ status }) => status === 'failed') ? 1 : 0, { check });
      }
      const bad = findings.filter(({ status }) => status !== 'ok');
      const level = bad.some(({ status }) => status === 'failed') ? 'warn' : 'info';
      logger[level](
        { findings: bad.map(({ check, status, sentence }) => ({ check, status, sentence })) },
        'reputation changed',
      );
    },
    standingUnknown: err => logger.warn({ err }, 'reputation check failed'),
    doNotProbeListed: ({ scope }) => logger.info({ scope }, 'do-not-probe entry listed on request'),
    outcomesRecorded: (requestId, accountId, { recorded, repeated, kinds, refused }) =>
      logger.info(
        { requestId, accountId, recorded, repeated, kinds, refused: refused.length },
        'outcomes recorded',
      ),
    outcomesForgotten: (accountId, deleted) =>
      logger.info({ accountId, deleted }, 'outcomes of a deleted account deleted'),
    jobTakenIn: (requestId, { jobId, accountId, origin, content: { counts, addresses, columns, layout } }) =>
      logger.info(
        {
          requestId,
          jobId,
          accountId,
          origin,
          rows: counts.total,
          addresses,
          columns: columns.length,
          octets: layout?.octets,
        },
        'validation job created',
      ),
    jobRefused: (requestId, accountId, code) =>
      logger.info({ requestId, accountId, code }, 'validation job rejected'),
    jobsSwept({ interrupted, removed }) {
      if (interrupted > 0 || removed > 0) {
        logger.info({ interrupted, removed }, 'validation jobs swept');
      }
    },
    storeFailed: createRareWarning(logger, 'a store failed'),
  };
}

/** Buckets of the time spent on hosts, in seconds: an answer takes from milliseconds to the half minute of a tarpit. */
const validationBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 45];

function countAnswers(): (answer: Answer, askedBy: 'request' | 'job') => void {
  const countVerdict = createCounter(
    'mailproof.verdicts',
    'Results for addresses, by result, reason, requester, and whether the result was cached.',
    [],
  );
  const timeValidation = createDurations(
    'mailproof.validation.duration',
    'Time to query hosts about an address, by result and requester; excludes cached results.',
    validationBuckets,
  );
  return ({ verdict: { result, reason, elapsedMs }, validation }, askedBy) => {
    countVerdict({ result, reason, asked_by: askedBy, remembered: validation === undefined });
    if (validation !== undefined) {
      timeValidation(elapsedMs / 1_000, { result, asked_by: askedBy });
    }
  };
}

function smtpEvents(): SmtpEvents {
  const countSession = createCounter(
    'mailproof.smtp.sessions',
    'SMTP sessions, by provider and outcome: opened, or why not.',
    [],
  );
  const countReply = createCounter(
    'mailproof.smtp.replies',
    'Replies of mail hosts, by provider, class, and whether they concern a recipient or the session.',
    [],
  );
  return {
    sessionTried: (provider, outcome) => countSession({ mx_provider: provider ?? 'none', outcome }),
    replyHeard: (provider, stage, outcome) =>
      countReply({
        mx_provider: provider ?? 'none',
        about: stage === 'rcpt' ? 'recipient' : 'session',
        class: outcome.kind === 'reply' ? `${Math.floor(outcome.reply.code / 100)}xx` : outcome.failure,
      }),
  };
}
