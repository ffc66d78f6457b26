// The synthesizer's process: phrases in, the bytes of sound files out.
import { answerQuestions } from '../../process/answer-questions.ts'
import { createEncoder } from './encoder.ts'
import type { SayQuestion, SpeechAnswered, SpeechQuestion } from './protocol.ts'
import type { SpeechEncoder } from './speech-encoder.ts'
import { speechRate } from './speech-rate.ts'
import { Synthesizer } from './synthesizer.ts'

const nothing = new Uint8Array(0)
const jobs = new Map<string, SpeechEncoder>()
let synthesizer: Promise<Synthesizer> | undefined

async function say({ job, phrase, voice, speed, format, isLast }: SayQuestion): Promise<SpeechAnswered> {
  synthesizer ??= Synthesizer.open()
  const samples = (await synthesizer).say(phrase, voice, speed)
  const encoder = jobs.get(job) ?? (await createEncoder(format))
  if (isLast) jobs.delete(job)
  else jobs.set(job, encoder)
  const bytes = await encoder.encode(samples)
  const ms = (samples.length * 1_000) / speechRate
  return { bytes: isLast ? Buffer.concat([bytes, await encoder.end()]) : bytes, ms }
}

answerQuestions<SpeechQuestion, SpeechAnswered>(async (question) => {
  if (question.ask === 'say') return say(question)
  if (question.ask === 'warm') {
    synthesizer ??= Synthesizer.open()
    // The first phrase takes three times as long as any other.
    ;(await synthesizer).say('Hello.', 'alloy', 1)
    return { bytes: nothing, ms: 0 }
  }
  const encoder = jobs.get(question.job)
  jobs.delete(question.job)
  await encoder?.end()
  return { bytes: nothing, ms: 0 }
})
