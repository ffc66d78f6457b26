// An answer that is spoken while it is written: words and sound of every choice, in the order they are made.
import type { Call } from '@atoll/models/call'
import type { ChatDelta, ChatModel, ChatRequest, ChoiceDelta } from '@atoll/models/chat'
import type { Voice } from '@atoll/models/speak'
import type { ProjectCaller } from '../../../../callers.ts'
import type { Inference } from '../../../../inference/inference.ts'
import { withSound } from '../../../../inference/sound-tokens.ts'
import type { SpokenPart } from '../../../realtime/items.ts'
import { Speaking } from '../../../realtime/speaking.ts'
import type { KeptAudios } from './kept-audios.ts'
import { PacedQueue } from './paced-queue.ts'

interface Parts {
  inference: Inference
  kept: KeptAudios
  caller: ProjectCaller
  chat: ChatModel
  /** The public id of the speech model. */
  speechModel: string
  voice: string
  heardMs: number
}

/** What is said of one choice. */
interface Spoken {
  id: string
  part: SpokenPart
  work: Speaking
  done: Promise<void>
}

type Delta = ChoiceDelta['delta']

export async function* speakStream(request: ChatRequest, parts: Parts, call: Call): AsyncGenerator<ChatDelta> {
  const leaving = new AbortController()
  const own = { ...call, signal: AbortSignal.any([call.signal, leaving.signal]) }
  const steps = new PacedQueue<ChatDelta>()
  const work = new SpokenStream(parts, own, steps).run(request).then(
    () => steps.end(),
    (error: unknown) => {
      steps.fail(error)
      leaving.abort()
    },
  )
  try {
    yield* steps
  } finally {
    leaving.abort()
    steps.drop()
    await work
  }
}

class SpokenStream {
  readonly #parts: Parts
  readonly #call: Call
  readonly #steps: PacedQueue<ChatDelta>
  readonly #spoken = new Map<number, Spoken>()
  #head: Pick<ChatDelta, 'model' | 'system_fingerprint'> = { model: '', system_fingerprint: '' }

  constructor(parts: Parts, call: Call, steps: PacedQueue<ChatDelta>) {
    this.#parts = parts
    this.#call = call
    this.#steps = steps
  }

  async run(request: ChatRequest): Promise<void> {
    const ends: Promise<void>[] = []
    for await (const { choices, usage, ...head } of this.#parts.chat.stream(request, this.#call)) {
      this.#head = head
      for (const choice of choices) {
        if (choice.finish_reason === null) this.#take(choice)
        else ends.push(told(this.#finish(choice)))
      }
      if (usage !== undefined) {
        await Promise.all(ends)
        const { heardMs } = this.#parts
        this.#steps.push({ ...head, choices: [], usage: withSound(usage, { heardMs, spokenMs: this.#ms() }) })
      }
      await this.#steps.ready()
    }
    await Promise.all(ends)
  }

  #take({ delta, ...choice }: ChoiceDelta): void {
    const { content, ...rest } = delta
    if (!content) {
      this.#tell({ ...choice, delta: content === undefined ? rest : { ...rest, content: null } })
      return
    }
    const known = this.#spoken.get(choice.index)
    const spoken = known ?? this.#open(choice.index)
    const audio = known === undefined ? { id: spoken.id, transcript: content } : { transcript: content }
    spoken.part.transcript += content
    this.#tell({ ...choice, delta: { ...rest, audio } })
    spoken.work.write(content)
  }

  #open(index: number): Spoken {
    const { inference, kept, caller, speechModel: model, voice } = this.#parts
    const part: SpokenPart = { type: 'audio', transcript: '', ms: 0, pieces: [] }
    const work = new Speaking({
      ...{ inference, caller, model, speed: 1, signal: this.#call.signal, part },
      voice: voice as Voice,
      format: 'pcm16',
      sound: (bytes) => {
        this.#tell(deltaOf(index, { audio: { data: bytes.toString('base64') } }))
        return this.#steps.ready()
      },
    })
    const done = work.run()
    // Told at once, while the model may still write.
    done.catch((error: unknown) => this.#steps.fail(error))
    const spoken = { id: kept.newId(), part, work, done }
    this.#spoken.set(index, spoken)
    return spoken
  }

  /** Once all of it has been said. */
  async #finish(choice: ChoiceDelta): Promise<void> {
    const spoken = this.#spoken.get(choice.index)
    if (spoken !== undefined) {
      spoken.work.end()
      await spoken.done
      const { kept, caller } = this.#parts
      const expires_at = await kept.keep(caller.projectId, spoken.id, spoken.part.transcript)
      this.#tell(deltaOf(choice.index, { audio: { expires_at } }))
    }
    this.#tell(choice)
  }

  #tell(choice: ChoiceDelta): void {
    this.#steps.push({ ...this.#head, choices: [choice] })
  }

  #ms(): number {
    return [...this.#spoken.values()].reduce((sum, { part }) => sum + part.ms, 0)
  }
}

/** Whoever waits for it later is told what went wrong; until then nobody is. */
function told(work: Promise<void>): Promise<void> {
  work.catch(() => {})
  return work
}

const deltaOf = (index: number, delta: Delta): ChoiceDelta => ({ index, delta, logprobs: null, finish_reason: null })
