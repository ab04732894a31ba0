import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { suppressProfile } from '@mailproof/shared-types';
import { parseProfileUrl } from '../domain/profile-url/parse-profile-url.ts';

export function suppressProfileRoute(
  guard: Guard<unknown>,
  suppress: (profileKey: string) => Promise<void>,
): Route {
  return route(suppressProfile, guard, async ({ body }) => {
    const profile = parseProfileUrl(body.profileUrl);
    if (profile === undefined) {
      throw new Problem('invalid_profile_url');
    }
    if (profile.kind === 'organisation') {
      throw new Problem('profile_of_an_organisation');
    }
    await suppress(profile.profileKey);
    return { done: true as const };
  });
}
