// How each kind of runtime is made. The code of a kind is loaded with its first runtime.
import type { Log } from '@atoll/kernel/telemetry/log'
import type { Encoder } from './builtin/embeddings/encoder.ts'
import type { Moderator } from './builtin/moderation/moderator.ts'
import type { RuntimeSettings } from './config.ts'
import { MemoryBudget } from './process/memory-budget.ts'
import type { Runtime } from './runtime.ts'

type Kind = RuntimeSettings['kind']
type SettingsOf<K extends Kind> = Extract<RuntimeSettings, { kind: K }>

interface StarterNeeds {
  log: Log
  backgroundShare?: number | undefined
  ffmpeg?: string | undefined
}

/** Runtimes made by one starter share the memory for models, one sentence encoder and one moderator. */
export function createStarter(needs: StarterNeeds): (settings: RuntimeSettings) => Promise<Runtime> {
  const { log, backgroundShare, ffmpeg } = needs
  const memory = new MemoryBudget()
  let encoder: Encoder | undefined
  let moderator: Moderator | undefined

  const makers: { [K in Kind]: (settings: SettingsOf<K>) => Promise<Runtime> } = {
    async llama(settings) {
      const { createLlamaRuntime } = await import('./builtin/llama/llama-runtime.ts')
      return createLlamaRuntime(settings, { log, memory, backgroundShare })
    },
    async upstream(settings) {
      const { createUpstreamRuntime } = await import('./upstream/create-runtime.ts')
      return createUpstreamRuntime(settings, { log, backgroundShare })
    },
    async embeddings({ dimensions, shortens }) {
      const { Encoder } = await import('./builtin/embeddings/encoder.ts')
      const { createEmbeddingsRuntime } = await import('./builtin/embeddings/runtime.ts')
      encoder ??= new Encoder({ log, backgroundShare })
      return createEmbeddingsRuntime({ dimensions, shortens }, encoder)
    },
    async moderation({ generation }) {
      const { Moderator } = await import('./builtin/moderation/moderator.ts')
      const { createModerationRuntime } = await import('./builtin/moderation/moderation-runtime.ts')
      moderator ??= new Moderator({ log })
      return createModerationRuntime({ log, generation }, moderator)
    },
    async transcription() {
      const { Transcriber } = await import('./builtin/transcription/transcriber.ts')
      const { createTranscriptionRuntime } = await import('./builtin/transcription/transcription-runtime.ts')
      return createTranscriptionRuntime(new Transcriber({ log, memory, backgroundShare, ffmpeg }))
    },
    async speech() {
      const { createSpeechRuntime } = await import('./builtin/speech/speech-runtime.ts')
      return createSpeechRuntime({ log, backgroundShare, ffmpeg })
    },
    async illustrator() {
      const { createIllustratorRuntime } = await import('./builtin/illustrator/illustrator-runtime.ts')
      return createIllustratorRuntime({ log })
    },
  }
  const make = <K extends Kind>(kind: K, settings: SettingsOf<K>): Promise<Runtime> => makers[kind](settings)
  return (settings) => make(settings.kind, settings)
}
