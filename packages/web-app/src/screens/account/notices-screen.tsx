import { limits, mailedFromSeconds } from '@mailproof/shared-types';
import { useState } from 'react';
import { $api, queryClient, type Schema } from '../../api/client.ts';
import { Checkbox } from '../../design/field.tsx';
import { Card, Stack } from '../../design/layout.tsx';
import { Answered, Failure, Notice } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { useSession } from '../../shell/session.ts';
import { eventNames, subscribedTypes } from '../integrations/webhook-words.ts';
import styles from './account.module.css';
import { AccountPage, OwnersOnly } from './account-page.tsx';
import { LowCredits } from './low-credits.tsx';

type Settings = Schema['NoticeSettings'];
type Type = keyof Settings['settings'];
type Channel = 'in_app' | 'mail';

const long = `If it took at least ${mailedFromSeconds / 60} minutes.`;
/** What a mail of a type depends on. */
const hints: Partial<Record<Type, string>> = {
  'validation_job.finished': long,
  'crm_import.finished': long,
};

/** How the user is told of events: in the application, by mail, or not at all. */
export function NoticesScreen() {
  const { email, role } = useSession();
  return (
    <AccountPage
      title="Notice settings"
      lead="What you are told, and how. Each member of the account chooses."
    >
      <Stack>
        <Answered question={$api.useQuery('get', '/notice-settings')} loading="Loading the settings">
          {settings => <SettingsCard settings={settings} email={email} />}
        </Answered>
        {role === 'owner' ? (
          <LowCredits />
        ) : (
          <OwnersOnly>Only owners can change below which number credits are low.</OwnersOnly>
        )}
      </Stack>
    </AccountPage>
  );
}

function SettingsCard({
  settings: { settings: saved, can_mail },
  email,
}: {
  settings: Settings;
  email: string;
}) {
  const key = $api.queryOptions('get', '/notice-settings').queryKey;
  // Shows each change at once. A box that is disabled until it is saved would lose the focus.
  const [wished, setWished] = useState<Settings['settings']>();
  const settings = wished ?? saved;
  const put = $api.useMutation('put', '/notice-settings', {
    // One request after the other: each has the settings of all events.
    scope: { id: 'notice-settings' },
    onSuccess(now) {
      queryClient.setQueryData(key, now);
      announce('Saved.');
    },
    onSettled: (_now, _error, { body }) =>
      setWished(latest => (latest === body.settings ? undefined : latest)),
  });
  function change(type: Type, channel: Channel, isOn: boolean) {
    const next = { ...settings, [type]: { ...settings[type], [channel]: isOn } };
    setWished(next);
    put.mutate({ body: { settings: next } });
  }
  return (
    <Card title="Events">
      <p className={styles.soft}>
        Mails go to {email}, at most {limits.noticeMailsPerHourMax} an hour. They contain the name of the
        list, search, export or import and counts, and no address of a list.
      </p>
      {!can_mail && <Notice tone="caution">This installation sends no mail.</Notice>}
      {put.isError && <Failure error={put.error} />}
      {subscribedTypes.map(type => (
        <fieldset key={type} className={styles.event}>
          <legend>{eventNames[type]}</legend>
          <Checkbox
            label="In the application"
            checked={settings[type].in_app}
            onChange={({ target }) => change(type, 'in_app', target.checked)}
          />
          <Checkbox
            label="By mail"
            hint={hints[type]}
            checked={settings[type].mail}
            disabled={!can_mail}
            onChange={({ target }) => change(type, 'mail', target.checked)}
          />
        </fieldset>
      ))}
    </Card>
  );
}
