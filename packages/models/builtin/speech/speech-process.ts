// The synthesizer's process: phrases in, the bytes of sound files out.
import { setPriority } from 'node:os'
import { answerQuestions } from '../../process/answer-questions.ts'
import { createEncoder } from './encoder.ts'
import type { SayQuestion, SpeechAnswered, SpeechQuestion } from './protocol.ts'
import type { SpeechEncoder } from './speech-encoder.ts'
import { Synthesizer } from './synthesizer.ts'

/** Behind the server: its answers do not wait for a busy model. */
setPriority(5)

const nothing = new Uint8Array(0)
const jobs = new Map<string, SpeechEncoder>()
let synthesizer: Promise<Synthesizer> | undefined

async function say({ job, phrase, voice, speed, format, isLast }: SayQuestion): Promise<Uint8Array> {
  synthesizer ??= Synthesizer.open()
  const samples = (await synthesizer).say(phrase, voice, speed)
  const encoder = jobs.get(job) ?? (await createEncoder(format))
  if (isLast) jobs.delete(job)
  else jobs.set(job, encoder)
  const bytes = await encoder.encode(samples)
  return isLast ? Buffer.concat([bytes, await encoder.end()]) : bytes
}

answerQuestions<SpeechQuestion, SpeechAnswered>(async (question) => {
  if (question.ask === 'say') return { bytes: await say(question) }
  const encoder = jobs.get(question.job)
  jobs.delete(question.job)
  await encoder?.end()
  return { bytes: nothing }
})
