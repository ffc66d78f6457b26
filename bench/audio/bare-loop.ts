// The networks by themselves, in a process of their own: what any program around them has to compute for the same sound.
// No server, no queue, no pieces in between.
import { readFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { floats, floatsOf, output, truth, type Values, wholes } from '@atoll/models/builtin/onnx/onnx'
import { openSpeechNetwork } from '@atoll/models/builtin/transcription/speech-network'
import { UtteranceCutter } from '@atoll/models/builtin/transcription/utterances'

/** As the model's own process has it: on a busy machine the others would win. */
setPriority(5)

const frameSamples = 512
const headerBytes = 44
const rounds = Number(process.argv[2])
const files = process.argv.slice(3)
const vad = await openSpeechNetwork('silero-vad.onnx')
const encoder = await openSpeechNetwork('moonshine-encoder.onnx')
const decoder = await openSpeechNetwork('moonshine-decoder.onnx')
const pastNames = decoder.inputNames.filter((name) => name.startsWith('past_key_values'))

function samplesOf(file: string): Float32Array {
  const bytes = readFileSync(file).subarray(headerBytes)
  return Float32Array.from({ length: bytes.length >> 1 }, (_, at) => bytes.readInt16LE(at * 2) / 0x8000)
}

async function write(samples: Float32Array): Promise<void> {
  const heard = output(await encoder.run({ input_values: floats(samples, [1, samples.length]) }), 'last_hidden_state')
  const past: Values = {}
  for (const name of pastNames) past[name] = floats(new Float32Array(0), [1, 8, 0, 36])
  const most = Math.ceil((samples.length / 16_000) * 6.5) + 10
  for (let step = 0, token = 1; step < most && token !== 2; step++) {
    const input = {
      input_ids: wholes([token], [1, 1]),
      encoder_hidden_states: heard,
      use_cache_branch: truth(step > 0),
    }
    const answer = await decoder.run({ ...input, ...past })
    const logits = floatsOf(answer, 'logits')
    token = logits.reduce((best, logit, at) => (logit > (logits[best] as number) ? at : best), 0)
    for (const name of pastNames) {
      if (step > 0 && name.includes('.encoder.')) continue
      past[name] = output(answer, name.replace('past_key_values', 'present'))
    }
  }
}

function joined(frames: readonly { samples: Float32Array }[]): Float32Array {
  const all = new Float32Array(frames.length * frameSamples)
  for (const [at, frame] of frames.entries()) all.set(frame.samples, at * frameSamples)
  return all
}

async function hear(samples: Float32Array): Promise<void> {
  const cutter = new UtteranceCutter()
  const sr = wholes([16_000], [1])
  let state = floats(new Float32Array(256), [2, 1, 128])
  const input = new Float32Array(64 + frameSamples)
  for (let at = 0; at < samples.length; at += frameSamples) {
    const frame = new Float32Array(frameSamples)
    frame.set(samples.subarray(at, at + frameSamples))
    input.copyWithin(0, frameSamples)
    input.set(frame, 64)
    const answer = await vad.run({ input: floats(input.slice(), [1, input.length]), state, sr })
    state = floats(floatsOf(answer, 'stateN'), [2, 1, 128])
    const utterance = cutter.push({ samples: frame, probability: floatsOf(answer, 'output')[0] ?? 0 })
    if (utterance !== undefined) await write(joined(utterance.frames))
  }
  const last = cutter.end()
  if (last !== undefined) await write(joined(last.frames))
}

const sounds = files.map(samplesOf)
await hear(sounds[0] ?? new Float32Array(frameSamples))
const seconds: number[] = []
for (let round = 0; round < rounds; round++) {
  const startedAt = performance.now()
  for (const sound of sounds) await hear(sound)
  seconds.push((performance.now() - startedAt) / 1000)
}
process.stdout.write(JSON.stringify(seconds))
