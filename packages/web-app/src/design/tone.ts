/** What a colour stands for. */
export type Tone = 'good' | 'fair' | 'caution' | 'bad' | 'neutral';
