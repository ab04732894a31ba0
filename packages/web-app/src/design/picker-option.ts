/** A value that a picker offers. */
export interface PickerOption {
  readonly value: string;
  readonly label: string;
  /** How many it would find, where that was counted. */
  readonly count?: number | undefined;
}
