import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { Notice } from '../../design/states.tsx';
import { changedHere } from '../../shell/session-changes.ts';
import { AccessPanel } from './access-panel.tsx';
import { LinkRefusal } from './link-refusal.tsx';
import type { LinkPurpose } from './mailed-link.ts';

type Purpose = Extract<LinkPurpose, 'email_change' | 'opt_out'>;

const words = {
  email_change: {
    title: 'Use this address',
    lead: 'From now on you sign in with the address to which this mail was sent. You will be signed out everywhere but where you asked for it.',
    done: 'Your address has changed. Sign in with the new one from now on.',
  },
  opt_out: {
    title: 'Leave the person out',
    lead: 'What is kept of the person is deleted, in every customer’s account too, and they are kept out from now on. This cannot be taken back.',
    done: 'It is done. What was kept is deleted, and the person is left out from now on.',
  },
} as const satisfies Record<Purpose, object>;

/** The use of a link for which its reader's word is enough. */
export function ConfirmWithoutPassword({
  token,
  purpose,
}: {
  readonly token: string;
  readonly purpose: Purpose;
}) {
  const [state, setState] = useState<'asked' | 'busy' | 'done'>('asked');
  const [refusal, setRefusal] = useState<unknown>();
  const { title, lead, done } = words[purpose];
  async function confirm() {
    setState('busy');
    setRefusal(undefined);
    try {
      const body = { token };
      await (purpose === 'opt_out'
        ? api.POST('/opt-outs/confirmation', { body })
        : api.POST('/email-changes/confirmation', { body }));
      changedHere();
      setState('done');
    } catch (error) {
      setRefusal(error);
      setState('asked');
    }
  }
  if (state === 'done') {
    return (
      <AccessPanel title="Done">
        <Notice tone="good" alert>
          {done}
        </Notice>
        {purpose === 'email_change' && (
          <LinkButton to="/" look="primary">
            Go on
          </LinkButton>
        )}
      </AccessPanel>
    );
  }
  return (
    <AccessPanel title={title} lead={lead}>
      {refusal !== undefined && <LinkRefusal error={refusal} purpose={purpose} />}
      <Button look="primary" busy={state === 'busy'} onClick={confirm}>
        {title}
      </Button>
    </AccessPanel>
  );
}
