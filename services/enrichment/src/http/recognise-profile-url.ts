import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { recogniseProfileUrl } from '@mailproof/shared-types';
import { parseProfileUrl } from '../domain/profile-url/parse-profile-url.ts';

export function recogniseProfileUrlRoute(guard: Guard<unknown>): Route {
  return route(recogniseProfileUrl, guard, async ({ body }) => {
    const profile = parseProfileUrl(body.profileUrl);
    if (profile === undefined) {
      throw new Problem('invalid_profile_url');
    }
    return { profileUrl: profile.profileUrl, kind: profile.kind ?? null };
  });
}
