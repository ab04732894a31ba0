import { Page, Stack } from '../../design/layout.tsx';
import { AssistantsCard } from './assistants-card.tsx';
import { CrmsPart } from './crms-part.tsx';
import { ProfileProviderCard } from './profile-provider-card.tsx';

/** What works together with Mailproof: CRMs, assistants, a provider of profiles. */
export function IntegrationsScreen() {
  return (
    <Page
      title="Integrations"
      lead="Where records come from and go to, and what else works with your account."
    >
      <Stack>
        <CrmsPart />
        <AssistantsCard />
        <ProfileProviderCard />
      </Stack>
    </Page>
  );
}
