import { limits } from '@mailproof/shared-types';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { asProblem } from '../../api/problem.ts';
import { Button } from '../../design/button.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { Select, TextInput } from '../../design/field.tsx';
import { Facts, Row } from '../../design/layout.tsx';
import { Failure, Notice } from '../../design/states.tsx';
import { askDoNotProbe, type DoNotProbeAnswer, type DoNotProbeWish } from './ask-do-not-probe.ts';
import styles from './opt-out.module.css';
import { OptOutPanel } from './opt-out-panel.tsx';

/** Where whoever runs a domain or a mail host asks not to be probed, and proves that they do. */
export function DoNotProbeScreen() {
  const { register, handleSubmit } = useForm<DoNotProbeWish>({ defaultValues: { scope: 'domain' } });
  const ask = useMutation({ mutationFn: askDoNotProbe });
  // Kept while it is looked for again; of another name nothing is known yet.
  const [answer, setAnswer] = useState<DoNotProbeAnswer>();
  const onChange = () => setAnswer(undefined);
  const submit = handleSubmit(wish => ask.mutate(wish, { onSuccess: setAnswer }));
  const isNameWrong = ask.isError && asProblem(ask.error).code === 'invalid_request';
  return (
    <OptOutPanel
      title="Do not probe my mail host"
      lead="To tell whether an address exists, Mailproof may ask the host that takes its mail. If you run that host, or the domain, you can have it left alone: addresses there are then answered with “unknown”."
    >
      <form onSubmit={submit}>
        <Select label="What you run" {...register('scope', { onChange })}>
          <option value="domain">A domain, with its subdomains</option>
          <option value="mail_host">A mail host, with every domain whose mail it takes</option>
        </Select>
        <TextInput
          label="Its name"
          placeholder="company.example"
          autoCapitalize="none"
          autoComplete="off"
          spellCheck={false}
          maxLength={limits.domainOctetsMax}
          error={isNameWrong ? 'This is not the name of a domain or a host.' : undefined}
          required
          {...register('name', { onChange })}
        />
        {ask.isError && !isNameWrong && <Failure error={ask.error} />}
        {answer && <Proof answer={answer} />}
        {answer?.state !== 'listed' && (
          <Button type="submit" look="primary" busy={ask.isPending}>
            {answer ? 'Look for the record' : 'Go on'}
          </Button>
        )}
      </form>
    </OptOutPanel>
  );
}

const looks = {
  absent: 'The record is not there yet. After you publish it, it can take some minutes until it is seen.',
  different: 'There is a record at that name, but with another value.',
  dns_failure: 'The name servers did not say whether it is there. Look again in a minute.',
  seen: '',
} as const satisfies Record<DoNotProbeAnswer['proof'], string>;

function Proof({ answer }: { readonly answer: DoNotProbeAnswer }) {
  const { name, state, txt_name: at, txt_value: text, proof } = answer;
  if (state === 'listed') {
    return (
      <Notice tone="good" title={`${name} is left alone from now on`} alert>
        <span>You may take the record down.</span>
      </Notice>
    );
  }
  return (
    <>
      <p>
        Prove that you run it: publish this TXT record where the zone of <strong>{name}</strong> is kept.
      </p>
      <div className={styles.record}>
        <Facts
          facts={[
            ['Name', <code key="name">{at}</code>],
            ['Type', 'TXT'],
            ['Value', <code key="value">{text}</code>],
          ]}
        />
        <Row>
          <CopyButton text={at} what="The name of the record">
            Copy the name
          </CopyButton>
          <CopyButton text={text} what="The value of the record">
            Copy the value
          </CopyButton>
        </Row>
      </div>
      <Notice tone="neutral" alert>
        {looks[proof]}
      </Notice>
    </>
  );
}
