// When each word was spoken. The model does not tell: the time in which somebody speaks is shared out by the length of
// the words, and each boundary moves to the softest moment nearby.
import type { SpokenWord } from '../../transcribe.ts'
import { energyOf, type Utterance } from './utterances.ts'
import { frameSamples } from './voice-activity.ts'

const rate = 16_000
const frameSeconds = frameSamples / rate
const speechFrom = 0.35
/** Some time passes in breaks too: what was taken for one may be a soft sound. */
const shareOfBreaks = 0.05
const snapFrames = 3
/** A word takes some time however short it is. */
const lettersOfAnyWord = 2

export function wordTimes(text: string, { at, frames }: Utterance): SpokenWord[] {
  const words = text.split(/\s+/).filter((word) => word !== '')
  const shares = frames.map(({ probability }) => (probability >= speechFrom ? 1 : shareOfBreaks))
  const perLetter = sum(shares) / sum(words.map(lengthOf))
  const start = at / rate
  const times: SpokenWord[] = []
  let spoken = 0
  let from = boundary(frames, shares, 0)
  for (const [index, word] of words.entries()) {
    spoken += lengthOf(word) * perLetter
    const isLast = index === words.length - 1
    const to = isLast ? lastSpeech(shares) : Math.max(from, boundary(frames, shares, spoken))
    times.push({ word: bare(word), start: start + from * frameSeconds, end: start + to * frameSeconds })
    from = to
  }
  return times
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)
const lengthOf = (word: string): number => lettersOfAnyWord + bare(word).length
/** Without the marks around it, unless it is nothing else. */
const bare = (word: string): string => word.replace(/^[^\p{L}\p{N}$]+|[^\p{L}\p{N}%]+$/gu, '') || word

/** The frame where so much has been spoken, or a softer one nearby. */
function boundary(frames: Utterance['frames'], shares: readonly number[], spoken: number): number {
  let at = 0
  for (let sum = 0; at < shares.length - 1; at++) {
    sum += shares[at] as number
    if (sum > spoken) break
  }
  let softest = at
  for (let near = Math.max(0, at - snapFrames); near <= Math.min(frames.length - 1, at + snapFrames); near++) {
    if (energyAt(frames, near) < energyAt(frames, softest)) softest = near
  }
  return softest
}

const energyAt = (frames: Utterance['frames'], at: number): number =>
  energyOf(frames[at]?.samples ?? new Float32Array())

const lastSpeech = (shares: readonly number[]): number => {
  const last = shares.lastIndexOf(1)
  return last === -1 ? shares.length : last + 1
}
