import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { Ellipsis, Pencil, Trash2 } from 'lucide-react';
import { Fragment, useState } from 'react';
import { isMissing } from '../../api/problem.ts';
import { StateBadge } from '../../design/badge.tsx';
import { IconButton, LinkButton } from '../../design/button.tsx';
import { countOf, formatDay, formatMoment } from '../../design/format.ts';
import { Page } from '../../design/layout.tsx';
import { Menu, MenuItem } from '../../design/menu.tsx';
import { Empty, Failure, Loading, Notice } from '../../design/states.tsx';
import { ExportButton } from '../exports/export-button.tsx';
import { hasEnded, isActive, jobStates } from '../work-states.ts';
import { EndedJob } from './ended-job.tsx';
import { DeleteJob, RenameJob } from './job-actions.tsx';
import { JobRows } from './job-rows.tsx';
import type { Job } from './job-search.ts';
import { ReadyJob } from './ready-job.tsx';
import { RunningJob } from './running-job.tsx';
import { useJob } from './use-job.ts';

const route = getRouteApi('/signed-in/validations/$jobId');

/** A list: its contents, the progress of its validation, and the results. */
export function JobScreen() {
  const { jobId } = route.useParams();
  const { data: job, error, isPending, refetch } = useJob(jobId);
  const isGone = isMissing(error);
  // Renders the same page before and after the job is loaded, so that the heading keeps the focus.
  if (!job || isGone) {
    return (
      <Page title="List">
        {isPending && <Loading lines={8} name="Loading list" />}
        {isGone && <NoJob />}
        {!isPending && !isGone && <Failure error={error} onRetry={refetch} />}
      </Page>
    );
  }
  const rows = job.columns.length > 0 && job.failure?.code !== 'upload_broken_off' && <JobRows job={job} />;
  return (
    <Page title={job.name} lead={<Lead job={job} />} actions={<JobActions key={jobId} job={job} />}>
      {/* Screen readers read only changes of the state; reading every step of the progress would be too much. */}
      <p role="status" className="visually-hidden">
        Status: {jobStates[job.state].name}
      </p>
      <Fragment key={jobId}>
        {job.state === 'receiving' && <Notice tone="neutral">The rows are still uploading.</Notice>}
        {job.state === 'ready' && <ReadyJob job={job} />}
        {isActive(job) && <RunningJob job={job} />}
        {hasEnded(job) ? <EndedJob job={job}>{rows}</EndedJob> : rows}
      </Fragment>
    </Page>
  );
}

function NoJob() {
  return (
    <Empty title="List not found" action={<LinkButton to="/validations">All lists</LinkButton>}>
      It may have been deleted, or its retention period ended.
    </Empty>
  );
}

function Lead({ job }: { readonly job: Job }) {
  return (
    <>
      <StateBadge look={jobStates[job.state]} /> {countOf(job.rows.total, 'row')}
      {` · uploaded ${formatMoment(job.created_at)} · kept until ${formatDay(job.deleted_at)}`}
    </>
  );
}

function JobActions({ job }: { readonly job: Job }) {
  return (
    <>
      {(hasEnded(job) || isActive(job)) && job.done > 0 && (
        <ExportButton
          source={{ kind: 'validation_job', job_id: job.job_id }}
          name={job.name}
          look={hasEnded(job) ? 'primary' : 'secondary'}
          label={hasEnded(job) ? 'Export' : 'Download results so far'}
        />
      )}
      <JobMenu job={job} />
    </>
  );
}

function JobMenu({ job }: { readonly job: Job }) {
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<'rename' | 'delete'>();
  const close = (isOpen: boolean) => !isOpen && setDialog(undefined);
  return (
    <>
      <Menu
        trigger={
          <IconButton name="More actions" look="secondary">
            <Ellipsis size={18} aria-hidden />
          </IconButton>
        }
      >
        <MenuItem onSelect={() => setDialog('rename')}>
          <Pencil size={16} aria-hidden />
          Rename
        </MenuItem>
        <MenuItem disabled={isActive(job) || job.state === 'receiving'} onSelect={() => setDialog('delete')}>
          <Trash2 size={16} aria-hidden />
          Delete
        </MenuItem>
      </Menu>
      {dialog === 'rename' && <RenameJob job={job} open onOpenChange={close} />}
      <DeleteJob
        job={job}
        open={dialog === 'delete'}
        onOpenChange={close}
        onDeleted={() => void navigate({ to: '/validations' })}
      />
    </>
  );
}
