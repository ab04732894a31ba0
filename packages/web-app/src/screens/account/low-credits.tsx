import { limits } from '@mailproof/shared-types';
import { useForm } from 'react-hook-form';
import { $api, queryClient } from '../../api/client.ts';
import { Button } from '../../design/button.tsx';
import { TextInput } from '../../design/field.tsx';
import { Card, Row, Stack } from '../../design/layout.tsx';
import { Answered, Failure } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import styles from './account.module.css';

/** The threshold below which credits are low. */
export function LowCredits() {
  const found = $api.useQuery('get', '/credit-threshold');
  return (
    <Card title="Low credits">
      <p className={styles.soft}>
        The account’s users and webhooks are told when the credits, available and held together, fall below
        this number.
      </p>
      <Answered question={found} lines={1} loading="Loading the threshold">
        {({ threshold }) => <ThresholdForm threshold={threshold} />}
      </Answered>
    </Card>
  );
}

function ThresholdForm({ threshold }: { readonly threshold: number | null }) {
  const { register, handleSubmit } = useForm({ defaultValues: { threshold: String(threshold ?? '') } });
  const put = $api.useMutation('put', '/credit-threshold', {
    onSuccess(saved) {
      queryClient.setQueryData($api.queryOptions('get', '/credit-threshold').queryKey, saved);
      announce(saved.threshold === null ? 'Threshold removed.' : 'Threshold saved.');
    },
  });
  return (
    <form
      onSubmit={handleSubmit(draft =>
        put.mutate({ body: { threshold: draft.threshold === '' ? null : Number(draft.threshold) } }),
      )}
    >
      <Stack>
        <TextInput
          label="Threshold"
          type="number"
          min={1}
          max={limits.creditThresholdMax}
          hint="Leave it empty to tell no one."
          {...register('threshold')}
        />
        {put.isError && <Failure error={put.error} />}
        <Row>
          <Button type="submit" busy={put.isPending}>
            Save threshold
          </Button>
        </Row>
      </Stack>
    </form>
  );
}
