import { limits } from '@mailproof/shared-types';
import { useForm } from 'react-hook-form';
import { $api, api, queryClient } from '../../api/client.ts';
import { Button } from '../../design/button.tsx';
import { Confirm, Dialog } from '../../design/dialog.tsx';
import { TextInput } from '../../design/field.tsx';
import { countOf } from '../../design/format.ts';
import { Failure } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import type { Job } from './job-search.ts';
import { keepJob } from './use-job.ts';

interface JobDialogProps {
  readonly job: Job;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}

/** Asks before a job goes with its rows. */
export function DeleteJob({ job, onDeleted, ...rest }: JobDialogProps & { readonly onDeleted?: () => void }) {
  async function remove() {
    await api.DELETE('/validation-jobs/{job_id}', { params: { path: { job_id: job.job_id } } });
    announce('The list was deleted.');
    onDeleted?.();
    await queryClient.invalidateQueries({ queryKey: ['get', '/validation-jobs'] });
  }
  return (
    <Confirm
      {...rest}
      title="Delete this list?"
      lead={`${job.name} goes with its ${countOf(job.rows.total, 'row')} and what was found out about them. This cannot be taken back. What it cost stays charged, and its receipt stays.`}
      verb="Delete"
      isDanger
      onConfirm={remove}
    />
  );
}

/** Gives a job another name. */
export function RenameJob({ job, open, onOpenChange }: JobDialogProps) {
  const { register, handleSubmit } = useForm({ values: { name: job.name } });
  const rename = $api.useMutation('put', '/validation-jobs/{job_id}');
  const submit = handleSubmit(({ name }) =>
    rename.mutate(
      { params: { path: { job_id: job.job_id } }, body: { name } },
      {
        onSuccess(changed) {
          keepJob(changed);
          onOpenChange(false);
        },
      },
    ),
  );
  return (
    <Dialog title="Rename the list" open={open} onOpenChange={onOpenChange}>
      <form onSubmit={submit} style={{ display: 'contents' }}>
        <TextInput label="Name" required maxLength={limits.jobNameCharactersMax} {...register('name')} />
        {rename.isError && <Failure error={rename.error} />}
        <Button type="submit" look="primary" busy={rename.isPending}>
          Save
        </Button>
      </form>
    </Dialog>
  );
}
