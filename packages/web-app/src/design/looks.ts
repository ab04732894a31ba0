/** The meaning of a color. */
export type Tone = 'good' | 'fair' | 'caution' | 'bad' | 'neutral';

/** The display name and color of a state. */
export interface StateLook {
  readonly name: string;
  readonly tone: Tone;
}

/** Joins class names, skipping the ones that are false, undefined or empty. */
export function classes(...names: readonly (string | false | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}

/** A value that a picker offers. */
export interface PickerOption {
  readonly value: string;
  readonly label: string;
  /** The number of matches, if counted. */
  readonly count?: number | undefined;
}
