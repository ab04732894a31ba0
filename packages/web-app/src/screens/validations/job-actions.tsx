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

/** Deletes a job with its rows after a confirmation. */
export function DeleteJob({ job, onDeleted, ...rest }: JobDialogProps & { readonly onDeleted?: () => void }) {
  async function remove() {
    await api.DELETE('/validation-jobs/{job_id}', { params: { path: { job_id: job.job_id } } });
    announce('List deleted.');
    onDeleted?.();
    await queryClient.invalidateQueries({ queryKey: ['get', '/validation-jobs'] });
  }
  return (
    <Confirm
      {...rest}
      title="Delete this list?"
      lead={`${job.name}, its ${countOf(job.rows.total, 'row')} and their results are deleted. This cannot be undone. Spent credits are not refunded, and the receipt is kept.`}
      verb="Delete"
      isDanger
      onConfirm={remove}
    />
  );
}

/** Renames a job. */
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
