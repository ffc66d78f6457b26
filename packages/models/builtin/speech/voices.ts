// The public voice names, each on one of flite's speakers. A larger throat sounds deeper: `size` moves all formants, and
// `pitch` is what the voice has then, in hertz.
import type { Voice } from '../../speak.ts'

interface Speaker {
  /** What flite calls it. */
  name: string
  /** Samples a second. */
  rate: number
  /** Absent: its pitch cannot be set, and only moves with the formants. */
  hasPitch: boolean
}

export interface VoiceSettings {
  speaker: Speaker
  /** Above 1: smaller, brighter. */
  size: number
  pitch?: number
}

const slt: Speaker = { name: 'slt', rate: 16_000, hasPitch: true }
const rms: Speaker = { name: 'rms', rate: 16_000, hasPitch: false }

export const voiceSettings: Record<Voice, VoiceSettings> = {
  alloy: { speaker: slt, size: 0.94, pitch: 150 },
  ash: { speaker: rms, size: 1 },
  ballad: { speaker: rms, size: 1.07 },
  coral: { speaker: slt, size: 1.03, pitch: 195 },
  echo: { speaker: rms, size: 0.94 },
  fable: { speaker: rms, size: 1.14 },
  nova: { speaker: slt, size: 1.08, pitch: 215 },
  onyx: { speaker: rms, size: 0.89 },
  sage: { speaker: slt, size: 1, pitch: 170 },
  shimmer: { speaker: slt, size: 1.12, pitch: 240 },
  verse: { speaker: slt, size: 0.9, pitch: 120 },
}

/** What flite is told. Formants move by playing it faster or slower: length and pitch are set the other way before. */
export function fliteArguments({ speaker, size, pitch }: VoiceSettings, speed: number, text: string): string[] {
  const stretch = ['--setf', `duration_stretch=${(size / speed).toFixed(4)}`]
  const mean =
    pitch === undefined || !speaker.hasPitch ? [] : ['--setf', `int_f0_target_mean=${Math.round(pitch / size)}`]
  return [...stretch, ...mean, '-voice', speaker.name, '-t', text]
}
