import { type Guard, type Route, route } from '@mailproof/service-kit';
import { checkPassword, parseEmailAddress, typedPassword } from '@mailproof/shared-types';
import type { AssistantSignInOutcome, AssistantVisitor } from '../domain/assistants/sign-in-for-assistant.ts';
import { clientFrom } from './guards/client.ts';

export function checkPasswordRoute(
  guard: Guard<unknown>,
  signIn: (
    credentials: { email: string; password: string },
    visitor: AssistantVisitor,
  ) => Promise<AssistantSignInOutcome>,
): Route {
  return route(checkPassword, guard, async ({ body }, { requestId }) => {
    const email = parseEmailAddress(body.email.trim());
    const password = typedPassword.safeParse(body.password);
    if (!email.ok || !password.success) {
      // Nobody can have these, so that the answer tells nothing, and there is nothing to count.
      return { kind: 'refused' as const };
    }
    const client = clientFrom(body.clientAddress, body.userAgent);
    const visitor = { client, requestId, device: body.device };
    return signIn({ email: email.value.normalised, password: password.data }, visitor);
  });
}
