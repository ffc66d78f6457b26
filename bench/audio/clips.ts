// What is heard in the benchmark: clips of people with their words, if there are any, and what our own voices say.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface Clip {
  name: string
  sound: Buffer<ArrayBuffer>
  words: string
}

/** Of a folder with pairs of files: a.wav, 16,000 samples a second, and a.txt with the words. */
export async function humanClips(folder: string | undefined): Promise<Clip[]> {
  if (folder === undefined) return []
  const files = (await readdir(folder)).filter((file) => file.endsWith('.wav')).sort()
  const clips = files.map(async (file) => {
    const [sound, words] = await Promise.all([
      readFile(join(folder, file)),
      readFile(join(folder, file.replace(/wav$/, 'txt')), 'utf8'),
    ])
    return { name: file, sound, words }
  })
  return Promise.all(clips)
}

/** Not looked at while the voices were made. */
export const sentences: readonly string[] = [
  'The weather was warm, so the children played in the garden until the evening.',
  'Please send the report to the office before noon on Friday.',
  'She bought three apples, two pears and a loaf of bread at the market.',
  'The train to London leaves in twenty minutes from the second platform.',
  'We need a new plan, because the old one takes too much time.',
  'My brother works as a doctor in a small hospital near the sea.',
  'The museum is closed on Monday, but you can visit the park instead.',
  'He opened the window and listened to the rain on the roof.',
  'They will build a bridge over the river next summer.',
  'Nobody knew the answer, although the question was simple.',
]

/** A thousand letters of them. */
export const longText = `${sentences.join(' ')} ${sentences.join(' ')}`.slice(0, 1_000)
