import { describe, expect, it } from '@jest/globals';
import { endpointName, endpointState } from './webhook-words.ts';

const at = '2026-11-27T10:00:00.000Z';
const endpoint = {
  endpoint_id: 'hook_0199d4c5a1f07c3fb2e4d6a8c0e1f207',
  url: 'https://receiver.example:8443/events?token=x',
  description: null,
  event_types: [],
  enabled: true,
  disabled: null,
  failing_since: null,
  previous_secret_valid_until: null,
  created_by: 'user_0199d4c5a1f07c3fb2e4d6a8c0e1f203',
  created_at: at,
};

describe('an endpoint', () => {
  it('is named by its description, or else by its host alone', () => {
    expect(endpointName({ ...endpoint, description: 'Production' })).toBe('Production');
    expect(endpointName(endpoint)).toBe('receiver.example:8443');
    expect(endpointName({ ...endpoint, url: null })).toBe('Unreadable URL');
  });

  it('shows that it fails, and that it is disabled before all else', () => {
    expect(endpointState(endpoint)).toEqual({ name: 'Enabled', tone: 'good' });
    const failing = { ...endpoint, failing_since: at };
    expect(endpointState(failing)).toEqual({ name: 'Failing', tone: 'caution' });
    const disabled = (reason: 'asked' | 'failing') => ({ ...failing, disabled: { reason, detail: '', at } });
    expect(endpointState(disabled('failing'))).toEqual({ name: 'Disabled', tone: 'bad' });
    expect(endpointState(disabled('asked'))).toEqual({ name: 'Disabled', tone: 'neutral' });
  });
});
